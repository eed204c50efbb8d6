/**
 * A database of the simulation by the literal rules (aggregate/literal.ts,
 * network/suspect/literal.ts): its buckets, the particles that a screening finds suspect (C9), and
 * the rules of its zone (Z5). Some inputs are read from the database, since nothing else has them:
 * sensor hours whose readings were deleted, amounts of rain (which are compared by themselves),
 * flags of temperature, humidity and pressure that screening found, and earlier periods of
 * particles.
 */
import { PARAMETER_NAMES } from '../../../src/contract/parameters.ts';
import type { Sql } from '../../../src/database/client.ts';
import { compareWithLiteral } from '../../aggregate/compareLiteral.ts';
import {
  type Bucket,
  HOUR,
  HOUR_COLUMNS,
  type Network as LiteralNetwork,
  literalBuckets,
  literalOffsets,
  type Reading,
  stationOf,
} from '../../aggregate/literal.ts';
import { type Hour, type Suspect, suspectPeriods } from '../../network/suspect/literal.ts';
import { bucketStart } from '../../support/localTime.ts';
import { CITY, DISTRICT, FIRST, KINDS, type Network, type Period, STATIONS } from './network.ts';

/** Milliseconds since 1970; an end that is not given is infinite. */
const bounds = ({ since, until }: Period) => ({
  since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
  until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
});

/** The periods of all stations or sensors, with the id of each. */
const periodsOf = <P extends Period>(
  lists: Readonly<Record<number, readonly P[]>>,
): { of: number; period: P; since: number; until: number }[] =>
  Object.entries(lists).flatMap(([id, periods]) =>
    periods.map((period) => ({ of: Number(id), period, ...bounds(period) })),
  );

/** `screened`: periods that screening found, in which regions leave a station out. */
function literalNetwork(
  network: Network,
  screened: readonly { station: number; kind: 'thp' | 'pm'; since: number; until: number }[],
): LiteralNetwork {
  const placed = periodsOf({ ...FIRST.placed, ...network.placed })
    .map(({ of, period, since, until }) => ({ sensor: of, station: period.id, since, until }))
    .sort((a, b) => a.since - b.since);
  // adjoining ones at a station are one (P2)
  const joined = placed.filter((one) => {
    const before = placed.find(
      (other) =>
        other.sensor === one.sensor && other.station === one.station && other.until === one.since,
    );
    if (before !== undefined) before.until = one.until;
    return before === undefined;
  });
  const flags = (kind: 'thp' | 'pm', lists: Network['bad_thp']) =>
    periodsOf(lists).map(({ of, since, until }) => ({ station: of, kind, since, until }));
  return {
    placed: joined,
    suspicious: periodsOf(network.suspicious).map(({ of, since, until }) => {
      return { sensor: of, since, until };
    }),
    corrected: periodsOf(network.corrected)
      .filter(({ period }) => period.formula !== 'none')
      .map(({ of, since, until }) => ({ sensor: of, since, until })),
    // a station of a district is one of its city
    regions: periodsOf({ ...FIRST.regions, ...network.regions }).flatMap(
      ({ of, period, since, until }) =>
        (period.slug === DISTRICT ? [DISTRICT, CITY] : [period.slug]).map((region) => {
          return { station: of, region, since, until };
        }),
    ),
    hidden: periodsOf(network.hidden).map(({ of, since, until }) => {
      return { station: of, since, until };
    }),
    flagged: [...flags('thp', network.bad_thp), ...flags('pm', network.bad_pm ?? {}), ...screened],
  };
}

type Stored = Suspect & { kind: 'thp' | 'pm' };

const storedPeriods = async (sql: Sql) => [
  ...(await sql<Stored[]>`
    select station_id as station, kind, reason, extract(epoch from since)::float8 * 1000 as since,
      extract(epoch from until)::float8 * 1000 as until,
      (select jsonb_agg(extract(epoch from h)::float8 * 1000 order by h) from unnest(hours) h) as hours
    from raw.screened_period`),
];

/** All buckets, by the readings and the network; the aggregates need not be refreshed. */
async function bucketsOf(
  sql: Sql,
  zone: string,
  network: LiteralNetwork,
): Promise<Map<string, Bucket>> {
  const readings = await sql<(Bucket & { sensor: number; at: number })[]>`
    select sensor_id as sensor, extract(epoch from measured_at)::float8 * 1000 as at, ${sql(PARAMETER_NAMES)}
    from raw.readings where measured_at >= (select retained_from from raw.installation)`;
  const kept = await sql<(Bucket & { sensor: number; at: number })[]>`
    select sensor_id as sensor, extract(epoch from bucket)::float8 * 1000 as at, ${sql(HOUR_COLUMNS)}
    from rollup.sensor_hourly where bucket < (select retained_from from raw.installation)`;
  return literalBuckets(
    zone,
    readings.map(({ sensor, at, ...values }): Reading => {
      // stored as 4-byte floats
      const given = Object.entries(values).flatMap(([name, value]) =>
        value === null ? [] : [[name, Math.fround(value)]],
      );
      return { sensor, at: Math.round(at), values: Object.fromEntries(given) };
    }),
    network,
    kept.map(({ sensor, at, ...values }) => ({ sensor, at, values })),
  );
}

