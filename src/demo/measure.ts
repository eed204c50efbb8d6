/** The demo's sensors: what one reports of the air around it, with the errors of its kind, and when it fails. */
import { PARAMETERS, type ParameterName, type Values } from '../contract/parameters.ts';
import { type Air, chance, clamp, drift } from './air.ts';
import type { DemoStation } from './network.ts';

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

/** Of those parameters that are not concentrations. */
const ACCURACY: Readonly<Partial<Record<ParameterName, Accuracy>>> = {
  temperature: { relative: 0, absolute: 0.3, steps: 10 },
  humidity: { relative: 0.02, absolute: 1, steps: 10 },
  pressure: { relative: 0, absolute: 15, steps: 1 },
  usvh: { relative: 0.1, absolute: 0.01, steps: 100 },
  uv: { relative: 0.05, absolute: 0, steps: 10 },
  wind_speed: { relative: 0.2, absolute: 0.1, steps: 10 },
  wind_direction: { relative: 0, absolute: 18, steps: 1 },
  rain: { relative: 0.1, absolute: 0, steps: 100 },
};
const CONCENTRATION: Accuracy = { relative: 0.1, absolute: 0.5, steps: 10 };

/** Random streams, each with the id of a station or sensor added; those below are of the air. */
const STREAM = { exposure: 10_000, warmth: 20_000, nearby: 30_000, error: 40_000, lost: 50_000, outage: 60_000 };

/** The air at a station: that of its city, as its altitude and surroundings change it. */
export function airAtStation(air: Air, { id, altitude, is_bad_thp }: DemoStation, at: number): Air {
  const nearby = drift(STREAM.nearby + id, at, 2.5); // what is going on around it just now
  const exposure = 0.75 + 0.5 * chance(STREAM.exposure + id, 0); // more on a main street or in a hollow
  const share = exposure * (1 + 0.18 * nearby);
  const warmth = 2 * chance(STREAM.warmth + id, 0) - 1 + 0.4 * nearby;
  const local = {
    ...air,
    temperature: air.temperature + warmth - 0.0055 * altitude,
    humidity: air.humidity - 2.5 * warmth,
    pressure: air.pressure * (1 - 2.25577e-5 * altitude) ** 5.25588,
    pm1: share * air.pm1,
    pm25: share * air.pm25,
    pm25_raw: share * air.pm25_raw,
    pm10: share * air.pm10,
    no2: share * air.no2,
    so2: share * air.so2,
    dust: share * air.dust,
  };
  if (is_bad_thp !== true) return local;
  // in the sun on a warm wall, with a saturated humidity sensor
  return {
    ...local,
    temperature: 27 + 0.4 * air.temperature + 2 * air.uv,
    humidity: 99.9,
    pressure: 0.9 * local.pressure,
  };
}

/** A sensor of a kind, with the parameters it measures in the order of PARAMETERS. */
type DemoSensor = { id: number; parameters: readonly (typeof PARAMETERS)[number][] };

/** Throws if it is of a kind that is not in INSTRUMENTS. */
export function demoSensor({ id, kind }: DemoStation['sensors'][number]): DemoSensor {
  const names = INSTRUMENTS[kind];
  if (names === undefined) throw new Error(`no instrument ${kind}`);
  return { id, parameters: PARAMETERS.filter(({ name }) => names.includes(name)) };
}

/** The values of a reading at an instant, in ms since 1970, of the air at the station. `minutes`: since the previous reading, for the rain gauge. */
export function measure({ id, parameters }: DemoSensor, air: Air, at: number, minutes: number): Values {
  const error = 2 * chance(STREAM.error + id, at / 60_000) - 1; // one for all: PM1 stays below PM2.5, and PM2.5 below PM10
  const values: Values = {};
  for (const { name, low, high } of parameters) {
    const { relative, absolute, steps } = ACCURACY[name] ?? CONCENTRATION;
    const actual = name === 'rain' ? (air.rain * minutes) / 60 : air[name];
    const rounded = Math.round((actual * (1 + relative * error) + absolute * error) * steps) / steps;
    const value = name === 'wind_direction' ? (rounded + 360) % 360 : rounded;
    values[name] = clamp(value, low, high) + 0; // never -0
  }
  return values;
}

/** Whether the reading of a sensor at an instant is missing: lost alone, or in an outage of hours. */
export function isMissing({ id }: DemoSensor, at: number): boolean {
  return (
    chance(STREAM.lost + id, at / 60_000) < 0.008 || chance(STREAM.outage + id, Math.floor(at / (5 * 3_600_000))) < 0.02
  );
}
