/** The documents on warnings: changes of the air quality category of a station or region. */
import { z } from 'zod';
import { aqi, field, instant, measured } from '../fields.ts';
import { BANDS } from './now.ts';

/** The categories of the US EPA's index, worst last. */
const US_CATEGORIES = [
  'good',
  'moderate',
  'unhealthy for sensitive groups',
  'unhealthy',
  'very unhealthy',
  'hazardous',
] as const;

const category = z.enum([...new Set([...US_CATEGORIES, ...BANDS])]).meta({
  id: 'AirQualityCategory',
  description: `with index aqi, a category of the US EPA: ${US_CATEGORIES.join(', ')}; with eaqi, a band of the European index: ${BANDS.join(', ')}`,
});

const POLLUTANTS = ['pm2.5', 'pm10', 'o3', 'no2', 'so2'] as const;
const MEAN = 'mean of the hour, as it was announced';

const warning = z
  .strictObject({
    timestamp: field(instant, 'start of the hour with which the category changed'),
    announced_at: field(
      instant,
      'the instant at which it was announced: at the end of the hour, or up to three hours later, as the hour became known',
    ),
    category: field(
      category,
      'the category announced: where it is worse than before, that of the hour; where it is better, the worst of this hour and the two before it that have one',
    ),
    before: field(
      category.nullable(),
      'the category announced until then; null for the first one known',
    ),
    aqi,
    pollutant: field(z.enum(POLLUTANTS), 'the pollutant that makes the category of the hour'),
    unit: field(z.string(), 'the unit of this pollutant'),
    'pm2.5': measured('pm25', MEAN),
    pm10: measured('pm10', MEAN),
    o3: measured('o3', MEAN),
    no2: measured('no2', MEAN),
    so2: measured('so2', MEAN),
  })
  .meta({
    id: 'Warning',
    description:
      'a change of the category, as it was announced. It gets worse at once, when an hour is 5 % beyond the upper bound of the announced category (with aqi, a bound of the index: 52.5, 105, 157.5, 210 or 315; with eaqi, of the mean), and better when three hours in a row were 5 % below its lower bound. An hour that becomes known, or changes, more than three hours after its end is not announced, and what was announced stays',
  });

const warningsOf = (name: string) =>
  z
    .strictObject({
      index: field(
        z.enum(['aqi', 'eaqi']),
        'aqi: the US EPA’s index of PM2.5 and PM10; eaqi: the European index, where the operator prefers it, or where no hour has PM2.5 or PM10',
      ),
      category: field(
        category.nullable(),
        'the category now; null if none of the last three closed hours has one',
      ),
      category_since: field(
        instant.nullable(),
        'start of the hour with which it began; null if no change of it is listed',
      ),
      since: field(instant, 'changes with hours from then on are listed, at most 100'),
      warnings: field(z.array(warning), 'newest first'),
    })
    .meta({
      id: `${name}Warnings`,
      description: `changes of the air quality category of a ${name.toLowerCase()} in the last 30 local days`,
    });

export const stationWarnings = warningsOf('Station');
export const regionWarnings = warningsOf('Region');
