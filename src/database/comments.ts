/**
 * What `\d+ api.…` and a dashboard's author read: every view, function and column of schema api with its unit and meaning. Derived from
 * the contract and the metrics wherever they have said it already.
 */
import type { z } from 'zod';
import { measured } from '../contract/fields.ts';
import { regionDay, stationDay } from '../contract/history.ts';
import { METRICS } from '../contract/metrics.ts';
import { provider } from '../contract/provider.ts';
import { city, district } from '../contract/region.ts';
import { station } from '../contract/station.ts';
import { literal } from './render.ts';

type Meanings = Readonly<Record<string, string>>;

/** Run after schema api is built; a column that is named here and not there stops it. */
export function commentsSql(): string {
  const views = Object.entries(VIEWS).flatMap(([view, { text, columns }]) => [
    `comment on view api.${view} is ${literal(text)};`,
    ...Object.entries(columns).map(
      ([name, meaning]) => `comment on column api.${view}.${name} is ${literal(meaning)};`,
    ),
  ]);
  const functions = Object.entries(FUNCTIONS).map(
    ([signature, text]) => `comment on function api.${signature} is ${literal(text)};`,
  );
  return `\n${[...views, ...functions].join('\n')}\n`;
}

const names = (of: string): Meanings =>
  Object.fromEntries(
    ['en', 'ru', 'hy'].map((locale) => [locale, `${of} in ${locale}, else in English, else any, else its slug or id`]),
  );
const inLocales = (prefix: string, of: string): Meanings =>
  Object.fromEntries(Object.entries(names(of)).map(([locale, text]) => [`${prefix}_${locale}`, text]));

const extremes = METRICS.filter((metric) => 'extremes' in metric);
const means = METRICS.filter((metric) => metric.kind === 'mean');

const INDEX_ENDS = {
  min_aqi: 'US EPA air quality index, lowest of the hours in the bucket [US EPA AQI]',
  max_aqi: 'US EPA air quality index, highest of the hours in the bucket [US EPA AQI]',
};

function bucketColumns(key: string, keyMeaning: string, members: string, membersMeaning: string): Meanings {
  return {
    timestamp: said(stationDay.shape.timestamp),
    [key]: keyMeaning,
    [members]: membersMeaning,
    ...Object.fromEntries(means.map(({ name }) => [`avg_${name}`, said(measured(name, 'mean of the bucket'))])),
    ...pick(stationDay.shape, ['avg_wind_direction', 'total_rain', 'aqi']),
  };
}

const STATION_BUCKET = bucketColumns(
  'station_id',
  'station id',
  'sensor_count',
  'sensors in the mean; of a day or month the mean of its hours’ counts, rounded [sensors]',
);
const REGION_BUCKET = bucketColumns(
  'region_slug',
  'slug of the city or district',
  'station_count',
  said(regionDay.shape.station_count),
);
const EXTREMES: Meanings = {
  ...Object.fromEntries(
    extremes.flatMap(({ name }) => [
      [`min_${name}`, said(measured(name, 'lowest hourly mean in the bucket'))],
      [`max_${name}`, said(measured(name, 'highest hourly mean in the bucket'))],
    ]),
  ),
  ...INDEX_ENDS,
};

const bucketText = (place: string, grain: string) =>
  `${place} ${grain} at published precision. One row for each ${grain.replace(/s$/, '')} with a reading, none for the others; a bucket is named by its start, days and months are local.`;

const REGION_NAMES: Meanings = {
  ...pick(city.shape, ['slug']),
  kind: 'city or district',
  city_slug: 'slug of the city of a district; null for a city',
  ...inLocales('title', 'title'),
  ...inLocales('city', 'title of the city of a district'),
};

const STATION_NAMES: Meanings = {
  ...pick(station.shape, ['id', 'provider']),
  ...inLocales('title', 'title'),
  ...pick(station.shape, ['city_slug']),
  ...inLocales('city', 'title of the city'),
  ...pick(station.shape, ['district_slug']),
  ...inLocales('district', 'title of the district'),
};

const VIEWS: Readonly<Record<string, { text: string; columns: Meanings }>> = {
  provider: { text: 'Who measures.', columns: pick(provider.shape, Object.keys(provider.shape)) },
  region: {
    text: 'Cities and districts, with what does not depend on time.',
    columns: {
      ...REGION_NAMES,
      ...pick(city.shape, ['map_latitude', 'map_longitude', 'map_delta']),
      is_hidden: `${said(city.shape.is_hidden)}; null for a district`,
    },
  },
  station: {
    text: 'Stations, hidden ones included, with what does not depend on time.',
    columns: { ...STATION_NAMES, ...pick(station.shape, ['latitude', 'longitude']) },
  },
  station_flag: {
    text: 'When temperature, humidity and pressure of a station were not to be trusted. One row for each period and reason.',
    columns: {
      station_id: 'station id',
      reason:
        'operator, or what screening found: all_zero, pressure_off_altitude, humidity_pinned, constant_temperature, constant_humidity, constant_pressure',
      sensor_id: 'the sensor whose readings gave it away; null where the operator says so',
      since: 'from when on; null: since ever',
      until: 'until when, exclusive; null: it goes on',
    },
  },
  station_hourly: { text: bucketText('Stations:', 'hours'), columns: STATION_BUCKET },
  station_daily: { text: bucketText('Stations:', 'days'), columns: { ...STATION_BUCKET, ...EXTREMES } },
  station_monthly: { text: bucketText('Stations:', 'months'), columns: { ...STATION_BUCKET, ...EXTREMES } },
  region_hourly: { text: bucketText('Regions:', 'hours'), columns: REGION_BUCKET },
  region_daily: { text: bucketText('Regions:', 'days'), columns: { ...REGION_BUCKET, ...EXTREMES } },
  region_monthly: { text: bucketText('Regions:', 'months'), columns: { ...REGION_BUCKET, ...EXTREMES } },
  newest_bucket: {
    text: 'How far each published aggregate has come. One row for each.',
    columns: {
      place: 'station or region',
      grain: 'hour, day or month',
      timestamp: 'start of its newest bucket; null before the first',
    },
  },
  last_audit: {
    text: 'The audit that was made last, of those that looked back at least as far as that of every night. No row before the first.',
    columns: { made_at: 'when', differing: 'buckets that differed from the readings [buckets]' },
  },
  quarantine_lines: {
    text: 'Whole readings that wait in quarantine, by reason.',
    columns: { reason: 'why they could not be used', lines: 'how many [readings]' },
  },
  storage: {
    text: 'Space on disk, indexes and compressed parts included.',
    columns: { schema: 'raw (what arrived) or rollup (what it adds up to)', bytes: 'its size [bytes]' },
  },
  freshness: {
    text: 'How far the aggregates have come. One row.',
    columns: { refreshed_at: 'when the aggregates were last brought up to date; null before the first time' },
  },
};

