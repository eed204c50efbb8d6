/**
 * The files of airquality.am's open data and their columns. Known from published copies of 2025 and 2026: sensors.csv, both hourly files
 * (in which the PM2.5 of a station is called pm2.5, and that of a city avg_pm2.5) and the first seven columns of station_avg_daily.csv.
 * Inferred: the other columns of that file, and city_avg_daily.csv, which are assumed to be like the hourly files. In all of them PM2.5 is
 * corrected, pressure is in Pa, and times are local without an offset.
 */
import { parameter } from '../contract/fields.ts';
import type { ParameterName } from '../contract/parameters.ts';

export type Column = {
  name: string;
  /** Its name in schema api. */
  source: string;
  /** Decimals written. */
  digits: number;
};

export type Layout = {
  /** `{year}` stands for the local year of its buckets. */
  file: string;
  view: 'station_hourly' | 'station_daily' | 'region_hourly' | 'region_daily';
  unit: 'hour' | 'day';
  /** The column of the station or city, named as in the file and as in schema api. */
  subject: { name: string; source: 'station_id' | 'region_slug' };
  columns: readonly Column[];
};

const COMMON = ['pm25', 'pm10', 'temperature', 'pressure', 'humidity', 'no2', 'dust', 'o3', 'so2', 'rain'] as const;

const columns = (...names: ParameterName[]): Column[] =>
  names.map((wanted) => {
    const { name, kind, digits } = parameter(wanted);
    const source = kind === 'sum' ? `total_${name}` : `avg_${name}`;
    return { name: source === 'avg_pm25' ? 'avg_pm2.5' : source, source, digits };
  });

const STATION_COLUMNS = columns(...COMMON, 'usvh');
const CITY_COLUMNS = columns(...COMMON, 'wind_speed', 'wind_direction');
const STATION = { name: 'station_id', source: 'station_id' } as const;
const CITY = { name: 'city_slug', source: 'region_slug' } as const;

/** In the order in which they are written. */
export const LAYOUTS: readonly Layout[] = [
  {
    file: 'station_avg_hourly_{year}.csv',
    view: 'station_hourly',
    unit: 'hour',
    subject: STATION,
    columns: STATION_COLUMNS.map((column) => (column.source === 'avg_pm25' ? { ...column, name: 'pm2.5' } : column)),
  },
  { file: 'station_avg_daily.csv', view: 'station_daily', unit: 'day', subject: STATION, columns: STATION_COLUMNS },
  {
    file: 'city_avg_hourly_{year}.csv',
    view: 'region_hourly',
    unit: 'hour',
    subject: CITY,
    columns: CITY_COLUMNS,
  },
  { file: 'city_avg_daily.csv', view: 'region_daily', unit: 'day', subject: CITY, columns: CITY_COLUMNS },
];

/** The columns of sensors.csv, as documented with the files; one line per sensor. */
export const SENSOR_COLUMNS = [
  'id',
  'station_id',
  'city_slug',
  'district_slug',
  'address_en',
  'title',
  'provider',
  'external_id',
  'sensor_type',
  'latitude',
  'longitude',
  'altitude',
  'first_measurement_time',
  'last_measurement_time',
  'is_suspicious',
] as const;
