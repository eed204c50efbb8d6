/**
 * The schema of a new database and the SQL that builds it, for both engines and without extras,
 * match the snapshots, which reviewers read. `npm run generate` accepts a change. The snapshots for
 * TimescaleDB hold only the differences to the plain ones, so that a new column needs no server
 * with TimescaleDB.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { READING_COLUMNS } from '../../src/contract/parameters.ts';
import type { Sql } from '../../src/database/client.ts';
import { coreDatabase, onEveryEngine, type TestDatabase } from '../support/database.ts';
import { CORE } from '../support/definitions.ts';
import { describeSchema } from './describeSchema.ts';
import { renderedSql } from './rendered.ts';

it('the SQL for plain PostgreSQL and its difference for TimescaleDB match the snapshots', async () => {
  const plain = renderedSql(CORE, 'plain');
  await expect(plain.join('\n')).toMatchFileSnapshot('./snapshots/rendered.plain.sql');
  const lines = differences(plain, renderedSql(CORE, 'timescale'));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./snapshots/rendered.timescale.sql');
});

onEveryEngine('the schema', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await coreDatabase(engine);
    owner = database.as();
  });
  afterAll(() => database.drop());

  it('the schema matches its snapshot', async () => {
    const schema = await describeSchema(owner);
    const lines =
      engine === 'plain' ? schema : differences(await plainSchema(), schema).toSorted(byName);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`./snapshots/schema.${engine}.txt`);
  });

  it('table raw.readings checks the bounds of the contract (S1)', async () => {
    const [row] = await owner<[{ checks: string }]>`
      select string_agg(pg_get_constraintdef(oid), ' ') as checks from pg_constraint
      where conrelid = 'raw.readings'::regclass and contype = 'c' and conname <> 'readings_epoch_check'`;
    const bounds: Record<string, number[]> = {};
    for (const [, name = '', bound] of row.checks.matchAll(/(\w+) [<>]= \(?'?(-?[\d.]+)/g))
      bounds[name] = [...(bounds[name] ?? []), Number(bound)];
    expect(bounds).toEqual(
      Object.fromEntries(READING_COLUMNS.map(({ name, low, high }) => [name, [low, high]])),
    );
  });

  it('an import keeps what it changed of every parameter (S11)', async () => {
    const [row] = await owner`
      select array_agg(column_name::text) as names from information_schema.columns
      where table_schema = 'raw' and table_name = 'import_change' and data_type = 'ARRAY'`;
    const columns = READING_COLUMNS.flatMap(({ name }) => [`${name}_before`, `${name}_after`]);
    expect(row?.names.toSorted()).toEqual(['measured_at', ...columns].toSorted());
  });

  it('what changes any parameter of a stored value is a correction (R1)', async () => {
    const [noting] = await owner<[{ definition: string }]>`
      select pg_get_functiondef('raw.note_changes'::regproc) as definition`;
    const compared = [...noting.definition.matchAll(/\(o\.(\w+) is null or n\.\1 = o\.\1\)/g)];
    expect(compared.map(([, name]) => name).toSorted()).toEqual(
      [...READING_COLUMNS.map(({ name }) => name), 'rain_given'].toSorted(),
    );
  });
});

async function plainSchema(): Promise<string[]> {
  const database = await coreDatabase('plain');
  const schema = await describeSchema(database.as());
  await database.drop();
  return schema;
}

/** The lines only in the first (`-`) and only in the second (`+`), each in its order. */
function differences(first: readonly string[], second: readonly string[]): string[] {
  const [inFirst, inSecond] = [new Set(first), new Set(second)];
  return [
    ...first.filter((line) => !inSecond.has(line)).map((line) => `- ${line}`),
    ...second.filter((line) => !inFirst.has(line)).map((line) => `+ ${line}`),
  ];
}

const byName = (a: string, b: string) => (a.slice(2) < b.slice(2) ? -1 : 1);
