/**
 * A refresh cuts long changes into windows, one statement each, so that its memory does not grow with the history; a short change is one
 * window. No bucket is lost where windows meet.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEVELS } from '../../src/database/aggregates.ts';
import type { Sql } from '../../src/database/client.ts';
import { refresh } from '../../src/rollups/refresh.ts';
import { bringIn, NOW } from '../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';

type Window = { window_start: string | null; window_end: string | null };

const windowsOf = (sql: Sql, level: string) => {
  const unit = LEVELS.find(({ name }) => name === level)?.unit ?? '';
  return sql<Window[]>`select window_start, window_end from logic.refresh_windows(${level}, ${unit}, null)`;
};

describe.runIf(engines.includes('timescale'))('windows', () => {
  let database: TestDatabase;
  let owner: Sql;
  const starts = () =>
    owner<{ at: string }[]>`
      select c.range_start as at from timescaledb_information.chunks c
      where (c.hypertable_schema, c.hypertable_name) = ('raw', 'readings') order by 1`;
  const wrong = () => owner`select level, bucket, subject from logic.differences('-infinity', 'infinity')`;

  beforeAll(async () => {
    database = await testDatabase('timescale', 'UTC'); // chunks begin at its midnights
    owner = database.as();
    await bringIn(owner, citiesOfOneStation(['town'], { timeZone: 'UTC' }));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 10 from generate_series(timestamptz '2025-10-01', '2026-11-20 11:30', '1 hour') at`;
  });
  afterAll(() => database.drop());

  it('cuts a first build at the start of each chunk', async () => {
    const found = await windowsOf(owner, 'sensor_hourly');
    const cuts = (await starts()).map(({ at }) => at).slice(1);
    expect(cuts.length).toBeGreaterThan(12);
    expect(found).toEqual([null, ...cuts].map((start, n) => ({ window_start: start, window_end: cuts[n] ?? null })));
    await refresh(database.target, NOW);
    expect(await wrong()).toEqual([]);
  });

  it('refreshes the last minutes in one window', async () => {
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 20 from generate_series(timestamptz '2026-11-20 11:31', '2026-11-20 11:35', '1 minute') at`;
    for (const { name } of LEVELS) {
      expect(await windowsOf(owner, name)).toEqual([{ window_start: null, window_end: null }]);
    }
    await refresh(database.target, NOW);
    expect(await wrong()).toEqual([]);
  });

  it.each([
    ['on', '0'],
    ['just before', '1 microsecond'],
  ])('loses no bucket whose row is %s the start of a window', async (_, before) => {
    const chunks = await starts();
    await owner`update raw.readings set pm25 = pm25 + 1
      where measured_at between ${chunks[2]?.at ?? ''} and ${chunks[7]?.at ?? ''}`;
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select c.range_start - ${before}::text::interval, 1, 30 from timescaledb_information.chunks c
      where (c.hypertable_schema, c.hypertable_name) = ('raw', 'readings') and c.range_start > '2025-12-01'
      on conflict (sensor_id, measured_at) do update set pm25 = 30`;
    expect((await windowsOf(owner, 'sensor_hourly')).length).toBeGreaterThan(5);
    await refresh(database.target, NOW);
    expect(await wrong()).toEqual([]);
  });
});
