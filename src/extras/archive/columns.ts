/**
 * The columns of the archive's files: the keys of the history documents, a pair of extremes as two
 * columns, and what else the database knows of a bucket.
 */
import type { z } from 'zod';
import { parameter } from '../../contract/fields.ts';
import { regionDay, regionHour, stationDay, stationHour } from '../../contract/history.ts';
import { PARAMETERS, type ParameterName, type Unit } from '../../contract/parameters.ts';

/** How a column comes from the server and goes into the file. */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'string' | 'instant';

export type ArchiveColumn = {
  name: string;
  type: ColumnType;
  meaning: string;
  unit?: Unit;
  /** Its expression in the query of the file. */
  sql: string;
  /** True if it is never null. */
  isRequired: boolean;
};

export type Subject = 'station' | 'region';
export type BucketUnit = 'hour' | 'day';

const SHAPES = {
  station: { hour: stationHour.shape, day: stationDay.shape },
  region: { hour: regionHour.shape, day: regionDay.shape },
} as const satisfies Record<Subject, Record<BucketUnit, z.ZodRawShape>>;

const ID = {
  station: { name: 'station_id', type: 'integer', meaning: 'the station, as in stations.csv' },
  region: {
    name: 'region_slug',
    type: 'string',
    meaning: 'the city or district, as in regions.csv',
  },
} as const;

/** The columns of a file, in order. `b` is the bucket in schema api, `d` the same in rollup, `f` its flags. */
export function columnsOf(subject: Subject, unit: BucketUnit): ArchiveColumn[] {
  const keys = Object.keys(SHAPES[subject][unit]).filter((key) => !key.startsWith('range_'));
  const id = ID[subject];
  return [
    { ...id, sql: `b.${id.name}`, isRequired: true },
    ...keys.map((key) => published(key, unit)),
    ...(unit === 'day' ? ['min_aqi', 'max_aqi'].map((key) => published(key, unit)) : []),
    ...(subject === 'station' ? [SENSOR_COUNT, ...FLAGS[unit]] : []),
    ...(unit === 'day' ? hoursOf(keys) : []),
  ];
}

/** A column that the history documents have under the same name. */
function published(key: string, unit: BucketUnit): ArchiveColumn {
  const sql = `b.${key}`;
  if (key === 'timestamp')
    return { name: key, type: 'instant', meaning: `start of the ${unit}`, sql, isRequired: true };
  if (key === 'station_count')
    return {
      name: key,
      type: 'integer',
      meaning: `number of stations in the mean${unit === 'day' ? ', mean of the hours' : ''}`,
      unit: 'stations',
      sql,
      isRequired: false,
    };
  const [prefix = '', name = ''] = /^(avg|total|min|max)_(.*)/.exec(key)?.slice(1) ?? ['', key];
  if (name === 'aqi')
    return {
      name: key,
      type: 'integer',
      meaning: `US EPA air quality index of PM2.5 and PM10 only${prefix === '' ? '' : `, ${HOW[prefix]}`}`,
      unit: 'US EPA AQI',
      sql,
      isRequired: false,
    };
  const { kind, meaning, unit: ofValue, digits } = parameter(name as ParameterName);
  const how = kind === 'vector' ? 'direction of the mean vector' : HOW[prefix];
  return {
    name: key,
    type: digits === 0 ? 'integer' : 'number',
    meaning: `${meaning}, ${how}`,
    unit: ofValue,
    sql,
    isRequired: false,
  };
}

const HOW: Readonly<Record<string, string>> = {
  avg: 'mean',
  total: 'sum',
  min: 'lowest hourly mean',
  max: 'highest hourly mean',
};

const SENSOR_COUNT: ArchiveColumn = {
  name: 'sensor_count',
  type: 'integer',
  meaning: 'number of sensors in the mean; for a day, the mean of its hours',
  sql: 'b.sensor_count',
  isRequired: false,
};

const flagsOf = (when: string): ArchiveColumn[] => [
  {
    name: 'is_bad_thp',
    type: 'boolean',
    meaning: `whether temperature, humidity and pressure look unreliable ${when}, so that regions leave them out`,
    sql: 'coalesce(f.is_bad_thp, false)',
    isRequired: true,
  },
  {
    name: 'is_bad_pm',
    type: 'boolean',
    meaning: `whether PM2.5, PM10 and the index are suspect ${when}, so that regions leave them out`,
    sql: 'coalesce(f.is_bad_pm, false)',
    isRequired: true,
  },
];
const FLAGS = { hour: flagsOf('in the hour'), day: flagsOf('in an hour of the day') };

/** The hours behind a day, and behind each of its means. The rain of a day has no number of its own. */
function hoursOf(keys: readonly string[]): ArchiveColumn[] {
  const means = PARAMETERS.filter(({ name }) => keys.includes(`avg_${name}`)).map(
    ({ name, kind }) => ({
      name: `hours_${name}`,
      meaning: `hours in avg_${name}`,
      sql: kind === 'vector' ? 'd.wind_hours' : `d.${name}_hours`,
    }),
  );
  const all = { name: 'hours', meaning: 'hours of the day with readings', sql: 'd.hours' };
  return [all, ...means].map((column) => ({
    ...column,
    type: 'integer',
    unit: 'hours',
    isRequired: true,
  }));
}
