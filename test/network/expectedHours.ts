/**
 * The hours of a network file by the literal rules (test/aggregate/literal.ts), to check the
 * database's answers by.
 */
import { expect } from 'vitest';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import { type Bucket, literalBuckets, type Network } from '../aggregate/literal.ts';

type Period = { since?: string; until?: string };
type Flag = boolean | Period[] | undefined;
type Sensor = { id: number; stations?: (Period & { id: number })[]; suspicious?: Flag };
type Station = {
  id: number;
  regions: (string | (Period & { slug: string }))[];
  hidden?: Flag;
  is_bad_thp?: Flag;
  is_bad_pm?: Flag;
  sensors: Sensor[];
};
type File = { time_zone: string; stations: Station[]; regions: { slug: string; city?: string }[] };

const ends = ({ since, until }: Period) => ({
  since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
  until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
});
const list = (flag: Flag) => {
  if (typeof flag === 'object') return flag.map(ends);
  return flag === true ? [ends({})] : [];
};

/** Placements that follow each other at one station are one period: nothing changes in between. */
function placedOf({ id: sensor, stations = [] }: Sensor): Network['placed'] {
  const placed: Network['placed'] = [];
  for (const period of stations) {
    const next = { sensor, station: period.id, ...ends(period) };
    const last = placed.at(-1);
    if (last?.station === next.station && last.until === next.since) last.until = next.until;
    else placed.push(next);
  }
  return placed;
}

function networkOf({ stations, regions }: File): Network {
  const sensors = stations.flatMap(({ id, sensors: own }) =>
    own.map((sensor) => ({ stations: [{ id }], ...sensor })),
  );
  const ofStations = (flag: 'hidden' | 'is_bad_thp' | 'is_bad_pm') =>
    stations.flatMap((one) => list(one[flag]).map((period) => ({ station: one.id, ...period })));
  return {
    placed: sensors.flatMap(placedOf),
    suspicious: sensors.flatMap((one) =>
      list(one.suspicious).map((period) => ({ sensor: one.id, ...period })),
    ),
    corrected: [],
    regions: stations.flatMap(({ id, regions: own }) =>
      own.flatMap((given) => {
        const { slug, ...period } = typeof given === 'string' ? { slug: given } : given;
        // a district implies its city
        const city = regions.find((each) => each.slug === slug)?.city ?? slug;
        return [slug, city].map((region) => ({ station: id, region, ...ends(period) }));
      }),
    ),
    hidden: ofStations('hidden'),
    flagged: (['thp', 'pm'] as const).flatMap((kind) =>
      ofStations(`is_bad_${kind}`).map((period) => ({ ...period, kind })),
    ),
  };
}

const close = (value: number | null | undefined) =>
  value == null ? null : expect.closeTo(value, 6);

/** The hours of a network without formulas. */
export function expectedHours(network: object, readings: readonly ReadingInput[]) {
  const file = network as File;
  const measured = readings.map(({ sensorId, measuredAt, values }) => ({
    at: Date.parse(measuredAt as string),
    sensor: sensorId as number,
    values: values as Record<string, number>,
  }));
  const buckets = [...literalBuckets(file.time_zone, measured, networkOf(file))];
  const hours = <T>(level: string, row: (name: string, bucket: Bucket) => T) =>
    buckets
      .map(([key, bucket]) => ({ key: key.split(' ') as [string, string, string], bucket }))
      .filter(({ key }) => key[0] === level)
      .sort(({ key: a }, { key: b }) => a[1].localeCompare(b[1]) || Number(a[2]) - Number(b[2]))
      .map(({ key: [, name, at], bucket }) => ({
        bucket: new Date(Number(at)).toISOString().replace('.000Z', '+00:00'),
        pm25: close(bucket.pm25),
        ...row(name, bucket),
      }));
  return {
    stations: hours('station_hourly', (id, { sensor_count }) => ({
      station_id: Number(id),
      sensor_count,
    })),
    regions: hours('region_hourly', (region_slug, { station_count, temperature }) => ({
      region_slug,
      station_count,
      temperature: close(temperature),
    })),
  };
}
