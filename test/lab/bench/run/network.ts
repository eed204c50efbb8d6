/**
 * Invented networks of any size, always the same: towns of stations with one sensor each, or a
 * country as one is, with districts, titles in three languages and two sensors a station. And their
 * readings, made in the database.
 */
import type { Sql } from '../../../../src/database/client.ts';

export const TIME_ZONE = 'Asia/Yerevan';

export type Shape = {
  stations: number;
  /** Left out: all are in one. */
  stationsOfACity?: number;
  /** Two sensors a station: one for particles, and one for the weather. */
  isCountry?: boolean;
};

const DISTRICTS = ['centre', 'north', 'south'];
const KINDS = ['SDS011', 'PMS5003'];

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const titleOf = ([en, ru, hy]: string[], number: number) => ({
  en: `${en} ${number}`,
  ru: `${ru} ${number}`,
  hy: `${hy} ${number}`,
});

/** The slug of a city by its number, counted from 1: letters only, as slugs must be. */
export function citySlug(city: number): string {
  const letters = [676, 26, 1].map((place) =>
    String.fromCharCode(97 + (Math.floor((city - 1) / place) % 26)),
  );
  return `city-${letters.join('')}`;
}

const districtSlug = (city: number, name: string) => `${citySlug(city)}-${name}`;

/** As a network file. */
export function networkOf({ stations, stationsOfACity = stations, isCountry = false }: Shape) {
  const districts = isCountry ? DISTRICTS : [];
  return {
    time_zone: TIME_ZONE,
    providers: [{ id: 'p', title: 'P', stale_after: '3 hours' }],
    corrections: { PMS5003: 'epa-2021' },
    regions: numbers(Math.ceil(stations / stationsOfACity)).flatMap((city) => [
      { slug: citySlug(city), kind: 'city', title: titleOf(['City', 'Город', 'Քաղաք'], city) },
      ...districts.map((name) => ({
        slug: districtSlug(city, name),
        kind: 'district',
        city: citySlug(city),
        title: titleOf([`District ${name}`, `Район ${name}`, `Թաղամաս ${name}`], city),
      })),
    ]),
    stations: numbers(stations).map((id) => makeStation(id, stationsOfACity, isCountry)),
  };
}

/** Cities lie on a grid, a quarter of a degree apart, and their stations a few hundred metres. */
function makeStation(id: number, stationsOfACity: number, isCountry: boolean) {
  const [city, place] = [Math.ceil(id / stationsOfACity), id % stationsOfACity];
  const district = DISTRICTS[id % DISTRICTS.length] as string;
  const degrees = (from: number, cell: number, step: number) =>
    Number((from + cell / 4 + step / 500).toFixed(4));
  return {
    id,
    provider: 'p',
    title: isCountry ? titleOf(['Station', 'Станция', 'Կայան'], id) : { en: `Station ${id}` },
    latitude: degrees(38, Math.floor(city / 25), Math.floor(place / 10)),
    longitude: degrees(43, city % 25, place % 10),
    screening: isCountry,
    regions: [isCountry ? districtSlug(city, district) : citySlug(city)],
    sensors: isCountry
      ? [
          { id: 2 * id - 1, kind: KINDS[id % KINDS.length] },
          { id: 2 * id, kind: 'BME280' },
        ]
      : [{ id }],
  };
}

/** Readings from one instant to another, without the last, at an interval of PostgreSQL. */
export type Pace = { from: Date; to: Date; every: string };

/**
 * Adds readings of all sensors, and returns how many. Values are rounded as instruments report
 * them, and differ from hour to hour and station to station. The two sensors of a station in a
 * country report at one second, as in one device.
 */
export async function addReadings(
  sql: Sql,
  { stations, isCountry = false }: Shape,
  { from, to, every }: Pace,
): Promise<number> {
  const sensors = isCountry ? 2 * stations : stations;
  const { count } = await sql`
    insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure, pm25, pm10)
    select at, sensor,
      case when is_weather then round((8 + 12 * sin(day / 58.1) + 4 * sin(day * 6.283) + noise) * 10) / 10 end,
      case when is_weather then round(60 + 20 * cos(day * 6.283 + place) + noise) end,
      case when is_weather then round(90000 + 300 * sin(day + place) + 10 * noise) end,
      case when is_air then round((15 + 9 * sin(day * 4.3 + place) + noise) * 10) / 10 end,
      case when is_air then round((27 + 14 * sin(day * 4.1 + place) + 2 * noise) * 10) / 10 end
    from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 second', ${every}::text::interval) as step
    cross join generate_series(1, ${sensors}::int) as sensor
    cross join lateral (select extract(epoch from step)::float8 / 86400 as day, sensor % 997 as place,
      not ${isCountry} or sensor % 2 = 1 as is_air, not ${isCountry} or sensor % 2 = 0 as is_weather,
      step + case when ${isCountry} then (sensor + 1) / 2 * 17 % 300 else 0 end * interval '1 second' as at,
      (hashint8(extract(epoch from step)::bigint * 4096 + sensor) & 1023) / 200.0::float8 as noise) made
    on conflict do nothing`;
  return count;
}
