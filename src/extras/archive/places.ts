/**
 * stations.csv and regions.csv: what the lists of the API say of each that does not change from hour
 * to hour, with its titles in every language.
 */
import { LOCALES } from '../../contract/endpoints.ts';
import type { Field } from './csv/layouts.ts';
import { asCell } from './csv/sensors.ts';

type Column = Field & { sql: string };

/** A CSV file; `select` is the query of its lines. */
export type Places = { name: string; title: string; fields: readonly Column[]; select: string };

const LANGUAGES = { en: 'English', ru: 'Russian', hy: 'Armenian' } as const;

const titles = (of: string, id: string): Column[] =>
  LOCALES.map((locale) => ({
    name: `title_${locale}`,
    type: 'string',
    meaning: `title in ${LANGUAGES[locale]}, else in another language`,
    sql: asCell(`(select t.title from api.${of}_title t where t.${id} and t.locale = '${locale}')`),
  }));

const degrees = { type: 'number', unit: 'degrees' } as const;

const STATION: readonly Column[] = [
  { name: 'station_id', type: 'integer', meaning: 'the station', sql: 's.id' },
  {
    name: 'provider',
    type: 'string',
    meaning: 'who operates the station',
    sql: asCell('s.provider'),
  },
  ...titles('station', 'station_id = s.id'),
  {
    name: 'city_slug',
    type: 'string',
    meaning: 'the city that it belongs or last belonged to; empty if there is none',
    sql: 's.city_slug',
  },
  {
    name: 'district_slug',
    type: 'string',
    meaning: 'the district that it belongs or last belonged to; empty if there is none',
    sql: 's.district_slug',
  },
  { name: 'latitude', ...degrees, meaning: 'latitude, WGS 84', sql: 's.latitude' },
  { name: 'longitude', ...degrees, meaning: 'longitude, WGS 84', sql: 's.longitude' },
  {
    name: 'altitude',
    type: 'number',
    unit: 'm',
    meaning: 'altitude above sea level; empty if unknown',
    sql: '(select r.altitude from raw.station r where r.id = s.id)',
  },
];

const REGION: readonly Column[] = [
  { name: 'region_slug', type: 'string', meaning: 'the city or district', sql: 'r.slug' },
  { name: 'kind', type: 'string', meaning: 'city or district', sql: 'r.kind' },
  {
    name: 'city_slug',
    type: 'string',
    meaning: 'the city that a district belongs to; empty for a city',
    sql: 'r.city_slug',
  },
  ...titles('region', 'region_slug = r.slug'),
  {
    name: 'map_latitude',
    ...degrees,
    meaning: 'latitude of the centre of the map, WGS 84',
    sql: 'r.map_latitude',
  },
  {
    name: 'map_longitude',
    ...degrees,
    meaning: 'longitude of the centre of the map, WGS 84',
    sql: 'r.map_longitude',
  },
  { name: 'map_delta', ...degrees, meaning: 'span of the map', sql: 'r.map_delta' },
  {
    name: 'is_hidden',
    type: 'boolean',
    meaning: 'whether the city is hidden from some listings; empty for a district',
    sql: 'r.is_hidden::text',
  },
];

const selectOf = (columns: readonly Column[]) =>
  `select ${columns.map(({ name, sql }) => `${sql} as ${name}`).join(', ')}`;

export const STATIONS = 'stations.csv';

/** `stations`: those that are listed. */
export const placesOf = (stations: readonly number[]): Places[] => [
  {
    name: STATIONS,
    title: 'Stations',
    fields: STATION,
    select: `${selectOf(STATION)} from api.station s where s.id = any('{${stations.join()}}'::int[]) order by s.id`,
  },
  {
    name: 'regions.csv',
    title: 'Cities and districts',
    fields: REGION,
    select: `${selectOf(REGION)} from api.region r order by r.slug collate "C"`,
  },
];
