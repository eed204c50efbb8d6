/**
 * The air of the demo's cities: season, hour, weather and traffic in a few terms. Every instant is computed on its own, so the history can
 * be loaded backwards, and the feed continues exactly where the history ended.
 */
import type { ParameterName } from '../contract/parameters.ts';
import type { City } from './network.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SEED = 20_261_120;

/** A value of every parameter, in its unit. The pressure is that at sea level, and the rain that of an hour. */
export type Air = Record<ParameterName, number>;

/** The air of a city at an instant, in ms since 1970. `offset`: milliseconds that its standard time is ahead of UTC. */
export function airAt(city: City, at: number, offset: number): Air {
  // within a city, and within the country, terms differ in their period, which also chooses their random numbers
  const country = (hours: number) => drift(hours, at, hours);
  const own = (hours: number) => drift(100 * city.number + hours, at, hours);
  const season = Math.cos((2 * Math.PI * (at / DAY - 21)) / 365.25); // 1 in late January
  const local = at + offset;
  const hour = (local % DAY) / HOUR;
  const daily = (highest: number) => Math.cos((2 * Math.PI * (hour - highest)) / 24);
  const sun = Math.max(0, 0.66 * daily(12) - 0.27 * season); // sine of its elevation, at 45° north

  const low = 0.9 * country(60) + 0.4 * own(17); // from −1.3 in a high to 1.3 in a low
  const cloud = clamp(0.45 + 0.6 * low + 0.3 * own(5), 0, 1);
  const rain = 6 * Math.max(0, low + 0.7 * own(3) - 0.8) ** 1.5;
  const wind = city.wind * Math.max(0.2, 2 + 2.2 * low + 1.5 * own(9) + sun);
  const mildness = 13.5 - 12.5 * season + 5 * country(70); // the temperature without its daily variation
  const swing = (6 - 1.8 * season) * (1 - 0.65 * cloud) * daily(15);
  const humidity = clamp(62 + 7 * season - 2.3 * swing - 3 * country(70) + 16 * cloud + 6 * own(8), 15, 99);

  const isWeekend = ((Math.floor(local / DAY) + 4) % 7) % 6 === 0; // 1970-01-01 was a Thursday
  const traffic = (isWeekend ? 0.5 : 1) * (0.15 + peak(hour, 8.5, 1.7) + peak(hour, 18.5, 2.4));
  const heating = clamp((12 - mildness) / 14, 0, 1.4) * (0.3 + 0.6 * peak(hour, 7.5, 2) + 1.5 * peak(hour, 21, 3.5));
  const lingering = 1 / ((0.5 + wind / 2.5) * (1 + rain)); // wind disperses what is in the air, and rain washes it out
  const smoke = city.particles * (0.2 + 0.22 * traffic + 1.15 * heating) * lingering;
  const pm25 = 1.65 * smoke * Math.exp(0.6 * own(44)); // some days are hazier than others
  const raised = city.particles * Math.max(0, 1 - humidity / 80) * (0.3 + 0.15 * wind);
  const pm10 = 1.25 * pm25 + 2 + raised;
  const no2 = 2 + 0.38 * city.particles * (0.3 + traffic + 0.4 * heating) * lingering;
  const sunshine = sun * (1 - 0.7 * cloud);
  return {
    temperature: mildness + swing - Math.min(rain, 2),
    humidity,
    pressure: 101_450 - 1_150 * low,
    pm1: 0.64 * pm25,
    pm25,
    pm25_raw: pm25 * (1.3 + Math.max(0, humidity - 60) / 70), // optical sensors count droplets as particles
    pm10,
    no2,
    so2: 1.5 + 0.16 * city.particles * heating * lingering,
    o3: Math.max(4, 55 + 65 * sunshine - 10 * season - 0.9 * no2),
    dust: 1.3 * pm10 + 1.5 * raised + 4,
    usvh: 0.11 + 0.012 * Math.min(rain, 4), // rain washes radon's progeny out
    uv: 11.5 * sunshine ** 1.35,
    wind_speed: wind,
    wind_direction: 250 + 130 * country(40) + 45 * own(6),
    rain,
  };
}

/** A bell curve over the hours of a day, 1 at its middle, continuous across midnight. */
function peak(hour: number, middle: number, width: number): number {
  const hours = Math.abs(hour - middle);
  const distance = Math.min(hours, 24 - hours) / width;
  return Math.exp(-0.5 * distance * distance);
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

/** Noise in −1 … 1 that varies smoothly: one random number per `hours`, joined. `at`: ms since 1970. */
export function drift(stream: number, at: number, hours: number): number {
  const position = at / (hours * HOUR);
  const knot = Math.floor(position);
  const part = position - knot;
  const [before, after] = [chance(stream, knot), chance(stream, knot + 1)];
  return 2 * (before + (after - before) * part * part * (3 - 2 * part)) - 1;
}

/** Uniform in [0, 1): a hash of stream and counter, so always the same for these. */
export function chance(stream: number, counter: number): number {
  let h = SEED ^ Math.imul(stream, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad) ^ Math.imul(counter, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}
