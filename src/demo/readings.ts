/** The invented readings of the demo network, also as text for COPY. */
import { PARAMETER_NAMES } from '../contract/parameters.ts';
import { airAt } from './air.ts';
import { type DemoSensor, isMissing, measure, sensorsOf } from './measure.ts';
import { CITIES, type DemoNetwork, OFFLINE_STATION } from './network.ts';
import { type Sky, standardOffset } from './weather.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The last week has a reading every ten minutes, earlier ones every hour. */
const FINE = 7 * DAY;
const FINE_STEP = 10 * MINUTE;
/** Hourly readings are off the ten-minute grid, so the instant alone tells which period a reading covers. */
const HOURLY_AT = 35 * MINUTE;
/** How long the offline station has been offline. */
const OFFLINE = 6 * DAY;

/** `at`: ms since 1970. `values`: one per channel of the sensor. */
export type DemoReading = { at: number; sensor: DemoSensor; values: number[] };

/** `now` decides which readings are fine; default: `to`. */
type Span = { network: DemoNetwork; seed: number; from: Date; to: Date; now?: Date };

/** All readings after `from` and up to `to`, one instant at a time. The same seed and span always give the same readings. */
export function* demoReadings({ network, seed, from, to, now = to }: Span): Generator<DemoReading[]> {
  const offset = standardOffset(network.time_zone);
  const cities = CITIES.map((city, number) => ({
    sky: { seed, city, number, offset } satisfies Sky,
    sensors: network.stations
      .filter(({ regions }) => regions.includes(city.slug))
      .flatMap((station) => sensorsOf(seed, station)),
  }));
  for (const at of demoInstants({ from, to, now })) {
    const isRecent = at > now.getTime() - OFFLINE;
    const readings: DemoReading[] = [];
    for (const { sky, sensors } of cities) {
      const air = airAt(sky, at);
      for (const sensor of sensors) {
        if (isRecent && sensor.station === OFFLINE_STATION) continue;
        if (isMissing(seed, sensor.id, at)) continue;
        const minutes = at % FINE_STEP === 0 ? 10 : 60;
        readings.push({ at, sensor, values: measure(seed, sensor, air, at, minutes) });
      }
    }
    yield readings;
  }
}

/** The instants of measurement after `from` and up to `to`, in ms since 1970. */
export function* demoInstants({ from, to, now }: { from: Date; to: Date; now: Date }): Generator<number> {
  const fine = Math.floor((now.getTime() - FINE) / HOUR) * HOUR;
  let at = Math.floor((from.getTime() - HOURLY_AT) / HOUR) * HOUR + HOUR + HOURLY_AT;
  for (; at < Math.min(fine, to.getTime()); at += HOUR) yield at;
  at = Math.max(fine, Math.floor(from.getTime() / FINE_STEP) * FINE_STEP + FINE_STEP);
  for (; at <= to.getTime(); at += FINE_STEP) yield at;
}

/** Two years before `now`. */
export function startOfHistory(now: Date): Date {
  const start = new Date(now);
  start.setUTCFullYear(start.getUTCFullYear() - 2);
  return start;
}

/** The columns of the lines of `copyLines`. */
export const COPY_COLUMNS = ['measured_at', 'sensor_id', ...PARAMETER_NAMES].join(', ');

/** COPY text of the readings of one instant. */
export function copyLines(readings: readonly DemoReading[]): string {
  const [first] = readings;
  if (first === undefined) return '';
  const measuredAt = new Date(first.at).toISOString();
  let text = '';
  for (const { sensor, values } of readings) {
    const separators = separatorsBySensor.get(sensor) ?? separatorsOf(sensor);
    text += measuredAt;
    for (let n = 0; n < values.length; n++) text += `${separators[n]}${values[n]}`;
    text += separators[values.length];
  }
  return text;
}

/** The constant text before each value of a sensor's line, and after the last: computed once, since the load takes millions of lines. */
const separatorsBySensor = new WeakMap<DemoSensor, string[]>();

function separatorsOf(sensor: DemoSensor): string[] {
  const separators: string[] = [];
  let gap = `\t${sensor.id}`;
  for (const name of PARAMETER_NAMES) {
    if (sensor.channels.some((channel) => channel.name === name)) {
      separators.push(`${gap}\t`);
      gap = '';
    } else {
      gap += '\t\\N';
    }
  }
  separators.push(`${gap}\n`);
  separatorsBySensor.set(sensor, separators);
  return separators;
}
