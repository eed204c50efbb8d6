/** The committed types of schema api match the database. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { insertNetwork, NOW } from '../api/network.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { apiTypes, NEVER_NULL } from './apiTypes.ts';

const committed = readFileSync(new URL('../../src/database/apiTypes.ts', import.meta.url), 'utf8');

/** The bounds of hours, days and months. */
const EVER = [0, 1, 2].flatMap(() => [new Date('2000-01-01T00:00:00Z'), NOW]);

onEveryEngine('the types of schema api', (engine) => {
  let database: TestDatabase;
  let reader: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    await insertNetwork(database.as());
    reader = database.as('airseries_reader');
  });
  afterAll(() => database.drop());

  it('are as committed', async () => {
    expect(await apiTypes(reader), 'run: npm run types').toBe(committed);
  });

  it('say not null only of columns without nulls', async () => {
    const functions = await reader`select proname from pg_proc where pronamespace = 'api'::regnamespace`;
    const isFunction = (name: string) => functions.some(({ proname }) => proname === name);
    const withRows: string[] = [];
    for (const [name, columns] of Object.entries(NEVER_NULL)) {
      const instants = /_series$/.test(name) ? EVER : [NOW];
      const call = isFunction(name) ? `${name}(${instants.map((at) => `'${at.toISOString()}'`)})` : name;
      const nulls = columns.map((column) => `(count(*) filter (where "${column}" is null))::int as "${column}"`);
      const [row] = await reader.unsafe(`select count(*)::int as "rows", ${nulls.join(', ')} from api.${call}`);
      expect(row, name).toEqual({ rows: row?.rows, ...Object.fromEntries(columns.map((column) => [column, 0])) });
      if (row?.rows > 0) withRows.push(name);
    }
    expect(withRows.length, `rows in ${withRows}`).toBeGreaterThan(20);
  });
});
