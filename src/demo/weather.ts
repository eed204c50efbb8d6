/**
 * The weather of a city, computed from the seed alone: pressure systems that cross the country from west to east, with their wind, cloud,
 * rain, warm and cold air, on top of season, hour and altitude.
 */
import type { City } from './network.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Random streams. Those of the country are shared by all cities; those of a city are offset by its number. */
const COUNTRY = { system: 11, wave: 12, air: 13, veer: 14, gust: 15, sky: 16, shower: 17 };
const CITY = { pressure: 101, air: 102, veer: 103, gust: 104, sky: 105, shower: 106, moist: 107 };
const CITY_STREAMS = 1_000;

export type Weather = {
  temperature: number;
  /** The temperature without its daily variation, which heating follows. */
  mildness: number;
  humidity: number;
  /** Reduced to sea level, Pa. */
  seaPressure: number;
  windSpeed: number;
  windDirection: number;
  /** mm per hour. */
  rain: number;
  /** Rain of the last hours in mm, earlier hours weighted less: what has been washed out. */
  washed: number;
  /** 0 clear … 1 overcast. */
  cloud: number;
  /** Sine of the sun's elevation; 0 at night. */
  sun: number;
};

/** A city and the inputs of its weather. `number`: its index in CITIES; `offset`: milliseconds that its standard time is ahead of UTC. */
export type Sky = { seed: number; city: City; number: number; offset: number };

/** The weather of a city at an instant, in ms since 1970. */
export function weatherAt(sky: Sky, at: number): Weather {
  const { city } = sky;
  const season = Math.cos((2 * Math.PI * (at / DAY - 21)) / 365.2425); // 1 in late January
  const hour = ((((at + sky.offset) % DAY) + DAY) % DAY) / HOUR;
  const low = lowness(sky, at);
  const cloud = clamp(0.45 + 0.5 * low + 0.35 * country(sky, 'sky', at, 14) + 0.25 * own(sky, 'sky', at, 5), 0, 1);
  const rain = rainAt(sky, at);
  const washed =
    rain + 0.7 * rainAt(sky, at - HOUR) + 0.5 * rainAt(sky, at - 3 * HOUR) + 0.3 * rainAt(sky, at - 6 * HOUR);
  const sun = sunElevation(city.latitude, season, hour);

  const air =
    4.5 * country(sky, 'air', at, 70) + 2 * country(sky, 'air', at + 999 * DAY, 21) + 0.8 * own(sky, 'air', at, 8);
  const mildness = 13.5 - 0.0055 * city.altitude - 12.5 * season + air;
  const swing = (6.2 - 1.8 * season) * (1 - 0.65 * cloud);
  const temperature = mildness + swing * Math.cos((2 * Math.PI * (hour - 15)) / 24) - 1.2 * Math.min(rain, 2);

  const breeze = 1.3 * sun * (1 - 0.5 * cloud);
  const force = 1.9 + 2.2 * low + 1.7 * country(sky, 'gust', at, 11) + 0.9 * own(sky, 'gust', at, 3) + breeze;
  const windSpeed = city.wind * Math.max(force, 0.25 + 0.2 * own(sky, 'gust', at + DAY, 2));
  const windDirection = normalizeDegrees(250 + 130 * country(sky, 'veer', at, 40) + 45 * own(sky, 'veer', at, 6));

  const dryness = 2.4 * (temperature - mildness) + 1.1 * air;
  const humidity = clamp(
    64 + 7 * season - dryness + 14 * cloud + 9 * Math.min(rain, 2) + 7 * own(sky, 'moist', at, 9),
    14,
    99.5,
  );
  return {
    temperature,
    mildness,
    humidity,
    seaPressure: 101_450 - 1_150 * low + 120 * own(sky, 'pressure', at, 17),
    windSpeed,
    windDirection,
    rain,
    washed,
    cloud,
    sun,
  };
}

/** Depth of the low over the city, about −1.5 (a high) … 1.5. Systems move east at 40 km/h. */
function lowness(sky: Sky, at: number): number {
  const then = at - (sky.city.longitude + 39.2) * 2 * HOUR;
  return country(sky, 'system', then, 60) + 0.5 * country(sky, 'wave', then, 19);
}

/** mm per hour. Rain comes with low pressure, in showers that cities share only in part. */
function rainAt(sky: Sky, at: number): number {
  const wet = 0.75 * lowness(sky, at) + 0.7 * country(sky, 'shower', at, 4) + 0.5 * own(sky, 'shower', at, 1.5) - 0.85;
  return wet > 0 ? Math.min(8 * wet * wet + wet, 30) : 0;
}

/** Sine of the sun's elevation, 0 below the horizon. */
function sunElevation(latitude: number, season: number, hour: number): number {
  const phi = (latitude * Math.PI) / 180;
  const declination = -0.4091 * season;
  const high = Math.cos(phi) * Math.cos(declination) * Math.cos((2 * Math.PI * (hour - 12)) / 24);
  return Math.max(0, Math.sin(phi) * Math.sin(declination) + high);
}

function country(sky: Sky, what: keyof typeof COUNTRY, at: number, hours: number): number {
  return drift(sky.seed, COUNTRY[what], at, hours * HOUR);
}

function own(sky: Sky, what: keyof typeof CITY, at: number, hours: number): number {
  return drift(sky.seed, CITY[what] + CITY_STREAMS * (sky.number + 1), at, hours * HOUR);
}

/** In [0, 360). */
export function normalizeDegrees(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}

/** The nearest value within the bounds. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Milliseconds that the zone's standard time is ahead of UTC: the sun does not follow daylight saving time. */
export function standardOffset(timeZone: string): number {
  const offsets = [0, 6].map((month) => {
    const at = new Date(Date.UTC(2026, month, 1, 12));
    const local = new Date(`${at.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
    return local.getTime() - at.getTime();
  });
  return Math.min(...offsets);
}

/**
 * Uniform in [0, 1): a hash of (seed, stream, counter). Randomness is stateless, so any instant can be computed on its own and is always
 * the same, and the feed continues exactly where the history ended.
 */
export function chance(seed: number, stream: number, counter: number): number {
  let h = seed ^ Math.imul(stream, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad) ^ Math.imul(counter, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** Triangular around 0, within −1 … 1. */
export function jitter(seed: number, stream: number, counter: number): number {
  return chance(seed, stream, counter) + chance(seed, stream + 7_919, counter) - 1;
}

/** Value noise: uniform knots in −1 … 1, one per `period` milliseconds, joined smoothly. `at`: ms since 1970. */
export function drift(seed: number, stream: number, at: number, period: number): number {
  const position = at / period;
  const knot = Math.floor(position);
  const part = position - knot;
  const before = chance(seed, stream, knot);
  const after = chance(seed, stream, knot + 1);
  return 2 * (before + (after - before) * part * part * (3 - 2 * part)) - 1;
}
