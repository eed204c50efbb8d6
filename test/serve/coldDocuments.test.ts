/**
 * With years of buckets, compressed on TimescaleDB, a document reads only its own rows and the
 * chunks of its windows, however often it was queried before.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { maintain, refresh } from '../../src/aggregate/refresh.ts';
import { apiOver } from '../../src/database/apiDb.ts';
import { onConnection, type Sql } from '../../src/database/client.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { queryRegion, queryStation } from '../../src/serve/current.ts';
import { makeExplore } from '../../src/serve/explore.ts';
import { makeWindows, queryRegionHistory, queryStationHistory } from '../../src/serve/history.ts';
import type { PathValues } from '../../src/serve/paths.ts';
import { queryNetwork } from '../../src/serve/stationsList.ts';
import { NOW } from '../support/clock.ts';
import { engines, isAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { until } from '../support/patience.ts';
import { bringIn } from '../support/smallNetwork.ts';

/**
 * With few stations the index of times alone would be nearly as good, so the planner may choose it;
 * plain PostgreSQL is for small networks. `npm test` has only the size that misleads it most.
 */
const sizesOf = (engine: Engine) => (engine === 'plain' ? [2, 20] : [20]);
const SIZES = engines
  .flatMap((engine) => sizesOf(engine).map((stations) => ({ engine, stations })))
  .slice(0, isAll ? undefined : 1);

