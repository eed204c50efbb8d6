/**
 * The points of a history response and its windows. The keys of a point depend on its subject
 * and bucket (H2, H3): only stations have `avg_pm25_raw`, only regions `station_count`, only days
 * and months extremes. The specification orders the keys.
 */
import { z } from 'zod';
import { aqi, field, instant, measured, pairOf, range } from './fields.ts';
import type { ParameterName } from './parameters.ts';
import { WINDOWS, type Window } from './windows.ts';

const MEAN = 'mean of the bucket';

const start = { timestamp: field(instant, 'start of the bucket') };

const means = {
  avg_temperature: measured('temperature', MEAN),
  avg_humidity: measured('humidity', MEAN),
  avg_pressure: measured('pressure', MEAN),
  avg_pm25: measured('pm25', MEAN),
  avg_pm10: measured('pm10', MEAN),
};

const raw = { avg_pm25_raw: measured('pm25_raw', MEAN) };

const moreMeans = {
  avg_no2: measured('no2', MEAN),
  avg_usvh: measured('usvh', MEAN),
  avg_dust: measured('dust', MEAN),
  avg_so2: measured('so2', MEAN),
  avg_o3: measured('o3', MEAN),
  avg_wind_direction: measured('wind_direction', 'direction of the mean wind vector of the bucket'),
  avg_wind_speed: measured('wind_speed', MEAN),
  total_rain: measured('rain', 'sum of the bucket'),
};

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

const extremes = {
  ...ends('temperature'),
  ...ends('pm25'),
  ...ends('pm10'),
  ...ends('no2'),
  ...ends('dust'),
  ...ends('wind_speed'),
};

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
  .strictObject({ ...start, ...means, ...raw, ...moreMeans, ...index })
  .meta({ id: 'StationHour', description: `a point of ${keysOf('hour')} of a station` });
export const stationDay = z
  .strictObject({
    ...start,
    ...means,
    ...raw,
    ...moreMeans,
    ...ranges,
    ...index,
    ...extremes,
  })
  .meta({ id: 'StationDay', description: `a point of ${keysOf('day', 'month')} of a station` });
export const regionHour = z
  .strictObject({ ...start, ...means, ...moreMeans, ...count, ...index })
  .meta({ id: 'RegionHour', description: `a point of ${keysOf('hour')} of a region` });
export const regionDay = z
  .strictObject({
    ...start,
    ...means,
    ...moreMeans,
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

function ends<Name extends ParameterName>(name: Name) {
  return {
    [`min_${name}`]: measured(name, 'lowest hourly mean in the bucket'),
    [`max_${name}`]: measured(name, 'highest hourly mean in the bucket'),
  } as Record<`min_${Name}` | `max_${Name}`, ReturnType<typeof measured>>;
}

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
