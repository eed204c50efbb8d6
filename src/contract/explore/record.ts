/** The documents on the record: days of a year, months, how complete they are, and limits. */
import { z } from 'zod';
import { aqi, field, instant, measured } from '../fields.ts';
import { regionDay, stationDay } from '../history.ts';
import { limitOf } from '../limits.ts';
import type { ParameterName } from '../parameters.ts';
import { exact } from './hour.ts';
import { band, pollutant } from './now.ts';

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

/** Like the AQI, of what is published: anybody can compute it from the document. */
const european = {
  european_index: field(
    band,
    'European air quality index of the published means; its bands are made for hours',
  ),
  pollutant: field(
    pollutant.nullable(),
    'the first pollutant, in the order of now.json, in this band',
  ),
};

/**
 * A day of a history with its European index and its completeness (A11): a parameter has `hours` of
 * `expected_hours`, and the day is marked below 75 %.
 */
export const withHours = <Day extends z.ZodRawShape>(day: z.ZodObject<Day>) =>
  day.extend({
    ...european,
    hours: field(counts, 'the numbers of its hours'),
    expected_hours: field(
      ofHours,
      'hours of the day, of the first one from the first hour with readings on',
      'hours',
    ),
  });

/** The schema for stations, and for regions. */
const both = <Schema extends z.ZodType>(schema: (subject: 'Station' | 'Region') => Schema) => ({
  station: schema('Station'),
  region: schema('Region'),
});

const DAYS = { Station: stationDay, Region: regionDay };

export const days = both((subject) => {
  const description = 'a completed day, and the number of hours behind each of its means';
  const day: z.ZodObject = DAYS[subject];
  const one = withHours(day).meta({ id: `${subject}DayWithHours`, description });
  return z
    .strictObject({
      year,
      days: field(z.array(one).max(366), 'completed days with readings, in the order of time'),
    })
    .meta({ id: `${subject}Days`, description: 'the completed days of a local year' });
});

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
export const months = both((subject) => {
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
      ...european,
      pollutant_hours: field(ofHours, 'closed hours with this pollutant', 'hours'),
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
});
export const completeness = both((subject) =>
  z
    .strictObject({
      days: field(z.array(measuredHours).max(30), 'the last 30 completed days, as in the history'),
      months: field(z.array(measuredHours).max(24), 'the last 24 months, as in the history'),
    })
    .meta({
      id: `${subject}Completeness`,
      description: 'how complete the days and months of the history are',
    }),
);

const ofYear = z.int().min(0).max(365);

/** The mean of a year against its limit. */
const yearOf = (name: ParameterName) => {
  const { limit } = limitOf(name, 'year');
  const meaning = `mean of the days; the limit of a year is ${limit} µg/m³`;
  return { mean: field(z.number().nullable(), meaning, 'µg/m³') };
};

/** The days of a year against the limit of a day. */
const daysOf = (name: ParameterName) => {
  const { limit, allowed } = limitOf(name, 'day');
  const above = `days above the limit of a day, ${limit} µg/m³; ${allowed} are allowed in a year`;
  return {
    days: field(ofYear, 'days with a value among the last 365 completed', 'days'),
    days_above: field(ofYear, above, 'days'),
  };
};

/** The hours of a year against the limit of an hour. */
const hoursOf = (name: ParameterName) => {
  const { limit, allowed } = limitOf(name, 'hour');
  const above = `hours above the limit of an hour, ${limit} µg/m³; ${allowed} are allowed in a year`;
  return {
    hours: field(ofHours, 'hours with a value in the last 365 completed days', 'hours'),
    hours_above: field(ofHours, above, 'hours'),
  };
};

/** The days of a year, by their highest mean of eight hours. */
const eightHoursOf = (name: ParameterName) => {
  const { limit, allowed } = limitOf(name, '8 hours');
  const days =
    'days with a mean of eight hours among the last 365 completed; a mean of eight hours needs six of them, and belongs to the day on which it ends';
  const above = `days whose highest mean of eight hours is above the target value, ${limit} µg/m³; ${allowed} are allowed in a year, as the mean of three years`;
  return { days: field(ofYear, days, 'days'), days_above: field(ofYear, above, 'days') };
};

const againstLimits = <Shape extends z.ZodRawShape>(name: ParameterName, shape: Shape) =>
  z.strictObject(shape).meta({
    id: `EuLimit_${name}`,
    description: 'a pollutant against the limits of the EU from 2030',
  });
const pm25Limits = againstLimits('pm25', { ...yearOf('pm25'), ...daysOf('pm25') });
const pm10Limits = againstLimits('pm10', { ...yearOf('pm10'), ...daysOf('pm10') });
const no2Limits = againstLimits('no2', { ...yearOf('no2'), ...daysOf('no2'), ...hoursOf('no2') });
const so2Limits = againstLimits('so2', { ...yearOf('so2'), ...daysOf('so2'), ...hoursOf('so2') });
const o3Limits = againstLimits('o3', eightHoursOf('o3'));
export const limits = both((subject) =>
  z
    .strictObject({
      'pm2.5': field(pm25Limits, 'PM2.5'),
      pm10: field(pm10Limits, 'PM10'),
      no2: field(no2Limits, 'nitrogen dioxide, converted to µg/m³'),
      so2: field(so2Limits, 'sulphur dioxide'),
      o3: field(o3Limits, 'ozone'),
    })
    .meta({
      id: `${subject}Limits`,
      description: `the last 365 completed days against the limits of the EU from 2030 (Directive (EU) 2024/2881, Annex I)`,
    }),
);
