/** The document about one parameter at all stations and regions, which maps show hour by hour. */
import { z } from 'zod';
import { field, instant, slug } from '../fields.ts';
import { keyOf, PARAMETERS, UCUM_CODES } from '../parameters.ts';
import { band } from './now.ts';

const HOURS = 24;
const KEYS = PARAMETERS.map(({ name }) => keyOf(name));

const hourly = {
  values: field(
    z.array(z.number().nullable()).length(HOURS),
    'mean of each of the hours, in their order; null where there is none',
    null,
  ),
  bands: field(
    z.array(band).length(HOURS).nullable(),
    'European band of each of the means before rounding; null for a parameter that the European index does not count',
  ),
};

const positions = z.array(
  z
    .int()
    .min(0)
    .max(HOURS - 1),
);

const stationHours = z
  .strictObject({
    id: field(z.int().min(1), 'station id', null),
    ...hourly,
    suspect: field(
      positions,
      'positions, from 0, of the hours in which a flag says that the values are suspect',
      null,
    ),
    left_out: field(
      positions,
      'positions of those in which regions leave the values out; not yet for an outlier of fewer than 24 suspect hours',
      null,
    ),
  })
  .meta({ id: 'StationMapHours', description: 'the hours of a station on the map of a parameter' });

const regionHours = z
  .strictObject({ slug: field(slug, 'slug of the city or district'), ...hourly })
  .meta({ id: 'RegionMapHours', description: 'the hours of a region on the map of a parameter' });

export const parameterMap = z
  .strictObject({
    parameter: field(z.enum(KEYS), 'key of the parameter'),
    unit: field(z.enum(Object.keys(UCUM_CODES)), 'unit of its values'),
    hours: field(z.array(instant).length(HOURS), 'start of each of the last 24 closed hours'),
    stations: field(z.array(stationHours), 'listed stations with a value in these hours, by id'),
    regions: field(
      z.array(regionHours),
      'cities and districts with a value in these hours, by slug',
    ),
  })
  .meta({
    id: 'ParameterMap',
    description: 'one parameter at all stations and regions in the last 24 closed hours',
  });
