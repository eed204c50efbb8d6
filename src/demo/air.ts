/**
 * Pollution of a city: smoke from heating on cold, calm evenings, traffic on weekdays, dust on dry, windy days, all dispersed by wind and
 * washed out by rain; gases that follow traffic, heating and sunshine.
 */
import { clamp, drift, type Sky, type Weather, weatherAt } from './weather.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HAZE = 201;
const DUST = 202;

/** The weather of a city and the concentrations in its air, in the units of PARAMETERS. */
export type Air = Weather & {
  pm1: number;
  pm25: number;
  pm10: number;
  dust: number;
  no2: number;
  so2: number;
  o3: number;
  usvh: number;
  uv: number;
};

/** The air of a city at an instant, in ms since 1970. */
export function airAt(sky: Sky, at: number): Air {
  const weather = weatherAt(sky, at);
  const local = at + sky.offset;
  const hour = (local % DAY) / HOUR;
  const weekend = ((Math.floor(local / DAY) + 4) % 7) % 6 === 0; // 1970-01-01 was a Thursday
  const traffic = (weekend ? 0.5 : 1) * (0.15 + peak(hour, 8.5, 1.7) + peak(hour, 18.5, 2.4));
  const stoves = 0.25 + 0.6 * peak(hour, 7.5, 2) + 1.05 * peak(hour, 21, 3.2);
  const cold = clamp((14 - weather.mildness) / 14, 0, 1.4);

  const stillness = (0.4 + weather.windSpeed / 2.4) ** -0.7;
  const night = Math.max(0, 1 - 5 * weather.sun);
  const inversion = 1 + 0.5 * night * (1 - weather.cloud); // clear nights keep smoke near the ground
  const washed = Math.exp(-0.22 * weather.washed);
  const stream = sky.number * 1_000;
  const haze = Math.exp(
    0.5 * drift(sky.seed, HAZE + stream, at, 44 * HOUR) + 0.2 * drift(sky.seed, HAZE + stream, at, 5 * HOUR),
  );
  const smoke = 0.2 + 0.22 * traffic + 1.15 * cold * stoves;
  const pm25 = 1.25 * sky.city.particles * smoke * stillness * inversion * washed * haze;

  const dry = clamp((75 - weather.humidity) / 40, 0, 1);
  const storm = Math.max(0, drift(sky.seed, DUST, at, 50 * HOUR) - 0.55) * 4;
  const raised = sky.city.particles * dry * washed * (0.15 + 0.07 * weather.windSpeed + storm);
  const pm10 = 1.25 * pm25 + 2 + raised;

  const no2 = (0.35 * sky.city.particles * (0.3 + traffic + 0.5 * cold) * stillness + 1.5) * (0.5 + 0.5 * washed);
  const sunshine = weather.sun * (1 - 0.7 * weather.cloud);
  return {
    ...weather,
    pm1: 0.64 * pm25,
    pm25,
    pm10,
    dust: 1.3 * pm10 + 1.5 * raised + 4,
    no2,
    so2: 1.5 + 0.16 * sky.city.particles * cold * stoves * stillness * washed,
    o3: Math.max(4, 48 + 62 * sunshine + 0.9 * weather.temperature - 0.9 * no2),
    usvh: 0.105 + 0.00003 * sky.city.altitude + 0.012 * Math.min(weather.washed, 4), // rain washes out radon progeny
    uv: 11.5 * sunshine ** 1.35 * (1 + 0.00008 * sky.city.altitude),
  };
}

/** A bell curve over the hours of a day, 1 at its middle, continuous across midnight. */
function peak(hour: number, middle: number, width: number): number {
  const hours = Math.abs(hour - middle);
  const distance = Math.min(hours, 24 - hours) / width;
  return Math.exp(-0.5 * distance * distance);
}
