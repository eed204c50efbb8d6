/** Rules A1 to A9: every bucket of every level against a literal reading of the rules, in five zones. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { METRIC_NAMES, METRICS, type MetricName } from '../../src/contract/metrics.ts';
import type { Sql } from '../../src/database/connect.ts';
import { refresh } from '../../src/database/refresh.ts';
import { LEVELS } from '../../src/database/rollups.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { instantOf } from '../support/localTime.ts';
import { seeded } from '../support/random.ts';
import { HOUR, literalBuckets, type Membership, type Reading } from './literal.ts';

const ZONES = {
  'Asia/Yerevan': [2026, 2, 26],
  'Europe/Berlin': [2024, 3, 29],
  'America/New_York': [2024, 11, 1],
  UTC: [2024, 2, 27],
  'America/Asuncion': [2023, 9, 28],
} as const;
const PLACED: Record<number, number> = { 11: 1, 12: 1, 21: 2, 31: 3 };

for (const [zone, [year, month, day]] of Object.entries(ZONES)) {
  onEveryEngine(`definitions in ${zone}`, (engine) => {
    let database: TestDatabase;
    let owner: Sql;
    const start = instantOf(zone, year, month, day);
    const memberships: Membership[] = [
      { station: 1, region: 'north', since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY },
      { station: 2, region: 'north', since: Number.NEGATIVE_INFINITY, until: start + 60 * HOUR },
      { station: 2, region: 'south', since: start + 60 * HOUR, until: Number.POSITIVE_INFINITY },
    ];
    const readings = someReadings(start);

    beforeAll(async () => {
      database = await testDatabase(engine, zone);
      owner = database.as('airseries_owner', 'UTC');
      await insertNetwork(owner, memberships);
      await insertReadings(owner, readings);
      await refresh(database.target, new Date(start));
    });
    afterAll(() => database.drop());

    it('has the buckets that the rules give, and no others (A9)', async () => {
      const expected = literalBuckets(zone, readings, memberships);
      const wrong: string[] = [];
      let compared = 0;
      for (const { name, keys, unit } of LEVELS.filter((level) => level.name !== 'sensor_hourly')) {
        expect(unit).toMatch(/hour|day|month/);
        for (const row of await owner`select * from ${owner(`rollup.${name}`)}`) {
          const key = `${name} ${row[keys[0] as string]} ${Date.parse(row.bucket)}`;
          const bucket = expected.get(key);
          expected.delete(key);
          if (bucket === undefined) wrong.push(`${key}: surplus`);
          for (const [column, value] of Object.entries(bucket ?? {})) {
            compared++;
            if (!close(row[column], value)) wrong.push(`${key} ${column}: ${row[column]} is not ${value}`);
          }
        }
      }
      expect(wrong).toEqual([]);
      expect([...expected.keys()]).toEqual([]);
      expect(compared).toBeGreaterThan(5_000);
    });

    it('gives the same answer to the oracle', async () => {
      expect(await owner`select * from rollup.differences('-infinity', 'infinity')`).toEqual([]);
    });
  });
}

/** A9: null is null, not nearly 0; everything else as A10 says. */
function close(stored: unknown, expected: number | null): boolean {
  if (expected === null || stored === null) return stored === expected;
  return Math.abs(Number(stored) - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
}

/** Six days with every metric, irregular intervals, gaps, suspect readings, and rows exactly on hours and midnights. */
function someReadings(start: number): Reading[] {
  const random = seeded(7);
  const readings = new Map<string, Reading>();
  for (const [sensor, station] of Object.entries(PLACED)) {
    for (let at = start; at < start + 144 * HOUR; at += random.pick([10, 20, 60, 60, 180, 600]) * 60_000) {
      const quality = random.pick([0, 0, 0, 0, 0, 1, 2] as const);
      readings.set(`${sensor} ${at}`, { at, sensor: Number(sensor), station, quality, values: someValues(random) });
    }
  }
  return [...readings.values()];
}

function someValues(random: ReturnType<typeof seeded>): Partial<Record<MetricName, number>> {
  const values = METRICS.filter(() => random.next() < 0.7).map(({ name, low, high }) => {
    const value = Math.max(low, -50) + random.next() * (Math.min(high, low + 500) - Math.max(low, -50));
    return [name, Math.fround(Math.round(value * 10) / 10)];
  });
  return Object.fromEntries(values);
}

async function insertNetwork(owner: Sql, memberships: readonly Membership[]): Promise<void> {
  await owner`insert into raw.provider (id, title) values ('p', 'P')`;
  await owner`insert into raw.region (slug, kind, title, map_latitude, map_longitude)
    values ('north', 'city', '{}', 0, 0), ('south', 'city', '{}', 0, 0)`;
  await owner`insert into raw.station (id, provider_id, title, latitude, longitude)
    select id, 'p', '{}', 0, 0 from generate_series(1, 3) id`;
  for (const { station, region, since, until } of memberships) {
    const at = (instant: number) =>
      Number.isFinite(instant) ? new Date(instant).toISOString() : instant < 0 ? '-infinity' : 'infinity';
    await owner`insert into raw.membership values (${station}, ${region}, ${at(since)}, ${at(until)})`;
  }
}

async function insertReadings(owner: Sql, readings: readonly Reading[]): Promise<void> {
  const rows = readings.map(({ at, sensor, station, quality, values }) => ({
    measured_at: new Date(at).toISOString(),
    sensor_id: sensor,
    station_id: station,
    quality,
    ...Object.fromEntries(METRIC_NAMES.map((name) => [name, values[name] ?? null])),
  }));
  for (let from = 0; from < rows.length; from += 500)
    await owner`insert into raw.readings ${owner(rows.slice(from, from + 500))}`;
}
