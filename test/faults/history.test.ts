/** With years of buckets, compressed on TimescaleDB, a history reads only its own rows and the chunks of its windows, however often it was asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWindows, queryRegionHistory, queryStationHistory } from '../../src/api/history.ts';
import { onConnection, type Sql } from '../../src/database/client.ts';
import { type Api, readsOn } from '../../src/database/pools.ts';
import { maintain, refresh } from '../../src/rollups/refresh.ts';
import { bringIn } from '../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

/** With few stations the index of times alone would be nearly as good: of a range that it doesn't know the planner expects little. */
describe.each(engines.flatMap((engine) => [2, 20].map((stations) => ({ engine, stations }))))(
  'the history of two years among $stations stations ($engine)',
  ({ engine, stations }) => {
    let database: TestDatabase;
    let owner: Sql;
    beforeAll(async () => {
      database = await testDatabase(engine);
      owner = database.as();
      await bringIn(
        owner,
        citiesOfOneStation(Array.from({ length: stations }, (_, n) => `town-${String.fromCharCode(97 + n)}`)),
      );
      for (const { since, every } of [
        { since: '2024-11-20', every: '12 hours' },
        { since: '2026-10-10', every: '1 hour' },
      ]) {
        await owner`insert into raw.readings (measured_at, sensor_id, pm25)
          select at, sensor, 10 from generate_series(${since}::timestamptz, '2026-11-20 11:30', ${every}::text::interval) at,
            generate_series(1, ${stations}::int) sensor on conflict do nothing`;
      }
      await refresh(database.target, NOW);
      await maintain(database.target, NOW);
      await database.superuser()`vacuum (analyze)`;
    });
    afterAll(() => database.drop());

    it.each(['station', 'region'] as const)('of a %s', async (subject) => {
      const chunks = engine === 'timescale' ? await chunksOf(owner, `${subject}_hourly`) : [];
      if (engine === 'timescale') expect(chunks.filter((chunk) => chunk.is_compressed).length).toBeGreaterThan(20);
      const session = { role: 'airseries_reader', timeZone: database.timeZone } as const;
      await onConnection(database.target, session, async (sql) => {
        for (const limit of [
          'parallel_setup_cost',
          'parallel_tuple_cost',
          'min_parallel_table_scan_size',
          'min_parallel_index_scan_size',
        ])
          await sql`select set_config(${limit}, '0', false)`; // what parallel workers read is not counted here, and starting them takes longer than the rest
        const db = readsOn<Api>(sql);
        const windows = await makeWindows(db)(NOW);
        const ask = () =>
          subject === 'station' ? queryStationHistory(db, windows, 1) : queryRegionHistory(db, windows, 'town-a');
        /** Counts of this session, which the server keeps until it has reported them. */
        const counts = () => sql<{ name: string; rows: number }[]>`
        select relname as name, (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_all_tables
        where seq_scan + idx_scan > 0
          and (relname ~ '_hyper_' or relname ~ ${`^${subject}_(hourly|daily|monthly)$`})`;
        /** What a question returns, the rows that it reads, and the chunks that it opens. */
        const reading = async <T>(question: () => PromiseLike<T>) => {
          await sql.unsafe('begin');
          const before = await counts();
          const answer = await question();
          const after = await counts();
          await sql.unsafe('commit');
          const total = (of: typeof after) => of.reduce((sum, { rows }) => sum + rows, 0);
          const opened = chunks.filter((chunk) => after.some(({ name }) => chunk.name === name));
          return { answer, rows: total(after) - total(before), opened };
        };
        const askAsGrafana = () =>
          sql.unsafe(`select * from api.${subject}_history($1, $2)`, [NOW, subject === 'station' ? 1 : 'town-a']);
        for (let time = 1; time <= 7; time++) {
          const { answer: history, rows, opened } = await reading(ask);
          const points = (['7d', '30d', '2y'] as const).flatMap((key) => JSON.parse(history?.[key] ?? ''));
          expect(points.length).toBeGreaterThan(60);
          if (engine === 'timescale')
            expect(opened.length, 'seven days of hours lie in one or two chunks').toBeOneOf([1, 2]);
          expect(rows, `rows read, time ${time}`).toBe(points.length);
          expect((await reading(askAsGrafana)).rows, `rows read for Grafana, time ${time}`).toBe(points.length);
        }
      });
    });
  },
);

const chunksOf = (sql: Sql, view: string) => sql<{ name: string; is_compressed: boolean }[]>`
  select c.chunk_name as name, c.is_compressed
  from timescaledb_information.chunks c
  join timescaledb_information.continuous_aggregates a
    on (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (c.hypertable_schema, c.hypertable_name)
  where a.view_schema = 'rollup' and a.view_name = ${view}`;
