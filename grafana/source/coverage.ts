/** How much of the truth the numbers rest on: sources in each mean, and hours measured of those expected. */
import { buckets } from './buckets.ts';
import { timeseries } from './charts.ts';
import { LINE } from './colours.ts';
import { fixed } from './overrides.ts';
import type { Panel } from './panel.ts';
import { AT, quoted, type Subject, startOf } from './subject.ts';
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

/** Percentage of the expected hours of each day that have readings; a day on which none were expected is left out. */
function completeness({ view }: Subject): Panel {
  const stations =
    view === 'station'
      ? `array[${quoted('station')}::int]`
      : `array(select s.id from api.station_current(${AT}) s where ${quoted('region')} in (s.city_slug, s.district_slug))`;
  return timeseries({
    title: 'Completeness by day',
    description: `Hours with readings of each completed day, in % of those expected: the closed hours with a sensor placed at ${view === 'station' ? 'the station, from its first reading on' : 'a station, from its first reading on; of all stations that are there now'}. The WHO figures need 75 %.`,
    w: 12,
    h: 7,
    unit: UNIT.percent,
    decimals: 0,
    min: 0,
    max: 100,
    draw: 'bars',
    legend: 'hidden',
    targets:
      series(`select c.timestamp as "time", (100.0 * sum(c.measured_hours) / sum(c.expected_hours))::float8 as "completeness"
from api.station_completeness($__timeFrom()::timestamptz, $__timeTo()::timestamptz, ${stations}) c
where c.timestamp < ${startOf('day', AT)}
group by 1
order by 1`),
    overrides: [fixed('completeness', LINE)],
  });
}

export const coverage = (subject: Subject): Panel[] => [
  subject.view === 'station'
    ? sources(subject, 'sensors', 'Sensors in the mean', 'How many sensors each bucket was computed from.')
    : sources(
        subject,
        'stations',
        'Stations in the mean',
        'Stations in each bucket; for days and months, the mean over their hours.',
      ),
  completeness(subject),
];
