/** The documents on the record: days of a year, months, how complete they are, and limits. */
import { z } from 'zod';
import { aqi, field, instant, measured } from '../fields.ts';
import { regionDay, stationDay } from '../history.ts';
import { VERDICTS } from '../limits.ts';
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

const verdict = (of: string) =>
  field(
    z.enum(VERDICTS),
    `verdict on ${of}: kept, exceeded, running (not exceeded so far, and the year is not over) or insufficient_data (not exceeded, but less than 85 % was measured)`,
  );
const ofYear = z.int().min(0).max(366);
const aLimit = (meaning: string) => field(z.number(), meaning, 'µg/m³');

/** The mean of a year against its limit. */
const yearOf = () => ({
  mean: field(z.number().nullable(), 'mean of the days measured', 'µg/m³'),
  mean_limit: aLimit('limit of a year'),
  mean_verdict: verdict('the mean, which only a year with 85 % of its days can exceed'),
});

/** The days of a year against the limit of a day. */
const daysOf = () => ({
  days: field(ofYear, 'days with a value', 'days'),
  complete_days: field(ofYear, 'days with a value in 18 hours or more', 'days'),
  days_above: field(ofYear, 'days above the limit of a day', 'days'),
  days_limit: aLimit('limit of a day'),
  days_allowed: field(ofYear, 'days above the limit that a year may have', 'days'),
  days_verdict: verdict('the days above'),
});

/** The hours of a year against the limit of an hour. */
const hoursOf = () => ({
  hours: field(ofHours, 'hours with a value', 'hours'),
  hours_above: field(ofHours, 'hours above the limit of an hour', 'hours'),
  hours_limit: aLimit('limit of an hour'),
  hours_allowed: field(ofHours, 'hours above the limit that a year may have', 'hours'),
  hours_verdict: verdict('the hours above'),
});

/** The days of a year, by their highest mean of eight hours. */
const eightHoursOf = () => ({
  days: field(
    ofYear,
    'days with a mean of eight hours; it needs six of them, and belongs to the day on which it ends',
    'days',
  ),
  complete_days: field(ofYear, 'days with 18 such means or more', 'days'),
  days_above: field(
    ofYear,
    'days whose highest mean of eight hours is above the target value',
    'days',
  ),
  days_limit: aLimit('target value'),
  days_allowed: field(
    ofYear,
    'days above the target value that a year may have, as the mean of three years',
    'days',
  ),
  days_verdict: verdict('the days above in this period alone'),
});

/** Each pollutant against its limits; `more`: what is said of its days besides. */
const pollutants = <More extends z.ZodRawShape>(id: string, more: More) => {
  const of = <Shape extends z.ZodRawShape>(name: ParameterName, shape: Shape) =>
    z.strictObject(shape).meta({
      id: `${id}_${name}`,
      description: 'a pollutant against the limits of the EU from 2030',
    });
  const daily = { ...yearOf(), ...daysOf(), ...more };
  return {
    'pm2.5': of('pm25', daily).describe('PM2.5'),
    pm10: of('pm10', daily).describe('PM10'),
    no2: of('no2', { ...daily, ...hoursOf() }).describe('nitrogen dioxide, converted to µg/m³'),
    so2: of('so2', { ...daily, ...hoursOf() }).describe('sulphur dioxide'),
    o3: of('o3', eightHoursOf()).describe('ozone'),
  };
};

const localDate = z.string().regex(/^\d{4}-\d\d-\d\d$/);
const period = {
  first_day: field(localDate, 'first local day of the period'),
  last_day: field(localDate.nullable(), 'last completed day of it; null before there is one'),
  expected_days: field(ofYear, 'days from the first to the last', 'days'),
  expected_hours: field(ofHours, 'hours from the first to the last', 'hours'),
};
const DIRECTIVE = 'the limits of the EU from 2030 (Directive (EU) 2024/2881, Annex I)';

const ofDays = pollutants('EuLimit', {});
export const limits = both((subject) =>
  z.strictObject({ ...period, ...ofDays }).meta({
    id: `${subject}Limits`,
    description: `the last 365 completed days against ${DIRECTIVE}`,
  }),
);

const ofCalendarYear = pollutants('EuLimitOfYear', {
  days_change: field(
    z.int().nullable(),
    'days above the limit, less those on the same days of the year before; null where fewer than 85 % of either were complete',
    'days',
  ),
});
export const limitsOfYear = both((subject) =>
  z.strictObject({ year, ...period, ...ofCalendarYear }).meta({
    id: `${subject}LimitsOfYear`,
    description: `the completed days of a calendar year against ${DIRECTIVE}`,
  }),
);
