/**
 * Rules P1 to P3, A1 to A9, Q3 and S5: every bucket of every level matches a literal implementation
 * of the rules: in three zones, of which one on each engine, or in `npm run test:all` in eight on each.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { PARAMETERS, READING_COLUMNS, type ReadingColumn } from '../../src/contract/parameters.ts';
import type { Sql } from '../../src/database/client.ts';
import {
  isAll,
  onEveryEngine,
  onEveryEngineInAll,
  type TestDatabase,
  testDatabase,
} from '../support/database.ts';
import { instantOf } from '../support/localTime.ts';
import { seeded } from '../support/random.ts';
import { compareWithLiteral } from './compareLiteral.ts';
import { HOUR, literalBuckets, type Network, type Reading } from './literal.ts';

type Day = readonly [year: number, month: number, day: number];

const ZONES: Record<string, Day> = {
  'Asia/Yerevan': [2026, 2, 26],
  'America/New_York': [2024, 11, 1],
  'Australia/Adelaide': [2024, 4, 4],
};
/** The last two the simulation always covers (lab/sim/simulation.test.ts). */
const OTHER_ZONES: Record<string, Day> = {
  UTC: [2024, 2, 27],
  'Asia/Kolkata': [2024, 2, 27],
  'Asia/Kathmandu': [2024, 2, 27],
  'Europe/Berlin': [2024, 3, 29],
  'America/Asuncion': [2023, 9, 28],
};
const SENSORS = [11, 12, 13, 21, 31];
const ALWAYS = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

