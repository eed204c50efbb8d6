/** What the demo sensors measure, and when they are out of order. */
import type { ParameterName } from '../contract/parameters.ts';
import { chance } from './noise.ts';

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

const HOUR = 3_600_000;
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
