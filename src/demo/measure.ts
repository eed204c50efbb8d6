/** What a sensor makes of the air around it: its street, its height, its errors, the steps it reports in. */
import { PARAMETERS, type ParameterName } from '../contract/parameters.ts';
import type { Air } from './air.ts';
import type { DemoStation } from './network.ts';
import { chance, drift, jitter } from './noise.ts';
import { clamp, turn } from './weather.ts';

const HOUR = 3_600_000;
const STREET = 401;
const HERE = 402;
const ERROR = 403;

/** One number that a sensor gives: between which ends, and how far off it may be. */
type Output = Manner & { name: ParameterName; low: number; high: number; errors: number };

export type DemoSensor = {
  id: number;
  station: number;
  /** Hangs in the sun on a warm wall: its weather is nonsense. */
  badThp: boolean;
  /** In the one order of parameters; the values of its readings are in this order. */
  outputs: readonly Output[];
  /** Pressure here as a part of that at sea level. */
  thinness: number;
  /** More or less than the mean of the city, once and for all: a main street, a hollow. */
  dirt: number;
  warmth: number;
};

export function sensorsOf(seed: number, station: DemoStation): DemoSensor[] {
  return station.sensors.map(({ id, kind }) => ({
    id,
    station: station.id,
    badThp: station.is_bad_thp === true,
    outputs: outputsOf(id, kind),
    thinness: (1 - 2.25577e-5 * station.altitude) ** 5.25588,
    dirt: Math.exp(0.28 * jitter(seed, STREET, station.id)),
    warmth: 1.2 * jitter(seed, STREET, -station.id),
  }));
}

/** The particle channels of a sensor err together, so that PM1 stays below PM2.5 and PM2.5 below PM10. */
function outputsOf(id: number, kind: string): Output[] {
  const parameters = INSTRUMENTS[kind];
  if (parameters === undefined) throw new Error(`no instrument ${kind}`);
  return PARAMETERS.filter(({ name }) => parameters.includes(name)).map(({ name, low, high }, n) => {
    const errors = ERROR + 1_000 * id + (name.startsWith('pm') ? 0 : n + 1);
    return { name, low, high, errors, ...MANNERS[name] };
  });
}

/** A reading's values at an instant. `minutes`: since the reading before, which is what a rain gauge counts. */
export function measure(seed: number, sensor: DemoSensor, air: Air, at: number, minutes: number): number[] {
  const here = drift(seed, HERE + 1_000 * sensor.station, at, 2.5 * HOUR);
  const minute = at / 60_000;
  const values: number[] = [];
  for (const { name, low, high, errors, relative, absolute, steps } of sensor.outputs) {
    const exact = sensor.badThp ? nonsense(name, sensor, air, here) : undefined;
    const value = exact ?? present(name, sensor, air, here, minutes);
    const error = jitter(seed, errors, minute);
    const rounded = Math.round((value * (1 + relative * error) + absolute * error) * steps) / steps + 0; // never -0
    values.push(clamp(name === 'wind_direction' ? turn(rounded) : rounded, low, high));
  }
  return values;
}

function present(name: ParameterName, sensor: DemoSensor, air: Air, here: number, minutes: number): number {
  const dirt = sensor.dirt * (1 + 0.18 * here);
  switch (name) {
    case 'temperature':
      return air.temperature + sensor.warmth + 0.4 * here;
    case 'humidity':
      return air.humidity - 2.5 * sensor.warmth - here;
    case 'pressure':
      return air.seaPressure * sensor.thinness;
    case 'pm25_raw':
      return dirt * air.pm25 * (1.3 + Math.max(0, air.humidity - 60) / 70); // droplets are taken for dust
    case 'pm1':
    case 'pm25':
    case 'pm10':
    case 'dust':
    case 'no2':
    case 'so2':
      return dirt * air[name];
    case 'wind_speed':
      return air.windSpeed * (1 + 0.2 * here);
    case 'wind_direction':
      return air.windDirection + 15 * here;
    case 'rain':
      return (air.rain * minutes) / 60;
    default:
      return air[name];
  }
}

/** A box in the sun on a warm wall, with a drowned humidity sensor. */
function nonsense(name: ParameterName, sensor: DemoSensor, air: Air, here: number): number | undefined {
  if (name === 'temperature') return 27 + 0.4 * air.temperature + 24 * air.sun * (1 - air.cloud) + here;
  if (name === 'humidity') return 99.9;
  if (name === 'pressure') return 0.9 * air.seaPressure * sensor.thinness;
  return undefined;
}

/** What the demo sensors measure, and when they are out of order. */

export const INSTRUMENTS: Readonly<Record<string, readonly ParameterName[]>> = {
  SDS011: ['pm25', 'pm10'],
  SPS30: ['pm1', 'pm25', 'pm10'],
  PMS5003T: ['temperature', 'humidity', 'pm1', 'pm25', 'pm25_raw', 'pm10'],
  BME280: ['temperature', 'humidity', 'pressure'],
  'weather mast': ['temperature', 'humidity', 'pressure', 'uv', 'wind_speed', 'wind_direction', 'rain'],
  'gas analyser': ['no2', 'so2', 'o3'],
  'dust monitor': ['dust'],
  'Geiger counter': ['usvh'],
};

/** How far one reading of an instrument strays, as a part of the value or in its unit, and the steps per unit it reports in. */
export type Manner = { relative: number; absolute: number; steps: number };

export const MANNERS: Readonly<Record<ParameterName, Manner>> = {
  temperature: { relative: 0, absolute: 0.3, steps: 10 },
  humidity: { relative: 0.02, absolute: 1, steps: 10 },
  pressure: { relative: 0, absolute: 15, steps: 1 },
  pm1: { relative: 0.12, absolute: 0.4, steps: 10 },
  pm25: { relative: 0.1, absolute: 0.5, steps: 10 },
  pm25_raw: { relative: 0.1, absolute: 0.5, steps: 10 },
  pm10: { relative: 0.14, absolute: 0.8, steps: 10 },
  no2: { relative: 0.08, absolute: 0.5, steps: 10 },
  so2: { relative: 0.1, absolute: 0.3, steps: 10 },
  o3: { relative: 0.05, absolute: 1.5, steps: 10 },
  dust: { relative: 0.15, absolute: 1.5, steps: 10 },
  usvh: { relative: 0.1, absolute: 0.01, steps: 100 },
  uv: { relative: 0.05, absolute: 0, steps: 10 },
  wind_speed: { relative: 0.2, absolute: 0.1, steps: 10 },
  wind_direction: { relative: 0, absolute: 18, steps: 1 },
  rain: { relative: 0.1, absolute: 0, steps: 100 },
};

const LOST = 301;
const AWAY = 302;
const BROKEN = 303;

export function isMissing(seed: number, sensor: number, at: number): boolean {
  const stream = sensor * 1_000;
  return (
    chance(seed, LOST + stream, at / 60_000) < 0.008 ||
    chance(seed, AWAY + stream, Math.floor(at / (5 * HOUR))) < 0.012 ||
    chance(seed, BROKEN + stream, Math.floor(at / (61 * HOUR))) < 0.012
  );
}