describe.each(SIZES)('two years of $stations stations ($engine)', ({ engine, stations }) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await bringIn(
      owner,
      citiesOfOneStation(
        Array.from({ length: stations }, (_, n) => `town-${String.fromCharCode(97 + n)}`),
      ),
    );
    for (const { since, every } of [
      { since: '2024-11-20', every: '12 hours' },
      { since: '2026-10-10', every: '1 hour' },
    ]) {
      await owner`insert into raw.readings (measured_at, sensor_id, pm25)
          select at, sensor, 10 from generate_series(${since}::timestamptz, '2026-11-20 11:30Z', ${every}::text::interval) at,
            generate_series(1, ${stations}::int) sensor on conflict do nothing`;
    }
    // otherwise the one big refresh is planned for an empty table
    await owner`analyze raw.readings`;
    await refresh(database.target, () => NOW);
    await maintain(database.target, NOW);
    await makeDigest(database.target, NOW);
    await owner`insert into rollup.digest select earlier.*
        from rollup.digest d, generate_series(1, 300) n,
          jsonb_populate_record(d, jsonb_build_object('made_at', d.made_at - n * interval '10 minutes')) earlier`;
    // until all rows are visible to all: the planner looks at the ends of an index, and would
    // fetch rows to find out if they are visible
    const superuser = database.superuser();
    const isVisible = async () => {
      await superuser`vacuum (analyze)`;
      const hidden = await superuser`
          select from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname in ('raw', 'rollup', '_timescaledb_internal') and c.relkind = 'r' and c.relallvisible < c.relpages`;
      return hidden.length === 0;
    };
    await until(isVisible, 'no row is hidden from anybody');
    return () => database.drop();
  });

  it.each(['station', 'region'] as const)(
    'the history of a %s reads only its own points, from one or two chunks',
    async (subject) => {
      const chunks = engine === 'timescale' ? await chunksOf(owner, `${subject}_hourly`) : [];
      if (engine === 'timescale') {
        expect(chunks.length).toBeGreaterThan(20);
        const compressed = chunks.filter((chunk) => chunk.is_compressed).length;
        // hours of regions stay uncompressed
        if (subject === 'station') expect(compressed).toBeGreaterThan(20);
        else expect(compressed).toBe(0);
      }
      await withReader(async (sql, reading) => {
        const db = apiOver(sql);
        const windows = await makeWindows(db)(NOW);
        const ask = () =>
          subject === 'station'
            ? queryStationHistory(db, windows, 1)
            : queryRegionHistory(db, windows, 'town-a');
        const askAsGrafana = () =>
          sql.unsafe(`select * from api.${subject}_history($1, $2)`, [
            NOW,
            subject === 'station' ? 1 : 'town-a',
          ]);
        const tables = new RegExp(`^${subject}_(hourly|daily|monthly)$`);
        for (let time = 1; time <= 7; time++) {
          const { answer: history, rows, read } = await reading(tables, ask);
          const points = (['7d', '30d', '2y'] as const).flatMap((key) =>
            JSON.parse(history?.[key] ?? ''),
          );
          expect(points.length).toBeGreaterThan(60);
          if (engine === 'timescale') {
            const opened = chunks.filter((chunk) => read.includes(chunk.name));
            expect(opened.length, 'seven days of hours lie in one or two chunks').toBeOneOf([1, 2]);
          }
          expect(rows, `rows read, time ${time}`).toBe(points.length);
          expect(
            (await reading(tables, askAsGrafana)).rows,
            `rows read for Grafana, time ${time}`,
          ).toBe(points.length);
        }
      });
    },
  );

  it('current values read only their own readings, hours, days and the newest digest', async () => {
    await withReader(async (sql, reading) => {
      const db = apiOver(sql);
      const tables = /^(readings|digest|region_hourly|region_daily)$/;
      const station = 2 + 1; // readings that aren't stale, and the readings of the last hour
      const region = 24 + 365 + 1; // hours, days, and the newest digest
      for (let time = 1; time <= 7; time++) {
        const ofRegion = await reading(tables, () => queryRegion(db, NOW, 'en', 'town-a'));
        expect(ofRegion.answer).toMatchObject({ 'pm2.5': 10, 'who_year_pm2.5': 10 });
        expect(ofRegion.rows, `rows read for a region, time ${time}`).toBe(region);
        const ofStation = await reading(tables, () => queryStation(db, NOW, 'en', 1));
        expect(ofStation.answer?.['pm2.5']).toBe(10);
        expect(ofStation.rows, `rows read for a station, time ${time}`).toBe(station);
        const ofAll = await reading(tables, () => queryNetwork(db, NOW));
        expect(ofAll.answer.regions.map((row) => row['who_year_pm2.5'])).toEqual(
          Array(stations).fill(10),
        );
        // the list shows values that the refresh has kept, and reads no readings
        expect(ofAll.rows, `rows read for all, time ${time}`).toBe(stations * region);
      }
    });
  });

  it('the documents of the front page read no more rows than their instants need', async () => {
    const tables = /^(readings|(sensor|station|region)_(hourly|daily|monthly))$/;
    await withReader(async (sql, reading) => {
      const render = makeExplore({
        db: apiOver(sql),
        wholeNetwork: apiOver(sql),
        clock: () => NOW,
      });
      const values: PathValues = {
        locale: 'en',
        id: 1,
        slug: 'town-a',
        parameter: 'pm2.5',
        year: 2025,
        hour: '2026-11-19T08Z',
        from: '2026-10-20',
        to: '2026-10-29',
      };
      const hours = 24;
      for (const [name, most] of [
        // also the days, the hours of the running day and the first hour, which tell how many hours
        // to expect, at two instants
        ['stationNow', 2 * hours + 9],
        ['regionNow', hours + 1], // also an hour of its station, which tells how many to expect
        ['stationDays', 2 * 365], // values, and how many of their hours were measured
        ['regionDays', 2 * 365],
        // the days, and the hours that they have
        ['stationLimits', 365 + 324 * 2 + 41 * hours + 1],
        ['regionLimits', 365 + 324 * 2 + 41 * hours + 1],
        ['stationLimitsOfYear', 2 * 365 + 365 * 2 + 41 * hours + 1], // with the year before
        // readings, the hour as published and as stored, the hour of the sensor
        ['stationReadings', 1 + 2 + 1],
        ['regionStations', 2 + 1], // the hour as published and as stored, the hour of the station
        ['stationCsv', 10 * hours],
        ['parameterMap', 2 * stations * hours], // as many cities as stations
        ['lastDay', 2 * stations * hours],
        ['regionLastDay', hours],
      ] as const) {
        for (let time = 1; time <= 7; time++) {
          const { answer, rows } = await reading(tables, () => render[name](values));
          expect(answer.document.bytes, name).toBeGreaterThan(100);
          expect(rows, `rows read for ${name}, time ${time}`).toBeLessThanOrEqual(most);
          expect(rows, `rows read for ${name}, time ${time}`).toBeGreaterThan(0);
        }
      }
      // which hours there are is in the index, where all rows are visible to all
      const { rows } = await reading(tables, () => render.stationGaps(values));
      expect(rows, 'rows read for the gaps').toBeLessThanOrEqual(2 * 365);
    });
  });

  type Reading = <T>(
    tables: RegExp,
    question: () => PromiseLike<T>,
  ) => Promise<{ answer: T; rows: number; read: string[] }>;

  /**
   * Lends a connection as the API has it, and a function that counts the rows which a query reads
   * there, in these tables and in chunks.
   */
  async function withReader(use: (sql: Sql, reading: Reading) => Promise<void>) {
    const session = { role: 'airseries_reader', timeZone: database.timeZone } as const;
    await onConnection(database.target, session, async (sql) => {
      // parallel workers seem to cost nothing, and no plan may use them: starting them takes longer
      // than the query, and the rows that they read are not counted here
      const costs = ['setup_cost', 'tuple_cost', 'leader_participation'];
      const sizes = ['table_scan_size', 'index_scan_size'];
      for (const setting of [
        ...costs.map((name) => `parallel_${name}`),
        ...sizes.map((name) => `min_parallel_${name}`),
      ])
        await sql`select set_config(${setting}, '0', false)`;
      /** The counts of this session, which the server keeps until it has reported them. */
      const counts = (tables: RegExp) => sql<{ name: string; rows: number }[]>`
          select relname as name, (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_all_tables
          where seq_scan + idx_scan > 0 and (relname ~ '_hyper_' or relname ~ ${tables.source})`;
      await use(sql, async (tables, question) => {
        await sql.unsafe('begin');
        const before = await counts(tables);
        const answer = await question();
        const after = await counts(tables);
        await sql.unsafe('commit');
        const total = (of: typeof after) => of.reduce((sum, { rows }) => sum + rows, 0);
        return { answer, rows: total(after) - total(before), read: after.map(({ name }) => name) };
      });
    });
  }
});

const chunksOf = (sql: Sql, view: string) => sql<{ name: string; is_compressed: boolean }[]>`
  select c.chunk_name as name, c.is_compressed
  from timescaledb_information.chunks c
  join timescaledb_information.continuous_aggregates a
    on (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (c.hypertable_schema, c.hypertable_name)
  where a.view_schema = 'rollup' and a.view_name = ${view}`;
