/** Old readings are compressed on TimescaleDB, and later changes to them still reach the aggregates. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { maintain, refresh } from '../../src/rollups/refresh.ts';
import { bringIn, keepingLog, smallNetwork } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { openTransaction } from '../support/openTransaction.ts';

const now = new Date('2026-11-20T09:00:00Z');

onEveryEngine('maintain', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await bringIn(owner, smallNetwork());
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 5 from generate_series(timestamptz '2026-07-01 00:00+04', '2026-11-20 12:00+04', '1 hour') at`;
    await refresh(database.target, now);
    await maintain(database.target, now);
  });
  afterAll(() => database.drop());

  const COMPRESSED = ['readings', 'sensor_hourly', 'station_hourly', 'region_hourly'];
  const chunks = () => owner<
    { name: string; relation: string; is_compressed: boolean; is_stale: boolean; old: boolean }[]
  >`
    select coalesce(a.view_name, c.hypertable_name) as name, format('%I.%I', c.chunk_schema, c.chunk_name) as relation, c.is_compressed, r.is_stale, c.range_end < ${now}::timestamptz - interval '7 days' as old
    from timescaledb_information.chunks c
    join logic.compressible_chunk r using (chunk_schema, chunk_name)
    left join timescaledb_information.continuous_aggregates a on a.materialization_hypertable_name = c.hypertable_name`;

  it.runIf(engine === 'timescale')('compresses chunks that ended more than a week ago, and no others', async () => {
    const all = await chunks();
    for (const name of COMPRESSED)
      expect(all.filter((chunk) => chunk.name === name && chunk.old).length).toBeGreaterThan(2);
    expect(all.filter(({ is_compressed, is_stale, old }) => is_compressed !== old || is_stale === old)).toEqual([]);
  });

  it('may be repeated at any time', async () => {
    await maintain(database.target, now);
  });

  it.each([
    [
      'a late reading',
      `insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-07-02 10:20+04', 1, 15)`,
      10,
    ],
    ['a correction', `update raw.readings set pm25 = 25 where measured_at = '2026-07-02 10:00+04'`, 20],
    ['a deletion', `delete from raw.readings where measured_at = '2026-07-02 10:00+04'`, 15],
  ])('%s in an old month reaches the aggregates', async (_, statement, expected) => {
    await owner.unsafe(statement);
    await refresh(database.target, now);
    expect(await owner`select pm25 from rollup.station_hourly where bucket = '2026-07-02 10:00+04'`).toEqual([
      { pm25: expected },
    ]);
    expect(await owner`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
  });

  it.runIf(engine === 'timescale')(
    'goes on with the others if a chunk is being written to, and comes back to it',
    async () => {
      await owner`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-07-02 10:30+04', 1, 15), ('2026-08-20 10:30+04', 1, 15)`;
      await refresh(database.target, now);
      const [busy, other] = (await chunks()).filter(
        ({ name, is_stale, old }) => name === 'readings' && is_stale && old,
      );
      expect(other).toBeDefined();
      const end = await openTransaction(database.superuser(), `lock table ${busy?.relation} in access exclusive mode`);
      const { lines, ...log } = keepingLog();
      await maintain(database.target, now, { log, terminal: false });
      expect(
        lines.map(({ message }) => message).filter((line) => line.includes('left for the next time')),
      ).toHaveLength(1);
      await end('rollback');
      const stale = (await chunks()).filter(({ is_stale, old }) => is_stale && old);
      expect(stale.map(({ relation }) => relation)).toContain(busy?.relation);
      await maintain(database.target, now);
      expect((await chunks()).filter(({ is_stale, old }) => is_stale && old)).toEqual([]);
      await owner`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-07-02 10:25+04', 1, 15), ('2026-08-20 10:25+04', 1, 15)`;
      await refresh(database.target, now);
    },
  );

  it.runIf(engine === 'timescale')('compresses chunks with late rows again', async () => {
    expect((await chunks()).filter(({ is_compressed, is_stale }) => is_compressed && is_stale).length).toBeGreaterThan(
      0,
    );
    await maintain(database.target, now);
    expect((await chunks()).filter(({ is_stale, old }) => is_stale && old)).toEqual([]);
    expect(await owner`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
  });
});
