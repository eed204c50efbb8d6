/** With years of compressed chunks, a history opens only the chunks of its windows, however often it was queried before. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWindows, queryRegionHistory, queryStationHistory, type Windows } from '../../src/api/history.ts';
import { onConnection, type Sql } from '../../src/database/client.ts';
import { type Api, type ApiDb, readsOn } from '../../src/database/pools.ts';
import { maintain, refresh } from '../../src/rollups/refresh.ts';
import { bringIn } from '../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

/** The SQL of a query, and its parameters as literals. */
async function statementOf(query: (db: ApiDb) => Promise<unknown>): Promise<[text: string, parameters: string[]]> {
  let text = '';
  let parameters: readonly unknown[] = [];
  const db = new Kysely<Api>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: (event) => {
      ({ sql: text, parameters } = event.query);
    },
  });
  await query(db);
  return [text, parameters.map((one) => `'${one instanceof Date ? one.toISOString() : one}'`)];
}

describe.runIf(engines.includes('timescale'))('the history of two years', () => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await testDatabase('timescale');
    owner = database.as();
    await bringIn(owner, citiesOfOneStation(['town']));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 10 from generate_series(timestamptz '2024-11-20', '2026-11-20 11:30', '12 hours') at`;
    await refresh(database.target, NOW);
    await maintain(database.target, NOW);
  });
  afterAll(() => database.drop());

  it.each([
    ['station', 'int', (db: ApiDb, windows: Windows) => queryStationHistory(db, windows, 1)],
    ['region', 'text', (db: ApiDb, windows: Windows) => queryRegionHistory(db, windows, 'town')],
  ])('of a %s', async (subject, type, query) => {
    const chunks = await owner<{ name: string; is_compressed: boolean }[]>`
      select c.chunk_name as name, c.is_compressed
      from timescaledb_information.chunks c
      join timescaledb_information.continuous_aggregates a
        on (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (c.hypertable_schema, c.hypertable_name)
      where a.view_schema = 'rollup' and a.view_name = ${`${subject}_hourly`}`;
    expect(chunks.filter((chunk) => chunk.is_compressed).length).toBeGreaterThan(20);
    const windows = await makeWindows(readsOn(database.as('airseries_reader')))(NOW);
    const [statement, parameters] = await statementOf((db) => query(db, windows));
    expect(parameters).toHaveLength(7); // two bounds for each of hours, days and months, and the id
    const session = { role: 'airseries_reader', timeZone: database.timeZone } as const;
    const plan = await onConnection(database.target, session, async (sql) => {
      // otherwise statistics decide whether a generic plan is kept
      expect(await sql`show plan_cache_mode`).toEqual([{ plan_cache_mode: 'force_custom_plan' }]);
      await sql.unsafe(`prepare history (${'timestamptz, '.repeat(6)}${type}) as ${statement}`);
      const execute = `execute history (${parameters})`;
      // after five executions a generic plan might be kept
      for (let n = 0; n < 6; n++) expect((await sql.unsafe(execute)).length).toBeGreaterThan(60);
      return (await sql.unsafe(`explain (costs off) ${execute}`)).map((row) => String(row['QUERY PLAN']));
    });
    const opened = chunks.filter(({ name }) => plan.some((line) => line.includes(`${name} `) || line.endsWith(name)));
    // seven days of hours lie in one or two chunks
    expect(opened.length, plan.join('\n')).toBeGreaterThan(0);
    expect(opened.length, plan.join('\n')).toBeLessThanOrEqual(2);
    // in which the index finds the one station or region
    expect(plan.filter((line) => /Seq Scan on (compress)?_hyper_/.test(line))).toEqual([]);
  });
});
