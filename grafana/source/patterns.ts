/**
 * PM2.5 by the calendar, the hour, the wind and last year: panels that the dashboards of a station
 * and of a region share.
 */
import { barChart, trend } from './charts.ts';
import { CATEGORIES, LINE, pm25Steps, SECOND } from './colours.ts';
import { column, FILLED, fixed, unit } from './overrides.ts';
import type { Panel } from './panel.ts';
import { AT, type OneSubject, type Subject, startOf } from './subject.ts';
import { table } from './tables.ts';
import { rows } from './targets.ts';
import { UNIT } from './units.ts';

/**
 * The local days completed at the end of the time range: `pm25` by `month` and `day`; `newest` is
 * the month in which the range ends.
 */
const daysOf = ({ view, isChosen }: Subject) => `(
  select date_trunc('month', b.timestamp at time zone i.time_zone) as month, extract(day from b.timestamp at time zone i.time_zone)::int as day,
    date_trunc('month', ${AT} at time zone i.time_zone) as newest, b.avg_pm25 as pm25
  from api.${view}_daily b cross join api.installation i
  where ${isChosen} and b.timestamp > ${AT} - interval '14 months' and b.timestamp < ${startOf('day', AT)}
) d`;

/**
 * A row for each day of the month, a column for each month with its year, oldest first. Every cell
 * is in the result, in order, because the matrix takes rows and columns in the order in which it
 * meets them. Grafana makes no column narrower than 50 pixels, so 31 would not fit.
 */
function calendar(subject: Subject): Panel {
  return table({
    title: 'Calendar of daily PM2.5',
    description:
      'Mean PM2.5 of each completed local day (µg/m³) of the month in which the time range ends and the eleven before, in light shades of the colours of the US EPA index. Empty: no reading, or a day not over.',
    w: 12,
    h: 31,
    unit: UNIT.none,
    decimals: 0,
    noValue: ' ',
    steps: pm25Steps('cell'),
    cells: {
      cellOptions: FILLED,
      align: 'center',
      width: 52,
      wrapHeaderText: true,
    },
    targets:
      rows(`select c.day as "day", to_char(c.month, 'Mon YYYY') as "month", max(d.pm25) as "PM2.5"
from (
  select date_trunc('month', ${AT} at time zone i.time_zone) - make_interval(months => back) as month, day
  from api.installation i cross join generate_series(0, 11) back cross join generate_series(1, 31) day
) c
left join ${daysOf(subject)} on d.month = c.month and d.day = c.day
group by c.month, c.day
order by c.month, c.day`),
    transformations: [
      {
        id: 'groupingToMatrix',
        options: { columnField: 'month', rowField: 'day', valueField: 'PM2.5' },
      },
    ],
    overrides: [
      column('day\\month', {
        displayName: 'day',
        'custom.cellOptions': { type: 'auto' },
        'custom.width': 50,
      }),
    ],
  });
}

/**
 * Hours of wind from each compass point, by the category of their PM2.5. A station without an
 * anemometer has the wind of its city.
 */
function pollutionRose({ view, isChosen, id }: OneSubject): Panel {
  const isStation = view === 'station';
  const category = 'api.aqi_category(h.aqi)';
  return barChart({
    title: 'Pollution rose as bars',
    description: `Hours of wind from each of the 16 compass points, by the category of their air quality index: from where does bad air come? ${isStation ? 'Where the station measures no wind, that of its city. ' : ''}Of the last 90 days of the time range; hours below 0.5 m/s are left out.`,
    w: 12,
    h: 11,
    unit: UNIT.hours,
    decimals: 0,
    over: 'from',
    targets: rows(`select api.compass(22.5 * point) as "from",
  ${CATEGORIES.map(({ name }) => `(count(*) filter (where ${category} = '${name}'))::int as "${name}"`).join(',\n  ')}
from generate_series(0, 15) point
left join (
  select b.aqi, ${isStation ? 'coalesce(b.avg_wind_direction, w.avg_wind_direction)' : 'b.avg_wind_direction'} as direction
  from api.${view}_hourly b${
    isStation
      ? `
  join api.station_current(${AT}, ${id}) s on s.id = b.station_id
  left join api.region_hourly w on w.region_slug = s.city_slug and w.timestamp = b.timestamp and $__timeFilter(w.timestamp)`
      : ''
  }
  where ${isChosen} and ${WITHIN} and ${isStation ? 'coalesce(b.avg_wind_speed, w.avg_wind_speed)' : 'b.avg_wind_speed'} >= 0.5
) h on api.compass(h.direction) = api.compass(22.5 * point)
group by point
order by point`),
    overrides: CATEGORIES.map(({ name, color }) => fixed(name, color)),
  });
}

/**
 * The time range, but no more than its last 90 days: more hours make neither picture clearer, only
 * slower.
 */
const WITHIN = `$__timeFilter(b.timestamp) and b.timestamp > ${AT} - interval '90 days'`;

const LOCAL_HOUR = 'b.timestamp at time zone i.time_zone';

/** Mean PM2.5 by hour of the local day. */
function dailyProfile({ view, isChosen }: Subject): Panel {
  const mean = (days: string) =>
    `round((avg(b.avg_pm25) filter (where extract(isodow from ${LOCAL_HOUR}) ${days}))::numeric, 1)::float8`;
  return trend({
    title: 'Daily profile',
    description:
      'Mean PM2.5 of each hour of the local day over the last 90 days of the time range, Monday to Friday and at weekends.',
    w: 12,
    h: 10,
    unit: UNIT.concentration,
    decimals: 1,
    min: 0,
    over: 'hour',
    targets:
      rows(`select extract(hour from ${LOCAL_HOUR})::float8 as "hour", ${mean('< 6')} as "Monday to Friday", ${mean('>= 6')} as "weekend"
from api.${view}_hourly b cross join api.installation i
where ${isChosen} and ${WITHIN}
group by 1
order by 1`),
    overrides: [
      fixed('Monday to Friday', LINE),
      fixed('weekend', SECOND),
      unit('hour', UNIT.hours, { decimals: 0 }),
    ],
  });
}

/** Daily PM2.5 of the month, beside the same days a year before. */
function monthAgainstLastYear(subject: Subject): Panel {
  const line = (years: number) =>
    `max(d.pm25) filter (where d.month = d.newest - interval '${years} years')`;
  return trend({
    title: 'This month and a year ago',
    description:
      'Daily mean PM2.5 of the completed days of the month in which the time range ends, and of the same month of the year before, by day of the month.',
    w: 12,
    h: 10,
    unit: UNIT.concentration,
    decimals: 1,
    min: 0,
    over: 'day',
    targets: rows(`select d.day as "day", ${line(0)} as "this month", ${line(1)} as "a year ago"
from ${daysOf(subject)}
where d.month in (d.newest, d.newest - interval '1 year')
group by d.day
order by d.day`),
    overrides: [
      fixed('this month', LINE),
      fixed('a year ago', SECOND),
      unit('day', UNIT.none, { decimals: 0 }),
    ],
  });
}

/** The calendar, and the others in a column beside it. */
export const patterns = (subject: OneSubject): (Panel | Panel[])[] => [
  calendar(subject),
  [monthAgainstLastYear(subject), dailyProfile(subject), pollutionRose(subject)],
];