/** Buckets that are not as the rules say. With `isOther` definitions, rain is another. */
export async function wrongBuckets(
  sql: Sql,
  zone: string,
  network: Network,
  isOther: boolean,
): Promise<string[]> {
  const screened = await storedPeriods(sql);
  const expected = await bucketsOf(
    sql,
    zone,
    literalNetwork(
      network,
      screened.filter(({ hours }) => hours === null),
    ),
  );
  const options = isOther ? { but: 'rain' } : {};
  return (await compareWithLiteral(sql, expected, options)).wrong;
}

/** C9: the periods of particles after a screening, as `storedSuspects` has them. */
export async function expectedSuspects(
  sql: Sql,
  zone: string,
  network: Network,
  { since, at }: { since: number; at: number },
): Promise<string[]> {
  const place = literalNetwork(network, []);
  const buckets = await bucketsOf(sql, zone, place);
  const stationHours: Hour[] = [];
  const sensorHours: Hour[] = [];
  for (const [key, bucket] of buckets) {
    const [level, id, start] = key.split(' ') as [string, string, string];
    const hour = {
      at: Number(start),
      pm25: bucket.pm25 ?? null,
      measured: bucket.pm25_raw ?? bucket.pm25 ?? null,
      pm10: bucket.pm10 ?? null,
    };
    if (level === 'station_hourly') stationHours.push({ station: Number(id), ...hour });
    if (level !== 'sensor_hourly') continue;
    const station = stationOf(place, Number(id), hour.at);
    if (station !== undefined)
      sensorHours.push({ station, sensor: Number(id), kind: KINDS[Number(id)] ?? null, ...hour });
  }
  const floor = (instant: number) =>
    Number.isFinite(instant) ? bucketStart(zone, 'hour', instant) : instant;
  const recorded = (await storedPeriods(sql)).filter(({ kind }) => kind === 'pm');
  const found = suspectPeriods(
    {
      stationHours,
      sensorHours,
      places: STATIONS.map((id) => ({ id, latitude: 0, longitude: 0 })),
      flagged: place.flagged
        .filter(({ kind }) => kind === 'pm')
        .map((flag) => ({
          station: flag.station,
          since: floor(flag.since),
          until: floor(flag.until + HOUR - 1),
        })),
      recorded,
    },
    since,
    floor(at),
  );
  const isKept = (period: Suspect) =>
    period.until <= since - 24 * HOUR ||
    !stationHours.some((hour) => hour.station === period.station && hour.at >= period.since);
  return [...recorded.filter(isKept), ...found].map(inWords).sort();
}

export const storedSuspects = async (sql: Sql): Promise<string[]> =>
  (await storedPeriods(sql))
    .filter(({ kind }) => kind === 'pm')
    .map(inWords)
    .sort();

const inWords = ({ station, reason, since, until, hours }: Suspect) =>
  `${station} ${reason} from ${inUtc(since)} to ${inUtc(until)}, hours ${hours ?? 'left out'}`;

const inUtc = (instant: number) =>
  Number.isFinite(instant) ? new Date(instant).toISOString() : 'on';

/**
 * Z5: the recorded changes of the offset until `until` that are not ICU's. Later ones are not
 * compared: only one of the two may know a law of next year.
 */
export async function wrongOffsets(sql: Sql, zone: string, until: number): Promise<string[]> {
  const recorded = await sql<{ since: number; offset: number }[]>`
    select extract(epoch from since)::float8 * 1000 as since, extract(epoch from utc_offset)::float8 * 1000 as offset
    from (select *, lag(utc_offset) over (order by since) as before from raw.zone_offset) z
    where since < ${new Date(until)} and before is distinct from utc_offset order by since`;
  const expected = literalOffsets(zone, recorded[0]?.since ?? until, until);
  const words = ({ since, offset }: { since: number; offset: number }) =>
    `${inUtc(since)}: ${offset / HOUR} h`;
  const known = new Set(expected.map(words));
  const found = new Set(recorded.map(words));
  return [
    ...[...found].filter((one) => !known.has(one)).map((one) => `recorded ${one}`),
    ...[...known].filter((one) => !found.has(one)).map((one) => `not recorded ${one}`),
  ];
}
