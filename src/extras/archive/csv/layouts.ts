/**
 * The files of airquality.am's open data and their columns. Known from published copies of 2025 and
 * 2026: sensors.csv, the first seven columns of the files of sensors and stations, all columns of
 * city_avg_daily.csv and city_avg_hourly, and that PM2.5 is called pm2.5 in hours of sensors and
 * stations but avg_pm2.5 elsewhere. Inferred: the other columns, which are like the columns of
 * cities. Pressure is in Pa, and times are local without an offset.
 */
import { parameter } from '../../../contract/fields.ts';
import type { ParameterName, Unit } from '../../../contract/parameters.ts';

/** The type of a field of a file, in words of Frictionless' Table Schema. */
type FieldType = 'integer' | 'number' | 'string' | 'boolean' | 'datetime';

/** A column as it is described to readers. */
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
  unit: 'hour' | 'day';
  /** Where its buckets come from, in schema api; the period of sensor_daily is an argument. */
  source:
    | 'sensor_hourly'
    | 'sensor_daily'
    | 'station_hourly'
    | 'station_daily'
    | 'region_hourly'
    | 'region_daily';
  /**
   * The view whose first and last bucket say which period there is. A sensor's hour counts only if
   * there is one of its station.
   */
  extent: 'station_hourly' | 'station_daily' | 'region_hourly' | 'region_daily';
  /** The column that says what the line is about; `source` is its name in schema api. */
  subject: Field & { source: 'sensor_id' | 'station_id' | 'region_slug' };
  columns: readonly Column[];
};

type Written = 'mean' | 'lowest' | 'highest';

function column(wanted: ParameterName, written: Written = 'mean'): Column {
  const { name, kind, digits, meaning, unit } = parameter(wanted);
  const prefix = { mean: kind === 'sum' ? 'total' : 'avg', lowest: 'min', highest: 'max' }[written];
  const how = {
    mean: kind === 'sum' ? 'sum' : 'mean',
    lowest: 'lowest hourly mean',
    highest: 'highest hourly mean',
  };
  return {
    name: `${prefix}_${name === 'pm25' ? 'pm2.5' : name}`,
    type: 'number',
    meaning: `${meaning}; ${how[written]}`,
    unit,
    source: `${prefix}_${name}`,
    digits,
  };
}

/** The columns with another name or meaning for the mean of PM2.5. */
const withPm25 = (columns: readonly Column[], change: Partial<Column>): Column[] =>
  columns.map((each) => (each.source === 'avg_pm25' ? { ...each, ...change } : each));

const FIRST = [
  'pm25',
  'pm10',
  'temperature',
  'pressure',
  'humidity',
  'no2',
  'dust',
  'o3',
  'so2',
  'rain',
] as const;
const WIND = [column('wind_speed'), column('wind_direction')];
const STATION_COLUMNS = [...FIRST, 'usvh' as const].map((name) => column(name));
const CITY_COLUMNS = [...FIRST.map((name) => column(name)), ...WIND];
const CITY_DAILY_COLUMNS = [
  ...FIRST.flatMap((name) =>
    name === 'pm25' || name === 'temperature'
      ? [column(name), column(name, 'lowest'), column(name, 'highest')]
      : [column(name)],
  ),
  ...WIND,
  column('usvh'),
];
/** Columns with wind, so that a network made from these files has the wind of its cities. */
const SENSOR_COLUMNS = withPm25([...STATION_COLUMNS, ...WIND], {
  meaning: 'PM2.5 as the instrument gave it, not corrected by a formula; mean',
});

const SUBJECTS = {
  sensor: { name: 'sensor_id', type: 'integer', source: 'sensor_id' },
  station: { name: 'station_id', type: 'integer', source: 'station_id' },
  city: { name: 'city_slug', type: 'string', source: 'region_slug' },
} as const;

function layout(
  of: keyof typeof SUBJECTS,
  unit: Layout['unit'],
  title: string,
  columns: readonly Column[],
): Layout {
  const level = unit === 'hour' ? 'hourly' : 'daily';
  const stored = of === 'city' ? 'region' : 'station';
  return {
    name: `${of}_avg_${level}`,
    title,
    unit,
    source: `${of === 'sensor' ? of : stored}_${level}`,
    extent: `${stored}_${level}`,
    subject: { ...SUBJECTS[of], meaning: `the ${of}, as in sensors.csv` },
    columns,
  };
}

/** The layouts, in the order in which they are written. */
export const LAYOUTS: readonly Layout[] = [
  layout(
    'sensor',
    'hour',
    'Hours of sensors, while they stood at a station and were not suspicious',
    withPm25(SENSOR_COLUMNS, { name: 'pm2.5' }),
  ),
  layout('sensor', 'day', 'Days of sensors: the means of their hours', SENSOR_COLUMNS),
  layout(
    'station',
    'hour',
    'Hours of stations: the means of their sensors',
    withPm25(STATION_COLUMNS, { name: 'pm2.5' }),
  ),
  layout('station', 'day', 'Days of stations: the means of their hours', STATION_COLUMNS),
  layout('city', 'hour', 'Hours of cities: the means of their stations', CITY_COLUMNS),
  layout('city', 'day', 'Days of cities: the means of their hours', CITY_DAILY_COLUMNS),
];

/** Relative to the folder of the CSV files. Days are in one file, hours in one for each year. */
export const fileOf = ({ name, unit }: Layout, year: string): string =>
  unit === 'day' ? `${name}.csv` : `${name}/${name}_${year}.csv`;

/** Why regions leave parts of a station's hour or day out (C5, C9). */
const FLAG: Field = {
  name: 'flag',
  type: 'string',
  meaning:
    'what its city leaves out, in at least one hour: thp (temperature, pressure and humidity), pm (PM2.5 and PM10) or both',
};

export const isFlagged = ({ source }: Layout): boolean => source.startsWith('station');

/** The columns of a file, in order. */
export const fieldsOf = (layout: Layout): readonly Field[] => {
  const { subject, unit, columns } = layout;
  return [
    subject,
    { name: 'timestamp', type: 'datetime', meaning: `when the ${unit} begins, local time` },
    ...columns,
    ...(isFlagged(layout) ? [FLAG] : []),
  ];
};
