/**
 * Invents the readings of the demo: the air of its cities by yearly and daily curves with noise, as
 * each station's surroundings change it and its sensors measure it. Every instant is computed on
 * its own, so readings are the same in whatever order they are made.
 */
import {
  PARAMETER_NAMES,
  PARAMETERS,
  type ParameterName,
  type Values,
} from '../../contract/parameters.ts';
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
const SEED = 20_261_120;

/** The last week has a reading every ten minutes, earlier ones every hour. */
const FINE = 7 * DAY;
const FINE_STEP = 10 * MINUTE;
/**
 * Hourly readings are off the ten-minute grid, so the instant alone tells which period a reading
 * covers.
 */
const HOURLY_AT = 35 * MINUTE;
/** The offline station has been offline for as long. */
const OFFLINE = 6 * DAY;

/**
 * Random streams, each with the id of a station or sensor added; the streams of cities, below, have
 * none.
 */
const STREAM = {
  exposure: 10_000,
  warmth: 20_000,
  nearby: 30_000,
  error: 40_000,
  lost: 50_000,
  outage: 60_000,
};

/** `at`: ms since 1970. */
export type DemoReading = { at: number; station: DemoStation; sensorId: number; values: Values };

/** `now` decides which readings are fine; default: `to`. */
type Span = { network: DemoNetwork; from: Date; to: Date; now?: Date };

/**
 * All readings after `from` and up to `to`, one instant at a time. The same span always gives the
 * same readings.
 */
