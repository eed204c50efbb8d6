/**
 * The files of airquality.am's open data and their columns. Known from published copies of 2025 and 2026: sensors.csv, both hourly
 * files (which is where the PM2.5 of a station is called pm2.5 and that of a city avg_pm2.5), and the first seven
 * columns of station_avg_daily.csv. Inferred: that the daily files go on as the hourly ones do, and that city_avg_daily.csv is like
 * them. In all of them PM2.5 is the corrected one, pressure is in Pa, and stamps are local and without an offset.
 */
import { PARAMETERS, type ParameterName } from '../contract/parameters.ts';

export type Column = {
  name: string;
  /** What it is called in api. */
  source: string;
  digits: number;
};

export type Layout = {
  /** `{year}` stands for the local year of the buckets in it. */
  file: string;
  view: 'station_hourly' | 'station_daily' | 'region_hourly' | 'region_daily';
  unit: 'hour' | 'day';
  /** What the place is called in the file, and in api. */
  place: { name: string; source: 'station_id' | 'region_slug' };
  columns: readonly Column[];
};

const COMMON = ['pm25', 'pm10', 'temperature', 'pressure', 'humidity', 'no2', 'dust', 'o3', 'so2', 'rain'] as const;

const columns = (...parameters: ParameterName[]): Column[] =>
  parameters.map((wanted) => {
    const { name, kind, digits } =
      PARAMETERS[PARAMETERS.findIndex((parameter) => parameter.name === wanted)] ?? PARAMETERS[0];
    const source = kind === 'sum' ? `total_${name}` : `avg_${name}`;
    return { name: source === 'avg_pm25' ? 'avg_pm2.5' : source, source, digits };
  });

const OF_STATION = columns(...COMMON, 'usvh');
const OF_CITY = columns(...COMMON, 'wind_speed', 'wind_direction');
const STATION = { name: 'station_id', source: 'station_id' } as const;
const CITY = { name: 'city_slug', source: 'region_slug' } as const;

export const LAYOUTS: readonly Layout[] = [
  {
    file: 'station_avg_hourly_{year}.csv',
    view: 'station_hourly',
    unit: 'hour',
    place: STATION,
    columns: OF_STATION.map((column) => (column.source === 'avg_pm25' ? { ...column, name: 'pm2.5' } : column)),
  },
  { file: 'station_avg_daily.csv', view: 'station_daily', unit: 'day', place: STATION, columns: OF_STATION },
  {
    file: 'city_avg_hourly_{year}.csv',
    view: 'region_hourly',
    unit: 'hour',
    place: CITY,
    columns: OF_CITY,
  },
  { file: 'city_avg_daily.csv', view: 'region_daily', unit: 'day', place: CITY, columns: OF_CITY },
];

/** As described with the files, one line for each sensor. */
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
