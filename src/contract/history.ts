/**
 * The points of a history response and its windows. The keys of a point depend on its subject
 * and bucket (H2, H3): only stations have `avg_pm25_raw`, only regions `station_count`, only days
 * and months extremes. The specification orders the keys.
 */
import { z } from 'zod';
import { aqi, field, instant, measured, pairOf, parameter, range } from './fields.ts';
import { type ParameterName, parameterNames } from './parameters.ts';
import { WINDOWS, type Window } from './windows.ts';

const MEAN = 'mean of the bucket';

const start = { timestamp: field(instant, 'start of the bucket') };

/** In the order of the specification; parameters that it does not know follow. */
const ORDER = [
  ...(['temperature', 'humidity', 'pressure', 'pm25', 'pm10', 'pm25_raw'] as const),
  ...(['no2', 'usvh', 'dust', 'so2', 'o3', 'wind_direction', 'wind_speed', 'rain'] as const),
] as const satisfies ParameterName[];

/** A bucket has of each parameter its mean, its sum, or the direction of its mean vector. */
const meansOf = (isWanted: (name: string) => boolean) =>
  Object.fromEntries(
    parameterNames(({ name, inHistory }) => inHistory !== false && isWanted(name), ORDER).map(
      (name) => {
        const [prefix, how] = KINDS[parameter(name).kind];
        return [`${prefix}_${name}`, measured(name, how)];
      },
    ),
  );

const KINDS = {
  mean: ['avg', MEAN],
  sum: ['total', 'sum of the bucket'],
  vector: ['avg', 'direction of the mean wind vector of the bucket'],
} as const;

const stationMeans = meansOf(() => true);
/** A region averages the corrected values of its stations. */
const regionMeans = meansOf((name) => name !== 'pm25_raw');

const count = {
  station_count: field(
    z.int().min(0).nullable(),
    'number of stations in the mean; for a day or month, the mean over its hours',
    'stations',
  ),
};

const ranges = {
  range_temperature: range('temperature'),
  range_pm25: range('pm25'),
  range_pm10: range('pm10'),
  range_dust: range('dust'),
  range_wind_speed: range('wind_speed'),
  range_aqi: field(
    pairOf(z.int()),
    'US EPA air quality index of PM2.5 and PM10 only, lowest and highest of the hours in the bucket',
    'US EPA AQI',
  ),
};

const index = { aqi };

const extremes = Object.fromEntries(
  parameterNames((one) => one.extremes === true).flatMap((name) => [
    [`min_${name}`, measured(name, 'lowest hourly mean in the bucket')],
    [`max_${name}`, measured(name, 'highest hourly mean in the bucket')],
  ]),
);

const BUCKETS = {
  hour: 'closed hours',
  day: 'completed days',
  month: 'months, including the current one',
} as const;

/** The keys of the windows of these buckets, in Markdown. */
function keysOf(...units: Window['unit'][]): string {
  const keys = WINDOWS.filter(({ unit }) => units.includes(unit)).map(({ key }) => `\`${key}\``);
  return keys.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

export const stationHour = z
  .strictObject({ ...start, ...stationMeans, ...index })
  .meta({ id: 'StationHour', description: `a point of ${keysOf('hour')} of a station` });
export const stationDay = z
  .strictObject({
    ...start,
    ...stationMeans,
    ...ranges,
    ...index,
    ...extremes,
  })
  .meta({ id: 'StationDay', description: `a point of ${keysOf('day', 'month')} of a station` });
export const regionHour = z
  .strictObject({ ...start, ...regionMeans, ...count, ...index })
  .meta({ id: 'RegionHour', description: `a point of ${keysOf('hour')} of a region` });
export const regionDay = z
  .strictObject({
    ...start,
    ...regionMeans,
    ...count,
    ...ranges,
    ...index,
    ...extremes,
  })
  .meta({ id: 'RegionDay', description: `a point of ${keysOf('day', 'month')} of a region` });

/** Days and months have the same keys. */
export const stationHistory = windows(stationHour, stationDay).meta({
  id: 'StationHistory',
  description: 'the history of a station in every window',
});
export const regionHistory = windows(regionHour, regionDay).meta({
  id: 'RegionHistory',
  description: 'the history of a region in every window',
});

/** The keys of WINDOWS, each with its points. */
function windows<Hour extends z.ZodType, Day extends z.ZodType>(hour: Hour, day: Day) {
  const shape = WINDOWS.map(({ key, unit, count }) => {
    const points = z.array(unit === 'hour' ? hour : day).max(count);
    return [key, points.describe(`the last ${count} ${BUCKETS[unit]}`)] as const;
  });
  return z.strictObject(
    Object.fromEntries(shape) as unknown as {
      [Each in (typeof WINDOWS)[number] as Each['key']]: z.ZodArray<
        Each['unit'] extends 'hour' ? Hour : Day
      >;
    },
  );
}