export function* demoReadings({ network, from, to, now = to }: Span): Generator<DemoReading[]> {
  const offset = standardOffset(network.time_zone);
  for (const at of demoInstants({ from, to, now })) {
    const isRecent = at > now.getTime() - OFFLINE;
    const airs = new Map(CITIES.map((city) => [city.slug, airAt(city, at, offset)]));
    const stations = network.stations.filter(({ id }) => !(isRecent && id === OFFLINE_STATION));
    yield stations.flatMap((station) => {
      const air = airAtStation(airs.get(station.regions[0]) as Air, station, at);
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

/** The instants of measurement after `from` and up to `to`, in ms since 1970. */
export function* demoInstants({ from, to, now }: Record<'from' | 'to' | 'now', Date>) {
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

/**
 * A value of every parameter, in its unit. Pressure is at sea level, and rain is the sum of an
 * hour.
 */
type Air = Record<ParameterName, number>;

/**
 * The air of a city at an instant, in ms since 1970. `offset`: milliseconds that its standard time
 * is ahead of UTC.
 */
function airAt(city: (typeof CITIES)[number], at: number, offset: number): Air {
  const stream = 100 * (CITIES.indexOf(city) + 1);
  // noise of the country and of the city, each with the hours between two of its random numbers
  const country = (hours: number) => noise(hours, at, hours);
  const own = (hours: number) => noise(stream + hours, at, hours);
  // 1 in late January, −1 in late July
  const winter = Math.cos((2 * Math.PI * (at / DAY - 21)) / 365.25);
  const local = at + offset;
  const hour = (local % DAY) / HOUR;
  const daily = (highest: number) => Math.cos((2 * Math.PI * (hour - highest)) / 24);
  const isWeekend = ((Math.floor(local / DAY) + 4) % 7) % 6 === 0; // 1970-01-01 was a Thursday

  const low = 0.9 * country(60) + 0.4 * own(17); // from −1.3 in fair weather to 1.3 in a storm
  const rain = 6 * Math.max(0, low + 0.7 * own(3) - 0.8) ** 1.5;
  const wind = city.wind * Math.max(0.2, 2.2 + 2.2 * low + 1.5 * own(9) + 0.4 * daily(14));
  const sunshine = Math.max(0, 0.66 * daily(12) - 0.27 * winter) * (0.7 - 0.3 * low);
  const temperature =
    13.5 - 12.5 * winter + 5 * country(70) + (4.5 - 1.5 * winter - 1.5 * low) * daily(15);

  const traffic = (isWeekend ? 0.5 : 1) * (0.15 + peak(hour, 8.5, 1.7) + peak(hour, 18.5, 2.4));
  const heating =
    clamp((14 - temperature) / 16, 0, 1.4) *
    (0.3 + 0.6 * peak(hour, 7.5, 2) + 1.5 * peak(hour, 21, 3.5));
  // wind disperses particles, and rain washes them out
  const stillness = 1 / ((0.5 + wind / 2.5) * (1 + rain));
  const smoke = city.particles * (0.2 + 0.22 * traffic + 1.15 * heating) * stillness;
  const pm25 = 1.65 * smoke * Math.exp(0.6 * own(44)); // some days are hazier than others
  const pm10 = 1.3 * pm25 + 2 + 0.1 * city.particles * Math.max(0, -low); // dry ground gives dust
  const no2 = 2 + 0.38 * city.particles * (0.3 + traffic + 0.4 * heating) * stillness;
  return {
    temperature,
    humidity: 68 + 7 * winter - 3 * country(70) + 14 * low - 10 * daily(15) + 6 * own(8),
    pressure: 101_450 - 1_150 * low,
    pm1: 0.64 * pm25,
    pm25,
    pm25_raw: 1.4 * pm25, // optical sensors count droplets as particles
    pm10,
    no2,
    so2: 1.5 + 0.16 * city.particles * heating * stillness,
    o3: Math.max(4, 55 + 90 * sunshine - 10 * winter - 0.9 * no2),
    dust: 1.3 * pm10 + 4,
    usvh: 0.11 + 0.012 * Math.min(rain, 4), // rain washes radon's progeny out
    uv: 13 * sunshine ** 1.35,
    wind_speed: wind,
    wind_direction: 250 + 130 * country(40) + 45 * own(6),
    rain,
  };
}

/** Parameters that the surroundings of a station change by a factor. */
const LOCAL = [
  'pm1',
  'pm25',
  'pm25_raw',
  'pm10',
  'no2',
  'so2',
  'dust',
] as const satisfies ParameterName[];

/**
 * The air at a station: the air of its city, as the station's altitude and surroundings change it.
 */
function airAtStation(air: Air, { id, altitude, is_bad_thp }: DemoStation, at: number): Air {
  const nearby = noise(STREAM.nearby + id, at, 2.5); // what is going on around it just now
  const share = (0.75 + 0.5 * chance(STREAM.exposure + id, 0)) * (1 + 0.18 * nearby);
  const warmth = 2 * chance(STREAM.warmth + id, 0) - 1 + 0.4 * nearby;
  const here = {
    ...air,
    temperature: air.temperature + warmth - 0.0055 * altitude,
    humidity: air.humidity - 2.5 * warmth,
    pressure: air.pressure * (1 - 2.25577e-5 * altitude) ** 5.25588,
  };
  for (const name of LOCAL) here[name] *= share;
  if (!is_bad_thp) return here;
  // on a warm wall, with a saturated humidity sensor
  return {
    ...here,
    temperature: 27 + 0.4 * air.temperature + 2 * air.uv,
    humidity: 99.9,
    pressure: 0.9 * here.pressure,
  };
}

/**
 * True if the reading of a sensor at an instant is missing: lost alone, or in an outage of hours.
 */
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
  // one for all: PM1 stays below PM2.5, and PM2.5 below PM10
  const error = 2 * chance(STREAM.error + id, at / MINUTE) - 1;
  // since the previous reading, for the rain gauge
  const hours = at % FINE_STEP === 0 ? FINE_STEP / HOUR : 1;
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

/** A bell curve over the hours of a day, 1 at its middle, continuous across midnight. */
function peak(hour: number, middle: number, width: number): number {
  const hours = Math.abs(hour - middle);
  const distance = Math.min(hours, 24 - hours) / width;
  return Math.exp(-0.5 * distance * distance);
}

/** The nearest value within the bounds. */
function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/**
 * Milliseconds that the zone's standard time is ahead of UTC: the sun does not follow daylight
 * saving time.
 */
export function standardOffset(timeZone: string): number {
  const offsets = [0, 6].map((month) => {
    const at = new Date(Date.UTC(2026, month, 1, 12));
    const local = new Date(`${at.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
    return local.getTime() - at.getTime();
  });
  return Math.min(...offsets);
}

/**
 * A number in −1 … 1 that varies smoothly: one random number per `hours`, joined. `at`: ms since
 * 1970.
 */
function noise(stream: number, at: number, hours: number): number {
  const position = at / (hours * HOUR);
  const knot = Math.floor(position);
  const part = position - knot;
  const before = chance(stream, knot);
  const after = chance(stream, knot + 1);
  return 2 * (before + (after - before) * part * part * (3 - 2 * part)) - 1;
}

/** Uniform in [0, 1): a hash of stream and counter, so always the same for these. */
function chance(stream: number, counter: number): number {
  let h = SEED ^ Math.imul(stream, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad) ^ Math.imul(counter, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}
