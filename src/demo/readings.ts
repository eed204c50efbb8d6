/** The invented readings, and as text for COPY. */
import { PARAMETER_NAMES } from '../contract/parameters.ts';
import { type Air, airAt } from './air.ts';
import { type DemoSensor, isMissing, measure, sensorsOf } from './measure.ts';
import type { DemoNetwork } from './network.ts';
import { CITIES } from './places.ts';
import { SITES } from './stations.ts';
import { type Sky, standardOffset } from './weather.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEP = 10 * MINUTE;
const FINE = 7 * DAY;
/** Off the grid of ten minutes: so an instant tells how long its reading lasts. */
const MINUTE_OF_HOURLY = 35;
const OFFLINE = 6 * DAY;

export type DemoReading = { at: number; sensor: DemoSensor; values: number[] };

type Span = { network: DemoNetwork; seed: number; from: Date; to: Date };

/** All readings of one instant at a time, after `from` and up to `to`. */
export function* demoReadings({ network, seed, from, to }: Span): Generator<DemoReading[]> {
  const offset = standardOffset(network.time_zone);
  const places = CITIES.map((city, number) => ({
    sky: { seed, city, number, offset } satisfies Sky,
    sensors: network.stations.filter(({ regions }) => regions.includes(city.slug)).flatMap((at) => sensorsOf(seed, at)),
  }));
  for (const at of demoInstants(from, to)) {
    const isOffline = at > to.getTime() - OFFLINE;
    const readings: DemoReading[] = [];
    for (const { sky, sensors } of places) {
      const air: Air = airAt(sky, at);
      for (const sensor of sensors) {
        if (isOffline && SITES[sensor.station - 1]?.offline === true) continue;
        if (isMissing(seed, sensor.id, at)) continue;
        const minutes = at % STEP === 0 ? 10 : 60;
        readings.push({ at, sensor, values: measure(seed, sensor, air, at, minutes) });
      }
    }
    yield readings;
  }
}

/** When the network measures, after `from` and up to `to`. */
export function* demoInstants(from: Date, to: Date): Generator<number> {
  const fine = Math.floor((to.getTime() - FINE) / HOUR) * HOUR;
  const hourly = MINUTE_OF_HOURLY * MINUTE;
  let at = Math.floor((from.getTime() - hourly) / HOUR) * HOUR + HOUR + hourly;
  for (; at < fine; at += HOUR) yield at;
  at = Math.max(fine, Math.floor(from.getTime() / STEP) * STEP + STEP);
  for (; at <= to.getTime(); at += STEP) yield at;
}

/** The start of two years of history. */
export function demoBeginning(now: Date): Date {
  const start = new Date(now);
  start.setUTCFullYear(start.getUTCFullYear() - 2);
  return start;
}

export const COPY_COLUMNS = ['measured_at', 'sensor_id', ...PARAMETER_NAMES].join(', ');

/** What stands before each value of a sensor's line, and after the last. */
const frames = new WeakMap<DemoSensor, string[]>();

/** The lines of one instant. */
export function copyLines(readings: readonly DemoReading[]): string {
  const [first] = readings;
  if (first === undefined) return '';
  const measured = new Date(first.at).toISOString();
  let text = '';
  for (const { sensor, values } of readings) {
    const frame = frames.get(sensor) ?? frameOf(sensor);
    text += measured;
    for (let n = 0; n < values.length; n++) text += `${frame[n]}${values[n]}`;
    text += frame[values.length];
  }
  return text;
}

function frameOf(sensor: DemoSensor): string[] {
  const frame: string[] = [];
  let gap = `\t${sensor.id}`;
  for (const name of PARAMETER_NAMES) {
    if (sensor.outputs.some((output) => output.name === name)) {
      frame.push(`${gap}\t`);
      gap = '';
    } else {
      gap += '\t\\N';
    }
  }
  frame.push(`${gap}\n`);
  frames.set(sensor, frame);
  return frame;
}
