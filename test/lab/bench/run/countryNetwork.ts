/**
 * The network file of a country of any size: cities of a hundred stations in three districts,
 * titles in three languages. Always the same.
 */
import { TIME_ZONE } from './world.ts';

const STATIONS_OF_A_CITY = 100;
const DISTRICTS = ['centre', 'north', 'south'];
const KINDS = ['SDS011', 'PMS5003'];

/** The sensors of each station: one for particles, and one for the weather. */
export const airSensorOf = (station: number) => 2 * station - 1;
export const weatherSensorOf = (station: number) => 2 * station;

export function countryNetwork(stations: number) {
  const cities = Array.from({ length: Math.ceil(stations / STATIONS_OF_A_CITY) }, (_, n) => n + 1);
  return {
    time_zone: TIME_ZONE,
    providers: [{ id: 'p', title: 'P', stale_after: '3 hours' }],
    corrections: { PMS5003: 'epa-2021' },
    regions: cities.flatMap((city) => [
      { slug: citySlug(city), kind: 'city', title: titleOf(['City', 'Город', 'Քաղաք'], city) },
      ...DISTRICTS.map((name) => ({
        slug: districtSlug(city, name),
        kind: 'district',
        city: citySlug(city),
        title: titleOf([`District ${name}`, `Район ${name}`, `Թաղամաս ${name}`], city),
      })),
    ]),
    stations: Array.from({ length: stations }, (_, n) => makeStation(n + 1)),
  };
}

export const cityOf = (station: number) => Math.ceil(station / STATIONS_OF_A_CITY);

/** The slug of a city by its number, counted from 1: letters only, as slugs must be. */
export function citySlug(city: number): string {
  const letters = [676, 26, 1].map((place) =>
    String.fromCharCode(97 + (Math.floor((city - 1) / place) % 26)),
  );
  return `city-${letters.join('')}`;
}

const districtSlug = (city: number, name: string) => `${citySlug(city)}-${name}`;

const titleOf = ([en, ru, hy]: string[], number: number) => ({
  en: `${en} ${number}`,
  ru: `${ru} ${number}`,
  hy: `${hy} ${number}`,
});

/** Cities lie on a grid, a quarter of a degree apart, and their stations a few hundred metres. */
function makeStation(id: number) {
  const [city, place] = [cityOf(id), id % STATIONS_OF_A_CITY];
  const degrees = (from: number, cell: number, step: number) =>
    Number((from + cell / 4 + step / 500).toFixed(4));
  return {
    id,
    provider: 'p',
    title: titleOf(['Station', 'Станция', 'Կայան'], id),
    latitude: degrees(38, Math.floor(city / 25), Math.floor(place / 10)),
    longitude: degrees(43, city % 25, place % 10),
    regions: [districtSlug(city, DISTRICTS[id % DISTRICTS.length] as string)],
    sensors: [
      { id: airSensorOf(id), kind: KINDS[id % KINDS.length] },
      { id: weatherSensorOf(id), kind: 'BME280' },
    ],
  };
}