const FUNCTIONS: Meanings = {
  'title(jsonb, text, text)':
    'The title in a locale, else in English, else any of them, else the given text. Null only if all of these are.',
  'compass(float8)': 'Compass label of 16 points (N, NNE, …) of a direction in degrees; Latin letters in every locale.',
  'provider_state(timestamptz)':
    'Every provider at an instant. Columns: provider (provider id), measurement_time (newest measurement of its sensors; null without any), online and offline (listed stations of that status [stations]).',
  'sensor(timestamptz)':
    'The sensors where they stand, or stood last, at an instant. Columns: id (sensor id), station_id (station id), kind (kind of sensor), device (what the device it is in calls itself), altitude (of the station [m]), first_measurement_time and last_measurement_time (of its readings), is_suspicious (whether its readings take part in nothing now).',
  'exceedance(float8, float8)':
    'How many times a mean exceeds its guideline, of the same unit, to one decimal; null up to 15 % over it, tested on the unrounded mean.',
  'history_window(timestamptz)':
    'The five history windows at an instant, half-open: series (24h, 7d, 30d, 1y, 2y), unit of the buckets (hour, day, month), since, until. Hours and days are closed ones, months include the running one.',
  'station_current(timestamptz, int)': `Every station at an instant, or the one asked for; no row for an unknown one. Per metric the mean of the hour that ends with the newest value that is not stale, null where there is none; offline without any. Columns: is_listed (whether it is in lists: not hidden), ${columnList({ ...STATION_NAMES, ...pick(station.shape, without(station.shape, ['title', 'city', 'district', 'lux', 'url'])) })}.`,
  'region_current(timestamptz, text)': `Every region at an instant, or the one asked for; no row for an unknown one. Current values come from the newest digest up to 30 minutes old, and are null without one; health figures from closed hours and completed days. Columns: ${columnList({ ...REGION_NAMES, ...pick(district.shape, without(district.shape, ['slug', 'title', 'city', 'city_slug', 'url'])), is_hidden: said(city.shape.is_hidden) })}.`,
  'station_silent(timestamptz)':
    'Listed stations that are offline at an instant though they measured before; no row when there are none. Columns: station_id (station id), last_measurement_time (of the newest reading that counts), silent_minutes (since then [min]).',
  'station_stuck(timestamptz)':
    'Listed stations of which a sensor gave the same hourly mean for 6 closed hours in a row, up to its newest; no row when there are none. Columns: station_id (station id), metric (which, comma-separated: humidity, pm10, pm25 as the instrument gave it, temperature), since (start of the first of those hours, 7 days back at most), hours (how many they are [h]).',
  'station_raving(timestamptz)':
    'Listed stations whose PM2.5 of the newest closed hour is far from that of at least 3 others within 10 km: more than 5 times and 50 µg/m³ above their median, or below a fifth of it where it is more than 25; no row when there are none. Columns: station_id (station id), timestamp (start of the hour), avg_pm25 (of the hour [µg/m³]), neighbour_count (the others [stations]), neighbour_median (of theirs [µg/m³]), difference (above it, negative: below [µg/m³]), ratio (avg_pm25 / neighbour_median, null where that is 0).',
  'station_history(timestamptz)': `The buckets of every station in the five windows of an instant, a bucket once for each window it stands in; ask for one station_id. Hours have no extremes. Columns: series (the window), ${columnList({ ...STATION_BUCKET, ...EXTREMES })}.`,
  'region_history(timestamptz)': `The buckets of every region in the five windows of an instant, a bucket once for each window it stands in; ask for one region_slug. Hours have no extremes. Columns: series (the window), ${columnList({ ...REGION_BUCKET, ...EXTREMES })}.`,
};

function said(schema: z.ZodType): string {
  const { description, unit } = schema.meta() ?? {};
  return unit === undefined ? `${description}` : `${description} [${unit}]`;
}

function pick(shape: Readonly<Record<string, z.ZodType>>, wanted: readonly string[]): Meanings {
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([name]) => wanted.includes(name))
      .map(([name, schema]) => [name, said(schema)]),
  );
}

function without(shape: object, unwanted: readonly string[]): string[] {
  return Object.keys(shape).filter((name) => !unwanted.includes(name));
}

function columnList(columns: Meanings): string {
  return Object.entries(columns)
    .map(([name, meaning]) => `${name} (${meaning})`)
    .join(', ');
}
