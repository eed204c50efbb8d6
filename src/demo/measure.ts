/** Simulates instruments: what a sensor reports of the air around it, with the errors and resolution of its kind, and when it fails. */
import { PARAMETERS, type ParameterName } from '../contract/parameters.ts';
import type { Air } from './air.ts';
import type { DemoStation } from './network.ts';
import { chance, clamp, drift, jitter, normalizeDegrees } from './weather.ts';

const HOUR = 3_600_000;

/** Random streams (noise.ts). */
const SITE = 401;
const NEARBY = 402;
const ERROR = 403;
const LOST = 301;
const OFFLINE = 302;
const BROKEN = 303;

/** What each kind of instrument measures. */
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

/** The largest error of a reading, as a fraction of the value and in the parameter's unit, and the reported steps per unit. */
type Accuracy = { relative: number; absolute: number; steps: number };

const ACCURACY: Readonly<Record<ParameterName, Accuracy>> = {
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

/** One parameter that a sensor reports: its bounds, its accuracy and the random stream of its errors. */
type Channel = Accuracy & { name: ParameterName; low: number; high: number; errorStream: number };

export type DemoSensor = {
  id: number;
  station: number;
  /** Mounted in the sun on a warm wall: its temperature, humidity and pressure are implausible. */
  badThp: boolean;
  /** In the order of PARAMETERS; the values of its readings are in this order. */
  channels: readonly Channel[];
  /** Pressure at its altitude as a fraction of that at sea level. */
  pressureRatio: number;
  /** Concentrations here as a multiple of the city's mean, constant in time: more on a main street or in a hollow. */
  exposure: number;
  /** Temperature here minus that of the city, °C, constant in time. */
  warmth: number;
};

/** The sensors of a station. Throws if one is of a kind that is not in INSTRUMENTS. */
export function sensorsOf(seed: number, station: DemoStation): DemoSensor[] {
  return station.sensors.map(({ id, kind }) => ({
    id,
    station: station.id,
    badThp: station.is_bad_thp === true,
    channels: channelsOf(id, kind),
    pressureRatio: (1 - 2.25577e-5 * station.altitude) ** 5.25588,
    exposure: Math.exp(0.28 * jitter(seed, SITE, station.id)),
    warmth: 1.2 * jitter(seed, SITE, -station.id),
  }));
}

/** The particle channels of a sensor share their errors, so that PM1 stays below PM2.5 and PM2.5 below PM10. */
function channelsOf(id: number, kind: string): Channel[] {
  const parameters = INSTRUMENTS[kind];
  if (parameters === undefined) throw new Error(`no instrument ${kind}`);
  return PARAMETERS.filter(({ name }) => parameters.includes(name)).map(({ name, low, high }, n) => {
    const errorStream = ERROR + 1_000 * id + (name.startsWith('pm') ? 0 : n + 1);
    return { name, low, high, errorStream, ...ACCURACY[name] };
  });
}

/** The values of a reading, one per channel. `at`: ms since 1970; `minutes`: since the previous reading, for the rain gauge. */
export function measure(seed: number, sensor: DemoSensor, air: Air, at: number, minutes: number): number[] {
  const nearby = drift(seed, NEARBY + 1_000 * sensor.station, at, 2.5 * HOUR);
  const minute = at / 60_000;
  const values: number[] = [];
  for (const { name, low, high, errorStream, relative, absolute, steps } of sensor.channels) {
    const implausible = sensor.badThp ? implausibleValue(name, sensor, air, nearby) : undefined;
    const value = implausible ?? trueValue(name, sensor, air, nearby, minutes);
    const error = jitter(seed, errorStream, minute);
    const rounded = Math.round((value * (1 + relative * error) + absolute * error) * steps) / steps + 0; // never -0
    values.push(clamp(name === 'wind_direction' ? normalizeDegrees(rounded) : rounded, low, high));
  }
  return values;
}

/** Whether the reading of a sensor at an instant is missing: lost alone, or in an outage of hours or days. */
export function isMissing(seed: number, sensor: number, at: number): boolean {
  const stream = sensor * 1_000;
  return (
    chance(seed, LOST + stream, at / 60_000) < 0.008 ||
    chance(seed, OFFLINE + stream, Math.floor(at / (5 * HOUR))) < 0.012 ||
    chance(seed, BROKEN + stream, Math.floor(at / (61 * HOUR))) < 0.012
  );
}

/** Without the instrument's errors. `nearby`: what is going on around the station just now, −1 … 1. */
function trueValue(name: ParameterName, sensor: DemoSensor, air: Air, nearby: number, minutes: number): number {
  const exposure = sensor.exposure * (1 + 0.18 * nearby);
  switch (name) {
    case 'temperature':
      return air.temperature + sensor.warmth + 0.4 * nearby;
    case 'humidity':
      return air.humidity - 2.5 * sensor.warmth - nearby;
    case 'pressure':
      return air.seaPressure * sensor.pressureRatio;
    case 'pm25_raw':
      return exposure * air.pm25 * (1.3 + Math.max(0, air.humidity - 60) / 70); // optical sensors count droplets as particles
    case 'pm1':
    case 'pm25':
    case 'pm10':
    case 'dust':
    case 'no2':
    case 'so2':
      return exposure * air[name];
    case 'wind_speed':
      return air.windSpeed * (1 + 0.2 * nearby);
    case 'wind_direction':
      return air.windDirection + 15 * nearby;
    case 'rain':
      return (air.rain * minutes) / 60;
    default:
      return air[name];
  }
}

/** A case in the sun on a warm wall, with a saturated humidity sensor; undefined for parameters that are not affected. */
function implausibleValue(name: ParameterName, sensor: DemoSensor, air: Air, nearby: number): number | undefined {
  if (name === 'temperature') return 27 + 0.4 * air.temperature + 24 * air.sun * (1 - air.cloud) + nearby;
  if (name === 'humidity') return 99.9;
  if (name === 'pressure') return 0.9 * air.seaPressure * sensor.pressureRatio;
  return undefined;
}
