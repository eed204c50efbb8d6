/** Rules P2, P3, A2 and A3 once more, quarter of an hour by quarter of an hour, to check the database's answers by. */
import { expect } from 'vitest';
import type { ReadingInput } from '../../src/ingest/formats/reading.ts';

const HOUR = 3_600_000;
const QUARTERS = [0, 0.25, 0.5, 0.75];

type Period = { since?: string; until?: string };
type Flag = boolean | Period[] | undefined;
type Sensor = { id: number; stations?: (Period & { id: number })[]; suspicious?: Flag };
type Station = {
  id: number;
  regions: (string | (Period & { slug: string }))[];
  hidden?: Flag;
  is_bad_thp?: Flag;
  sensors: Sensor[];
};
type Hour = { sum: { pm25: number; temperature: number }; weather: number; n: number };

/** Of a network whose periods begin and end on quarters, without formulas. Every sensor has readings in every hour. */
export function expectedHours(
  network: object,
  readings: readonly ReadingInput[],
  { start, hours }: { start: number; hours: number },
) {
  const { stations, regions: all } = network as { stations: Station[]; regions: { slug: string; city?: string }[] };
  const ends = ({ since, until }: Period): [number, number] => [
    since === undefined ? Number.NEGATIVE_INFINITY : (Date.parse(since) - start) / HOUR,
    until === undefined ? Number.POSITIVE_INFINITY : (Date.parse(until) - start) / HOUR,
  ];
  const list = (flag: Flag): [number, number][] => (typeof flag === 'object' ? flag.map(ends) : flag ? [ends({})] : []);
  const holds = (periods: [number, number][], hour: number) =>
    periods.some(([since, until]) => since <= hour && hour < until);
  const up = (periods: [number, number][]) =>
    periods.map(([since, until]): [number, number] => [Math.ceil(since), Math.ceil(until)]);
  const outwards = (periods: [number, number][]) =>
    periods.map(([since, until]): [number, number] => [Math.floor(since), Math.ceil(until)]);

  const sensors = stations.flatMap(({ id, sensors: own }) => own.map((sensor) => ({ stations: [{ id }], ...sensor })));
  /** Where a sensor's readings count at an instant. */
  const addressVariables = ({ stations: stood, suspicious }: (typeof sensors)[number], hour: number) =>
    holds(list(suspicious), hour) ? undefined : stood.find((period) => holds([ends(period)], hour))?.id;
  const ofHour = (sensor: number, hour: number, name: 'pm25' | 'temperature') => {
    const values = readings
      .filter(
        ({ sensorId, measuredAt }) =>
          sensorId === sensor && Math.floor((Date.parse(measuredAt as string) - start) / HOUR) === hour,
      )
      .map((each) => each.values[name] as number);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };

  const ofStations = new Map<string, Hour>();
  const ofRegions = new Map<string, Hour>();
  const add = (to: Map<string, Hour>, key: string, pm25: number, temperature: number | undefined) => {
    const hour = to.get(key) ?? { sum: { pm25: 0, temperature: 0 }, weather: 0, n: 0 };
    hour.n += 1;
    hour.sum.pm25 += pm25;
    hour.sum.temperature += temperature ?? 0;
    if (temperature !== undefined) hour.weather += 1;
    to.set(key, hour);
  };
  for (let hour = 0; hour < hours; hour++) {
    for (const sensor of sensors) {
      const places = new Set(QUARTERS.map((quarter) => addressVariables(sensor, hour + quarter)));
      const [place] = places;
      if (places.size > 1 || place === undefined) continue;
      add(ofStations, `${place} ${hour}`, ofHour(sensor.id, hour, 'pm25'), ofHour(sensor.id, hour, 'temperature'));
    }
    for (const { id, regions, hidden, is_bad_thp } of stations) {
      const station = ofStations.get(`${id} ${hour}`);
      if (station === undefined || holds(up(list(hidden)), hour)) continue;
      const temperature = holds(outwards(list(is_bad_thp)), hour) ? undefined : station.sum.temperature / station.n;
      const slugs = regions.flatMap((region) => {
        const [slug, period] = typeof region === 'string' ? [region, {}] : [region.slug, region];
        const city = all.find((each) => each.slug === slug)?.city ?? slug; // a district implies its city
        return holds(up([ends(period)]), hour) ? [slug, city] : [];
      });
      for (const slug of new Set(slugs)) {
        add(ofRegions, `${slug} ${hour}`, station.sum.pm25 / station.n, temperature);
      }
    }
  }
  const rows = <T>(of: Map<string, Hour>, row: (name: string, hour: Hour) => T) =>
    [...of]
      .map(([key, hour]) => ({ key: key.split(' ') as [string, string], hour }))
      .sort((a, b) => a.key[0].localeCompare(b.key[0]) || Number(a.key[1]) - Number(b.key[1]))
      .map(({ key: [name, n], hour }) => ({
        bucket: new Date(start + Number(n) * HOUR).toISOString().replace('.000Z', '+00:00'),
        pm25: expect.closeTo(hour.sum.pm25 / hour.n, 6),
        ...row(name, hour),
      }));
  return {
    stations: rows(ofStations, (id, { n }) => ({ station_id: Number(id), sensor_count: n })),
    regions: rows(ofRegions, (region_slug, { n, weather, sum }) => ({
      region_slug,
      station_count: n,
      temperature: weather === 0 ? null : expect.closeTo(sum.temperature / weather, 6),
    })),
  };
}
