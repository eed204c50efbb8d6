/**
 * The files of airquality.am's open data and their columns. Known from published copies of 2025 and 2026: sensors.csv, the first seven
 * columns of the files of sensors and stations, all columns of city_avg_daily.csv and city_avg_hourly, and that PM2.5 is called pm2.5 in
 * hours of sensors and stations but avg_pm2.5 elsewhere. Inferred: the other columns, which are like those of cities. Pressure is in Pa,
 * and times are local without an offset.
 */
import { parameter } from '../contract/fields.ts';
import type { ParameterName, Unit } from '../contract/parameters.ts';

/** What a field of a file holds, in words of Frictionless' Table Schema. */
type FieldType = 'integer' | 'number' | 'string' | 'boolean' | 'datetime';

/** A column as readers are told of it. */
export type Field = { name: string; type: FieldType; meaning: string; unit?: Unit | 'm' };

/** A column of measured values. */
export type Column = Field & {
  /** Its name in schema api. */
  source: string;
  /** Decimals written. */
  digits: number;
};

export type Layout = {
  name: string;
  title: string;
  /** Relative to the folder of the export; `{year}` stands for the local year of its buckets. */
  file: string;
  unit: 'hour' | 'day';
  /** Where its buckets come from, in schema api; the period of sensor_daily is an argument. */
  source: 'sensor_hourly' | 'sensor_daily' | 'station_hourly' | 'station_daily' | 'region_hourly' | 'region_daily';
  /** The view whose first and last bucket say which period there is. A sensor's hour counts only if there is one of its station. */
  extent: 'station_hourly' | 'station_daily' | 'region_hourly' | 'region_daily';
  /** Buckets per sensor, station or city in one query. */
  rangeBuckets: number;
  /** The column that says what the line is about; `source` is its name in schema api. */
  subject: Field & { source: 'sensor_id' | 'station_id' | 'region_slug' };
  columns: readonly Column[];
};

type Written = 'mean' | 'lowest' | 'highest';

function column(wanted: ParameterName, written: Written = 'mean'): Column {
  const { name, kind, digits, meaning, unit } = parameter(wanted);
  const prefix = { mean: kind === 'sum' ? 'total' : 'avg', lowest: 'min', highest: 'max' }[written];
  const how = { mean: kind === 'sum' ? 'sum' : 'mean', lowest: 'lowest hourly mean', highest: 'highest hourly mean' };
  return {
    name: `${prefix}_${name === 'pm25' ? 'pm2.5' : name}`,
    type: 'number',
    meaning: `${meaning}; ${how[written]}`,
    unit,
    source: `${prefix}_${name}`,
    digits,
  };
}

const FIRST = ['pm25', 'pm10', 'temperature', 'pressure', 'humidity', 'no2', 'dust', 'o3', 'so2', 'rain'] as const;
const STATION_COLUMNS = [...FIRST, 'usvh' as const].map((name) => column(name));
const CITY_COLUMNS = [...FIRST, 'wind_speed' as const, 'wind_direction' as const].map((name) => column(name));
const CITY_DAILY_COLUMNS = [
  ...CITY_COLUMNS.flatMap((mean) => {
    if (mean.source === 'avg_pm25') return [mean, column('pm25', 'lowest'), column('pm25', 'highest')];
    if (mean.source !== 'avg_temperature') return [mean];
    return [mean, column('temperature', 'lowest'), column('temperature', 'highest')];
  }),
  column('usvh'),
];
/** With wind, so that a network made from these files has that of its cities. */
const SENSOR_COLUMNS = [...STATION_COLUMNS, column('wind_speed'), column('wind_direction')].map((mean) =>
  mean.source === 'avg_pm25'
    ? { ...mean, meaning: 'PM2.5 as the instrument gave it, not corrected by a formula; mean' }
    : mean,
);

/** In hours of sensors and stations, PM2.5 has no prefix. */
const inHours = (columns: readonly Column[]): Column[] =>
  columns.map((each) => (each.source === 'avg_pm25' ? { ...each, name: 'pm2.5' } : each));

const SENSOR = {
  name: 'sensor_id',
  type: 'integer',
  meaning: 'the sensor, as in sensors.csv',
  source: 'sensor_id',
} as const;
const STATION = {
  name: 'station_id',
  type: 'integer',
  meaning: 'the station, as in sensors.csv',
  source: 'station_id',
} as const;
const CITY = {
  name: 'city_slug',
  type: 'string',
  meaning: 'the city, as in sensors.csv',
  source: 'region_slug',
} as const;

/** In the order in which they are written. */
export const LAYOUTS: readonly Layout[] = [
  {
    name: 'sensor_avg_hourly',
    title: 'Hours of sensors, while they stood at a station and were not suspicious',
    file: 'sensor_avg_hourly/sensor_avg_hourly_{year}.csv',
    unit: 'hour',
    source: 'sensor_hourly',
    extent: 'station_hourly',
    rangeBuckets: 744,
    subject: SENSOR,
    columns: inHours(SENSOR_COLUMNS),
  },
  {
    name: 'sensor_avg_daily',
    title: 'Days of sensors: the means of their hours',
    file: 'sensor_avg_daily.csv',
    unit: 'day',
    source: 'sensor_daily',
    extent: 'station_daily',
    rangeBuckets: 31, // each is computed from its hours
    subject: SENSOR,
    columns: SENSOR_COLUMNS,
  },
  {
    name: 'station_avg_hourly',
    title: 'Hours of stations: the means of their sensors',
    file: 'station_avg_hourly/station_avg_hourly_{year}.csv',
    unit: 'hour',
    source: 'station_hourly',
    extent: 'station_hourly',
    rangeBuckets: 744,
    subject: STATION,
    columns: inHours(STATION_COLUMNS),
  },
  {
    name: 'station_avg_daily',
    title: 'Days of stations: the means of their hours',
    file: 'station_avg_daily.csv',
    unit: 'day',
    source: 'station_daily',
    extent: 'station_daily',
    rangeBuckets: 744,
    subject: STATION,
    columns: STATION_COLUMNS,
  },
  {
    name: 'city_avg_hourly',
    title: 'Hours of cities: the means of their stations',
    file: 'city_avg_hourly/city_avg_hourly_{year}.csv',
    unit: 'hour',
    source: 'region_hourly',
    extent: 'region_hourly',
    rangeBuckets: 744,
    subject: CITY,
    columns: CITY_COLUMNS,
  },
  {
    name: 'city_avg_daily',
    title: 'Days of cities: the means of their hours',
    file: 'city_avg_daily.csv',
    unit: 'day',
    source: 'region_daily',
    extent: 'region_daily',
    rangeBuckets: 744,
    subject: CITY,
    columns: CITY_DAILY_COLUMNS,
  },
];

/** The columns of a file, in order. */
export const fieldsOf = ({ subject, unit, columns }: Layout): readonly Field[] => [
  subject,
  { name: 'timestamp', type: 'datetime', meaning: `when the ${unit} begins, local time` },
  ...columns,
];
