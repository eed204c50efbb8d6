/** The documents on many places at once, for lists and maps, beside the list of stations. */
import { z } from 'zod';
import { field, instant, measured, parameter, slug } from '../fields.ts';
import { band, concentration, pollutant, trend } from './now.ts';

/** In a larger network, lists of all stations are too long to draw a line for each. */
export const MOST_LINES = 1_500;

const station = { id: field(z.int().min(1), 'station id', null) };
const region = { slug: field(slug, 'slug of the city or district') };

const judged = {
  european_index: field(
    band,
    'European air quality index of the hour, without particles that are suspect; null if there is none',
  ),
  pollutant: field(
    pollutant.nullable(),
    'the first pollutant, in the order of now.json, that has this band',
  ),
  concentration: concentration('mean of this pollutant in the hour'),
  'pm2.5': measured('pm25', 'mean of the hour, also a suspect one; null without an index'),
  has_measured: field(z.boolean(), 'whether anything was ever measured there'),
};
const stationJudged = z
  .strictObject({
    ...station,
    ...judged,
    is_bad_pm: field(z.boolean(), 'whether particles and the index of stations.json are suspect'),
  })
  .meta({ id: 'JudgedStation', description: 'what lists say of a station beside its values' });
const regionJudged = z
  .strictObject({ ...region, ...judged })
  .meta({ id: 'JudgedRegion', description: 'what lists say of a region beside its values' });
export const now = z
  .strictObject({
    timestamp: field(instant, 'start of the last closed hour'),
    stations: field(z.array(stationJudged), 'listed stations, by id'),
    regions: field(z.array(regionJudged), 'cities, then districts, each by slug'),
  })
  .meta({
    id: 'Now',
    description: 'what lists and maps say of all places beside stations.json',
  });

const { meaning, unit } = parameter('pm25');
const line = {
  trend,
  'pm2.5': field(
    z.array(z.number().nullable()).length(24),
    `${meaning}, means of the last 24 closed hours in their order; null where there is none`,
    unit,
  ),
};
const stationLine = z
  .strictObject({ ...station, ...line })
  .meta({ id: 'StationLine', description: 'the last 24 hours of a station' });
const regionLine = z
  .strictObject({ ...region, ...line })
  .meta({ id: 'RegionLine', description: 'the last 24 hours of a region' });
export const lastDay = z
  .strictObject({
    stations: field(
      z.array(stationLine).max(MOST_LINES),
      `listed stations; none in a network of more than ${MOST_LINES}`,
    ),
    regions: field(z.array(regionLine), 'cities and districts'),
  })
  .meta({ id: 'LastDay', description: 'PM2.5 of the last 24 closed hours at all places' });
export const regionLastDay = z
  .strictObject({
    stations: field(z.array(stationLine), 'its listed stations'),
    regions: field(z.array(regionLine), 'its districts'),
  })
  .meta({
    id: 'RegionLastDay',
    description: 'PM2.5 of the last 24 closed hours at the stations and districts of a region',
  });
