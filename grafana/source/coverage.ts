/**
 * How much of the truth the numbers rest on: sources in each mean, and hours measured of those of a
 * day.
 */
import { buckets } from './buckets.ts';
import { timeseries } from './charts.ts';
import { CATEGORIES, LINE } from './colours.ts';
import { fixed } from './overrides.ts';
import type { Panel } from './panel.ts';
import { AT, type OneSubject, type Subject, startOf } from './subject.ts';
import { series } from './targets.ts';
import { UNIT } from './units.ts';

/** How many sensors or stations each bucket was computed from; `name` is what is counted. */
function sources(subject: Subject, name: string, title: string, what: string): Panel {
  return timeseries({
    title,
    description: `${what} Completed ones: hourly up to a range of 15 days, daily up to 400, monthly beyond.`,
    w: 12,
    h: 7,
    unit: UNIT.none,
    min: 0,
    draw: 'bars',
    legend: 'hidden',
    targets: buckets(
      subject,
      { [name]: `b.${subject.view === 'station' ? 'sensor_count' : 'station_count'}` },
      { completed: true },
    ),
    overrides: [fixed(name, LINE)],
  });
}

/** Percentage of the hours of each day that have PM2.5 (A11), in another colour below 75 %. */
function completeness({ view, id }: OneSubject): Panel {
  return timeseries({
    title: 'Completeness by day',
    description:
      'Hours with PM2.5 of each completed day, in % of the hours of the day, of the first one from its first hour on. Days with less than 75 % are orange: they count all the same.',
    w: 12,
    h: 7,
    unit: UNIT.percent,
    decimals: 0,
    min: 0,
    max: 100,
    draw: 'bars',
    legend: 'hidden',
    targets: series(`select d.timestamp as "time",
  case when d.complete >= 75 then d.complete end as "completeness", case when d.complete < 75 then d.complete end as "incomplete"
from (
  select c.timestamp, 100.0::float8 * c.pm25_hours / c.expected_hours as complete
  from api.${view}_completeness(${AT}, 'day', $__timeFrom()::timestamptz, $__timeTo()::timestamptz, array[${id}]) c
  where c.timestamp < ${startOf('day', AT)}
) d
order by 1`),
    overrides: [fixed('completeness', LINE), fixed('incomplete', CATEGORIES[2].ink)],
  });
}

export const coverage = (subject: OneSubject): Panel[] => [
  subject.view === 'station'
    ? sources(
        subject,
        'sensors',
        'Sensors in the mean',
        'How many sensors each bucket was computed from.',
      )
    : sources(
        subject,
        'stations',
        'Stations in the mean',
        'Stations in each bucket; for days and months, the mean over their hours.',
      ),
  completeness(subject),
];
