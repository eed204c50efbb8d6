/**
 * A region, that is a city or district, with its current values and health figures: an element of `regions[]` and the response for one
 * region. The key order is that of the specification.
 */
import { z } from 'zod';
import { aqi, field, instant, measured, slug } from './fields.ts';

const DIGEST = 'mean over the online stations';
const ratio = z.number().nullable();

const values = {
  measurement_time: field(instant.nullable(), 'time of the digest used; null if there is no recent one'),
  temperature: measured('temperature', DIGEST),
  humidity: measured('humidity', DIGEST),
  pressure: measured('pressure', `${DIGEST}, a whole number`),
  aqi,
  'pm2.5': measured('pm25', DIGEST),
  pm10: measured('pm10', DIGEST),
  no2: measured('no2', DIGEST),
  station_count: field(z.int().min(1).nullable(), 'number of stations in the digest used', 'stations'),
  'who_daily_pm2.5': measured('pm25', 'mean of the last 24 closed hours'),
  who_daily_exceedance: field(ratio, 'ratio to the daily guideline of 15 µg/m³; null up to 15 % above it', 'times'),
  'who_year_pm2.5': measured('pm25', 'mean of the last 365 completed days'),
  who_yearly_exceedance: field(ratio, 'ratio to the yearly guideline of 5 µg/m³; null up to 15 % above it', 'times'),
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
  map_latitude: field(z.number().min(-90).max(90), 'latitude of the centre of the map, WGS 84', 'degrees'),
  map_longitude: field(z.number().min(-180).max(180), 'longitude of the centre of the map, WGS 84', 'degrees'),
  map_delta: field(z.number(), 'span of the map', 'degrees'),
};

export const city = z
  .strictObject({
    slug: field(slug, 'slug of the city'),
    title: field(z.string(), 'name of the city in the requested locale'),
    ...values,
    is_hidden: field(z.boolean(), 'whether the city is hidden from some listings'),
  })
  .describe('a city with its current values and health figures; only cities have `is_hidden`');

/** Its city follows its own title. */
export const district = z
  .strictObject({
    slug: field(slug, 'slug of the district'),
    title: field(z.string(), 'name of the district in the requested locale'),
    city: field(z.string(), 'name of its city in the requested locale'),
    city_slug: field(slug, 'slug of its city'),
    ...values,
  })
  .describe('a district with its current values and health figures');

export const region = z.union([city, district]).describe('a city or a district; only districts have `city_slug`');

export type City = z.infer<typeof city>;
export type District = z.infer<typeof district>;
export type Region = City | District;