for (const [zone, [year, month, day]] of Object.entries({
  ...ZONES,
  ...(isAll ? OTHER_ZONES : {}),
})) {
  const onEngines = zone === 'Australia/Adelaide' ? onEveryEngine : onEveryEngineInAll;
  onEngines(`the aggregates in ${zone}`, (engine) => {
    let database: TestDatabase;
    let owner: Sql;
    const start = instantOf(zone, year, month, day);
    const network = makeNetwork(start);
    const readings = makeReadings(start);

    beforeAll(async () => {
      database = await testDatabase(engine, zone);
      owner = database.as('airseries_owner', 'UTC');
      await insertNetwork(owner, network);
      await insertReadings(owner, readings);
      await refresh(database.target, () => new Date(start));
    });
    afterAll(() => database.drop());

    it('the aggregates have the buckets that the rules give, and no others (A9)', async () => {
      const expected = literalBuckets(zone, readings, network);
      const { wrong, compared } = await compareWithLiteral(owner, expected);
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(compared).toBeGreaterThan(10_000);
    });

    it('the aggregates match the oracle', async () => {
      expect(await owner`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
    });
  });
}

/**
 * Periods that begin or end within an hour: sensors move, are corrected and are suspicious, a
 * station changes its region, one is hidden, and some are flagged.
 */
function makeNetwork(start: number): Network {
  const at = (hours: number) => start + hours * HOUR;
  return {
    placed: [
      { sensor: 11, station: 1, ...ALWAYS },
      { sensor: 12, station: 1, ...ALWAYS, until: at(50.25) },
      { sensor: 12, station: 2, ...ALWAYS, since: at(50.25) },
      { sensor: 13, station: 1, ...ALWAYS },
      { sensor: 21, station: 2, ...ALWAYS },
      { sensor: 31, station: 3, since: at(10), until: at(100) },
    ],
    suspicious: [
      { sensor: 11, since: at(20.5), until: at(30) },
      { sensor: 21, since: at(70.1), until: at(70.2) },
    ],
    corrected: [
      { sensor: 11, ...ALWAYS },
      { sensor: 13, since: at(40.3), until: at(90) },
      { sensor: 31, ...ALWAYS, until: at(60.7) },
    ],
    regions: [
      { station: 1, region: 'north', ...ALWAYS },
      { station: 2, region: 'north', ...ALWAYS, until: at(60.4) },
      { station: 2, region: 'south', ...ALWAYS, since: at(60.4) },
      { station: 3, region: 'south', ...ALWAYS },
    ],
    hidden: [{ station: 3, since: at(80.5), until: at(85.5) }],
    flagged: [
      { station: 1, kind: 'thp', since: at(33.2), until: at(36.8) },
      { station: 1, kind: 'pm', since: at(35.2), until: at(40.8) },
      { station: 2, kind: 'thp', since: at(110), until: Number.POSITIVE_INFINITY },
      { station: 3, kind: 'pm', since: at(70.5), until: at(90) },
    ],
  };
}

/**
 * Six days with every parameter, irregular intervals, gaps, and rows exactly on hours and
 * midnights.
 */
function makeReadings(start: number): Reading[] {
  const random = seeded(7);
  const readings = new Map<string, Reading>();
  for (const sensor of SENSORS) {
    // hours in which a period of the network begins or ends
    for (const hour of [20, 50, 70])
      readings.set(`${sensor} edge ${hour}`, {
        at: start + (hour + 0.1) * HOUR + 1,
        sensor,
        values: makeValues(random),
      });
    for (
      let at = start;
      at < start + 144 * HOUR;
      at += random.pick([10, 20, 60, 60, 180, 600]) * 60_000
    ) {
      readings.set(`${sensor} ${at}`, { at, sensor, values: makeValues(random) });
    }
  }
  return [...readings.values()];
}

function makeValues(random: ReturnType<typeof seeded>): Reading['values'] {
  const values = PARAMETERS.filter(() => random.next() < 0.7).map(
    ({ name, low, high }): [ReadingColumn, number] => {
      const value =
        Math.max(low, -50) + random.next() * (Math.min(high, low + 500) - Math.max(low, -50));
      return [name, Math.fround(Math.round(value * 10) / 10)];
    },
  );
  if (random.next() < 0.1) values.push(['wind_speed', 0]);
  if (random.next() < 0.3) values.push(['rain_total', Math.round(random.next() * 400)]);
  return Object.fromEntries(values);
}

async function insertNetwork(owner: Sql, network: Network): Promise<void> {
  await owner`insert into raw.provider (id, title) values ('p', 'P')`;
  await owner`insert into raw.region (slug, kind, title, map_latitude, map_longitude)
    values ('north', 'city', '{}', 0, 0), ('south', 'city', '{}', 0, 0)`;
  await owner`insert into raw.station (id, provider_id, title, latitude, longitude)
    select id, 'p', '{}', 0, 0 from generate_series(1, 3) id`;
  await owner`insert into raw.sensor (id) select unnest(${`{${SENSORS}}`}::text::int[])`;
  const at = (instant: number) => {
    if (instant === Number.NEGATIVE_INFINITY) return '-infinity';
    if (instant === Number.POSITIVE_INFINITY) return 'infinity';
    return new Date(instant).toISOString();
  };
  const insert = async (
    table: string,
    rows: readonly { since: number; until: number }[],
    more: object = {},
  ) => {
    for (const { since, until, ...keys } of rows) {
      const named = Object.fromEntries(
        Object.entries(keys).map(([key, value]) => [KEYS[key] ?? key, value]),
      );
      await owner`insert into ${owner(`raw.${table}`)} ${owner({ ...named, ...more, since: at(since), until: at(until) })}`;
    }
  };
  await insert('sensor_station', network.placed);
  await insert('suspicious_period', network.suspicious);
  await insert('correction', network.corrected, { formula: 'epa-2021' });
  await insert('station_region', network.regions);
  await insert('hidden_period', network.hidden);
  await insert('flag_period', network.flagged);
  await owner`select logic.apply_periods()`;
}

const KEYS: Readonly<Record<string, string>> = {
  sensor: 'sensor_id',
  station: 'station_id',
  region: 'region_slug',
};

async function insertReadings(owner: Sql, readings: readonly Reading[]): Promise<void> {
  const rows = readings.map(({ at, sensor, values }) => ({
    measured_at: new Date(at).toISOString(),
    sensor_id: sensor,
    ...Object.fromEntries(
      READING_COLUMNS.map(({ name }) => [name, values[name as ReadingColumn] ?? null]),
    ),
    rain_given: values.rain_total === undefined ? null : (values.rain ?? null),
  }));
  for (let from = 0; from < rows.length; from += 500)
    await owner`insert into raw.readings ${owner(rows.slice(from, from + 500))}`;
  await owner`insert into raw.rain_gauge select id from raw.sensor`;
  await owner`select logic.derive_rain(array_agg(sensor_id), array_agg(extract(epoch from measured_at)::float8 * 1e6))
    from raw.readings`;
}
