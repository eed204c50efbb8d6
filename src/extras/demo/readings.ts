/** Makes the readings of the demo network: what its sensors report of the air around them, and when they fail; also as text for COPY. */
import {
  PARAMETER_NAMES,
  PARAMETERS,
  type ParameterName,
  type Values,
} from '../../contract/parameters.ts';
import { type Air, airAt, airAtStation, chance, clamp, standardOffset } from './air.ts';
import {
  CITIES,
  type DemoNetwork,
  type DemoStation,
  INSTRUMENTS,
  OFFLINE_STATION,
} from './network.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The last week has a reading every ten minutes, earlier ones every hour. */
const FINE = 7 * DAY;
const FINE_STEP = 10 * MINUTE;
/** Hourly readings are off the ten-minute grid, so the instant alone tells which period a reading covers. */
const HOURLY_AT = 35 * MINUTE;
/** The offline station has been offline for as long. */
const OFFLINE = 6 * DAY;

/** `at`: ms since 1970. */
export type DemoReading = { at: number; station: DemoStation; sensorId: number; values: Values };

/** `now` decides which readings are fine; default: `to`. */
type Span = { network: DemoNetwork; from: Date; to: Date; now?: Date };

/** All readings after `from` and up to `to`, one instant at a time. The same span always gives the same readings. */
export function* demoReadings({ network, from, to, now = to }: Span): Generator<DemoReading[]> {
  const offset = standardOffset(network.time_zone);
  for (const at of demoInstants({ from, to, now })) {
    const isRecent = at > now.getTime() - OFFLINE;
    const airs = new Map(CITIES.map((city) => [city.slug, airAt(city, at, offset)]));
    const stations = network.stations.filter(({ id }) => !(isRecent && id === OFFLINE_STATION));
    yield stations.flatMap((station) => {
      const air = airAtStation(airs.get(station.regions[0] as string) as Air, station, at);
      const present = station.sensors.filter(({ id }) => !isMissing(id, at));
      return present.map((sensor) => ({
        at,
        station,
        sensorId: sensor.id,
        values: measure(sensor, air, at),
      }));
    });
  }
}

/** Random streams, each with the id of a sensor added; those below are of stations (air.ts). */
const STREAM = { error: 40_000, lost: 50_000, outage: 60_000 };

/** True if the reading of a sensor at an instant is missing: lost alone, or in an outage of hours. */
function isMissing(id: number, at: number): boolean {
  return (
    chance(STREAM.lost + id, at / MINUTE) < 0.008 ||
    chance(STREAM.outage + id, Math.floor(at / (5 * HOUR))) < 0.02
  );
}

/** The largest error of those parameters that are not off by a fraction of their value. */
const ERRORS: Readonly<Partial<Record<ParameterName, number>>> = {
  temperature: 0.3,
  humidity: 2,
  pressure: 15,
  wind_direction: 18,
};
const FRACTION = 0.1;

/** Decimals reported, where it is not one. */
const DECIMALS: Readonly<Partial<Record<ParameterName, number>>> = {
  pressure: 0,
  wind_direction: 0,
  usvh: 2,
  rain: 2,
};

/** The values that a sensor reports of the air around it. */
function measure({ id, kind }: DemoStation['sensors'][number], air: Air, at: number): Values {
  const error = 2 * chance(STREAM.error + id, at / MINUTE) - 1; // one for all: PM1 stays below PM2.5, and PM2.5 below PM10
  const hours = at % FINE_STEP === 0 ? FINE_STEP / HOUR : 1; // since the previous reading, for the rain gauge
  const values: Values = {};
  for (const name of INSTRUMENTS[kind]) {
    const { low, high } = BOUNDS[name];
    const actual = name === 'rain' ? air.rain * hours : air[name];
    const steps = 10 ** (DECIMALS[name] ?? 1);
    const rounded =
      Math.round((actual + error * (ERRORS[name] ?? FRACTION * actual)) * steps) / steps;
    values[name] =
      clamp(name === 'wind_direction' ? (rounded + 360) % 360 : rounded, low, high) + 0; // never -0
  }
  return values;
}

const BOUNDS = Object.fromEntries(
  PARAMETERS.map(({ name, low, high }) => [name, { low, high }]),
) as Record<ParameterName, { low: number; high: number }>;

/** The instants of measurement after `from` and up to `to`, in ms since 1970. */
export function* demoInstants({
  from,
  to,
  now,
}: {
  from: Date;
  to: Date;
  now: Date;
}): Generator<number> {
  const fine = Math.floor((now.getTime() - FINE) / HOUR) * HOUR;
  let at = Math.floor((from.getTime() - HOURLY_AT) / HOUR) * HOUR + HOUR + HOURLY_AT;
  for (; at < Math.min(fine, to.getTime()); at += HOUR) yield at;
  at = Math.max(fine, Math.floor(from.getTime() / FINE_STEP) * FINE_STEP + FINE_STEP);
  for (; at <= to.getTime(); at += FINE_STEP) yield at;
}

/** The columns of the lines of `copyLines`. */
export const COPY_COLUMNS = ['measured_at', 'sensor_id', ...PARAMETER_NAMES].join(', ');

/** COPY text of the readings of one instant. */
export function copyLines(readings: readonly DemoReading[]): string {
  const [first] = readings;
  if (first === undefined) return '';
  const measuredAt = new Date(first.at).toISOString();
  let text = '';
  for (const { sensorId, values } of readings) {
    text += `${measuredAt}\t${sensorId}`;
    for (const name of PARAMETER_NAMES) text += `\t${values[name] ?? '\\N'}`;
    text += '\n';
  }
  return text;
}
