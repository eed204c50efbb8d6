/** The documents on the record: days of a year, months, how complete they are, and limits. */
import { z } from 'zod';
import { aqi, field, instant, measured } from '../fields.ts';
import { exact } from './hour.ts';

const year = field(z.int(), 'the year in the path', null);

const ofHours = z.int().min(0);
const counts = z
  .strictObject(
    Object.fromEntries(
      Object.keys(exact.shape)
        .filter((key) => key !== 'timestamp' && key !== 'rain')
        .map((key) => [key, field(ofHours, 'number of hours in this mean', 'hours')]),
    ),
  )
  .meta({
    id: 'HourCounts',
    description: 'hours behind each daily mean; monthly means weight days by them',
  });

/**
 * A day of a history with its completeness (A11): a parameter has `hours` of `expected_hours`, and
 * the day is marked below 75 %.
 */
export const withHours = <Day extends z.ZodRawShape>(day: z.ZodObject<Day>) =>
  day.extend({
    hours: field(counts, 'the numbers of its hours'),
    expected_hours: field(
      ofHours,
      'hours of the day, of the first one from the first hour with readings on',
      'hours',
    ),
  });

export const days = (subject: 'Station' | 'Region', day: z.ZodObject) => {
  const description = 'a completed day, and the number of hours behind each of its means';
  const one = withHours(day).meta({ id: `${subject}DayWithHours`, description });
  return z
    .strictObject({
      year,
      days: field(z.array(one).max(366), 'completed days with readings, in the order of time'),
    })
    .meta({ id: `${subject}Days`, description: 'the completed days of a local year' });
};

const measuredHours = z
  .strictObject({
    timestamp: field(instant, 'start of the bucket'),
    hours: field(counts, 'the numbers of its hours'),
    expected_hours: field(
      ofHours,
      'hours in the bucket; for the first and the current one, hours possible so far',
      'hours',
    ),
  })
  .meta({
    id: 'MeasuredHours',
    description: 'how many hours of a day or month have a value of each parameter',
  });
export const months = (subject: 'Station' | 'Region') => {
  const month = z
    .strictObject({
      timestamp: field(instant, 'start of the month'),
      avg_pm25: measured('pm25', 'mean of the hours in the month'),
      aqi,
      measured_hours: field(
        ofHours,
        'closed hours with the pollutant behind the index: PM2.5, or PM10 where its index is the higher',
        'hours',
      ),
      expected_hours: field(
        ofHours,
        'hours in the month; for the first and the current one, closed hours possible so far (0 until one has closed)',
        'hours',
      ),
    })
    .meta({ id: `${subject}MonthOfRecord`, description: 'a month, its index and completeness' });
  return z
    .strictObject({
      months: field(z.array(month), 'months with readings, in the order of time'),
    })
    .meta({
      id: `${subject}Months`,
      description: 'all months since the first, the current one included',
    });
};
export const completenessOf = (subject: 'Station' | 'Region') =>
  z
    .strictObject({
      days: field(z.array(measuredHours).max(30), 'the last 30 completed days, as in the history'),
      months: field(z.array(measuredHours).max(24), 'the last 24 months, as in the history'),
    })
    .meta({
      id: `${subject}Completeness`,
      description: 'how complete the days and months of the history are',
    });

/**
 * The limits of the EU from 2030, for a year and a day [µg/m³]: Directive (EU) 2024/2881, Annex I.
 */
export const EU_LIMITS = {
  'pm2.5': { year: 10, day: 25 },
  pm10: { year: 20, day: 45 },
  no2: { year: 20, day: 50 },
} as const;

const againstLimit = (name: keyof typeof EU_LIMITS) =>
  z
    .strictObject({
      mean: field(
        z.number().nullable(),
        `mean of the days; the limit of a year is ${EU_LIMITS[name].year} µg/m³`,
        'µg/m³',
      ),
      days: field(
        z.int().min(0).max(365),
        'days with a value among the last 365 completed',
        'days',
      ),
      days_above: field(
        z.int().min(0).max(365),
        `days above the limit of a day, ${EU_LIMITS[name].day} µg/m³`,
        'days',
      ),
    })
    .meta({
      id: `EuLimit_${name.replace('.', '')}`,
      description: 'a pollutant against the limits of the EU from 2030',
    });
export const regionLimits = z
  .strictObject({
    'pm2.5': field(againstLimit('pm2.5'), 'PM2.5'),
    pm10: field(againstLimit('pm10'), 'PM10'),
    no2: field(againstLimit('no2'), 'nitrogen dioxide, converted to µg/m³'),
  })
  .meta({
    id: 'RegionLimits',
    description: 'the last 365 completed days against the limits of the EU from 2030',
  });
