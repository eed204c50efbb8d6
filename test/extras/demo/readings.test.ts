/**
 * The invented air: reproducible, within the bounds of every instrument, with gaps and an offline
 * station.
 */
import { expect, it } from 'vitest';
import { PARAMETERS, type ParameterName } from '../../../src/contract/parameters.ts';
import { demoNetwork, OFFLINE_STATION as OFFLINE } from '../../../src/extras/demo/network.ts';
import {
  type DemoReading,
  demoInstants,
  demoReadings,
  standardOffset,
} from '../../../src/extras/demo/readings.ts';

const whole = demoNetwork('Asia/Yerevan');
/** The first station of each kind of sensor, and the two that are not as others. */
const network = {
  ...whole,
  stations: whole.stations.filter(
    ({ id, is_bad_thp, sensors }, n) =>
      id === OFFLINE ||
      is_bad_thp ||
      sensors.some(({ kind }) =>
        whole.stations
          .slice(0, n)
          .every((one) => one.sensors.every((other) => other.kind !== kind)),
      ),
  ),
};
const now = new Date('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const FLAGGED = network.stations.find(({ is_bad_thp }) => is_bad_thp)?.id;

function readings(from: number, to: number): DemoReading[] {
  return [...demoReadings({ network, from: new Date(from), to: new Date(to) })].flat();
}
const bare = (list: DemoReading[]) =>
  list.map(({ at, sensorId, values }) => [at, sensorId, values]);
const withoutOffline = (list: DemoReading[]) =>
  list.filter(({ station }) => station.id !== OFFLINE);

function valuesOf(list: DemoReading[], name: ParameterName): number[] {
  return list.flatMap(({ values }) => values[name] ?? []);
}
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const year = readings(now.getTime() - 365 * DAY, now.getTime());

it('demo readings are hourly, and every ten minutes in the last week', () => {
  const instants = [...demoInstants({ from: new Date(now.getTime() - 30 * DAY), to: now, now })];
  const steps = instants.slice(1).map((at, n) => (at - (instants[n] ?? 0)) / 60_000);
  // 25 minutes once, from the hourly minute to the first full hour
  expect(new Set(steps)).toEqual(new Set([60, 25, 10]));
  expect(steps.filter((step) => step === 25)).toHaveLength(1);
  expect(instants.filter((at) => at % (10 * 60_000) !== 0)).toHaveLength(23 * 24);
  expect(instants.at(-1)).toBe(now.getTime());
});

it('demo readings are the same from the feed as in a later history', () => {
  const start = now.getTime() - 2 * DAY;
  const middle = start + 26 * HOUR + 7 * 60_000;
  const fed = [...readings(start, middle), ...readings(middle, now.getTime())];
  expect(bare(withoutOffline(fed))).toEqual(bare(withoutOffline(readings(start, now.getTime()))));
});

it('demo readings are within the bounds of their parameters, with at most two decimals', () => {
  for (const { name, low, high } of PARAMETERS) {
    const values = valuesOf(year, name);
    expect(values.length, name).toBeGreaterThan(5_000);
    expect(
      values.filter((value) => !(value >= low && value <= high) || Object.is(value, -0)),
      name,
    ).toEqual([]);
    expect(
      values.filter((value) => Math.abs(value * 100 - Math.round(value * 100)) > 1e-6),
      name,
    ).toEqual([]);
  }
});

it('demo readings have gaps of hours, an offline station, and a flagged one with implausible weather', () => {
  const sensor = network.stations[0]?.sensors[0]?.id;
  const times = year.filter((reading) => reading.sensorId === sensor).map(({ at }) => at);
  const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
  expect(Math.max(...gaps)).toBeGreaterThanOrEqual(4 * HOUR);
  expect(times.length).toBeGreaterThan(0.9 * 9_600);

  const last = Math.max(
    ...year.filter((reading) => reading.station.id === OFFLINE).map(({ at }) => at),
  );
  expect((now.getTime() - last) / DAY).toBeGreaterThanOrEqual(6);
  expect((now.getTime() - last) / DAY).toBeLessThan(7);

  const flagged = year.filter(({ station }) => station.id === FLAGGED);
  expect(mean(valuesOf(flagged, 'temperature'))).toBeGreaterThan(25);
});

it('the standard offset of a zone is its winter time in both hemispheres', () => {
  expect(standardOffset('Europe/Berlin') / HOUR).toBe(1);
  expect(standardOffset('Australia/Sydney') / HOUR).toBe(10);
  expect(standardOffset('America/New_York') / HOUR).toBe(-5);
  expect(standardOffset('Asia/Yerevan') / HOUR).toBe(4);
  expect(standardOffset('UTC')).toBe(0);
});
