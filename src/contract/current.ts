/**
 * Providers, and stations and regions with their current values, in the key order of the
 * specification.
 */
import { z } from 'zod';
import { aqi, field, instant, measured, parameter, slug } from './fields.ts';
import {
  keyOf,
  type PARAMETERS,
  type Parameter,
  type ParameterName,
  parameterNames,
} from './parameters.ts';

export const provider = z
  .strictObject({
    id: field(z.string(), 'slug of the provider; stations refer to it'),
    title: field(z.string(), 'human-readable name'),
    url: field(z.string(), "link to the provider's page, or an empty string"),
    image: field(z.string(), 'URL of the icon for light surfaces, or an empty string'),
    image_dark: field(z.string(), 'URL of the icon for dark surfaces, or an empty string'),
  })
  .meta({ id: 'Provider', description: 'an organization or a person that operates stations' });

export type Provider = z.infer<typeof provider>;

const nullableSlug = slug.nullable();

/** Clockwise from north, in Latin letters in every locale (C3). */
const COMPASS_POINTS = [
  ...(['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE'] as const),
  ...(['S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW'] as const),
] as const;

/** After temperature, humidity, pressure and the index, in the order of the specification. */
const ORDER = [
  ...(['pm25', 'pm25_raw', 'pm10', 'pm1', 'wind_speed', 'wind_direction', 'uv', 'rain'] as const),
  ...(['no2', 'so2', 'o3', 'dust', 'usvh'] as const),
] as const satisfies ParameterName[];

type KeyOf<Name extends string> = Name extends `pm25${infer Rest}` ? `pm2.5${Rest}` : Name;

/**
 * The current values of the parameters that a condition selects, each under its key, and the index.
 * Parameters that the specification does not know come last.
 */
function current<Name extends ParameterName>(
  isWanted: (parameter: Parameter) => boolean,
  how: (kind: Parameter['kind']) => string,
) {
  const schemas = (names: ParameterName[]) =>
    Object.fromEntries(
      names.map((name) => {
        const { kind, currentType } = parameter(name);
        const whole = currentType === 'int' ? ', a whole number' : '';
        return [keyOf(name), measured(name, `${how(kind)}${whole}`)];
      }),
    );
  return {
    ...schemas(parameterNames((one) => isWanted(one) && one.flag === 'thp')),
    aqi,
    ...schemas(parameterNames((one) => isWanted(one) && one.flag !== 'thp', ORDER)),
  } as { aqi: typeof aqi } & Record<KeyOf<Name>, ReturnType<typeof measured>>;
}

/** An element of `stations[]`, and the response for one station. */
export const station = z
  .strictObject({
    id: field(z.int().min(1), 'station id', null),
    status: field(
      z.enum(['online', 'offline']),
      'online if the latest measurement is recent enough',
    ),
    title: field(z.string(), 'address or name of the site in the requested locale'),
    city: field(z.string().nullable(), 'name of the city in the requested locale'),
    city_slug: field(nullableSlug, 'slug of the city'),
    district: field(z.string().nullable(), 'name of the district in the requested locale'),
    district_slug: field(nullableSlug, 'slug of the district'),
    latitude: field(z.number().min(-90).max(90), 'latitude, WGS 84', 'degrees'),
    longitude: field(z.number().min(-180).max(180), 'longitude, WGS 84', 'degrees'),
    is_bad_thp: field(z.boolean(), 'whether temperature, humidity and pressure look unreliable'),
    measurement_time: field(
      instant.nullable(),
      'time of the latest measurement; null when offline',
    ),
    ...current<ParameterName>(
      () => true,
      (kind) => `${kind === 'sum' ? 'sum' : 'mean'} of the latest hour`,
    ),
    wind_direction: field(
      z.enum(COMPASS_POINTS).nullable(),
      'compass point that the wind comes from, mean of the latest hour',
    ),
    lux: field(z.null(), 'reserved, always null'),
    provider: field(z.string(), 'slug of the provider, an id of providers[]'),
    url: field(z.string(), "the station's page on the service site, or an empty string"),
  })
  .meta({
    id: 'Station',
    description: 'a station with its current values, which are null while it is offline',
  });

export type Station = z.infer<typeof station>;

type RegionalName = Extract<(typeof PARAMETERS)[number], { inRegions: true }>['name'];
const ratio = z.number().nullable();

const values = {
  measurement_time: field(
    instant.nullable(),
    'time of the digest used; null if there is no recent one',
  ),
  ...current<RegionalName>(
    ({ inRegions }) => inRegions === true,
    () => 'mean over the online stations',
  ),
  station_count: field(
    z.int().min(1).nullable(),
    'number of stations in the digest used',
    'stations',
  ),
  'who_daily_pm2.5': measured('pm25', 'mean of the last 24 closed hours'),
  who_daily_exceedance: field(
    ratio,
    'ratio to the daily guideline of 15 µg/m³; null up to 15 % above it',
    'times',
  ),
  'who_year_pm2.5': measured('pm25', 'mean of the last 365 completed days'),
  who_yearly_exceedance: field(
    ratio,
    'ratio to the yearly guideline of 5 µg/m³; null up to 15 % above it',
    'times',
  ),
  'who_pm2.5_exceedance_days': field(
    z.int().min(0).max(365),
    'number of days with a mean PM2.5 above 15 µg/m³ among the last 365 completed',
    'days',
  ),
  month_cigarettes: field(
    ratio,
    'exposure over 30 days: mean PM2.5 of the last 30 completed days × 30 / 22',
    'cigarettes',
  ),
  url: field(z.string(), "the region's page on the service site, or an empty string"),
  map_latitude: field(
    z.number().min(-90).max(90),
    'latitude of the centre of the map, WGS 84',
    'degrees',
  ),
  map_longitude: field(
    z.number().min(-180).max(180),
    'longitude of the centre of the map, WGS 84',
    'degrees',
  ),
  map_delta: field(z.number(), 'span of the map', 'degrees'),
};

export const city = z
  .strictObject({
    slug: field(slug, 'slug of the city'),
    title: field(z.string(), 'name of the city in the requested locale'),
    ...values,
    is_hidden: field(z.boolean(), 'whether the city is hidden from some listings'),
  })
  .meta({
    id: 'City',
    description: 'a city with its current values and health figures; only cities have `is_hidden`',
  });

/** Its city follows its own title. */
export const district = z
  .strictObject({
    slug: field(slug, 'slug of the district'),
    title: field(z.string(), 'name of the district in the requested locale'),
    city: field(z.string(), 'name of its city in the requested locale'),
    city_slug: field(slug, 'slug of its city'),
    ...values,
  })
  .meta({ id: 'District', description: 'a district with its current values and health figures' });

/** An element of `regions[]`, and the response for one region. */
export const region = z
  .union([city, district])
  .meta({ id: 'Region', description: 'a city or a district; only districts have `city_slug`' });

export type City = z.infer<typeof city>;
type District = z.infer<typeof district>;
export type Region = City | District;
