/**
 * Series of a station or region over the dashboard's time range: hours up to 15 days, days up to
 * 400, months beyond. The planner drops every part of the query but one before it runs.
 */
import type { Target } from './panel.ts';
import { AT, LOCALE, type Subject, startOf } from './subject.ts';
import { series } from './targets.ts';

const RANGE = '$__timeTo()::timestamptz - $__timeFrom()::timestamptz';

const RESOLUTIONS = [
  { resolution: 'hourly', unit: 'hour', when: `${RANGE} <= interval '15 days'` },
  {
    resolution: 'daily',
    unit: 'day',
    when: `${RANGE} > interval '15 days' and ${RANGE} <= interval '400 days'`,
  },
  { resolution: 'monthly', unit: 'month', when: `${RANGE} > interval '400 days'` },
];

type Options = {
  /** Lines to compare, from linesOf(), instead of the chosen subject. */
  lines?: string;
  /** The columns are aggregates over all that are chosen. */
  together?: true;
  /** Without the bucket that the time range ends in, of which a bar would be cut off there. */
  completed?: true;
};

/**
 * `columns` maps names of series to columns of the views; extremes, which hours do not have, are
 * null there.
 */
export function buckets(
  { view, isChosen }: Subject,
  columns: Readonly<Record<string, string>>,
  { lines, together, completed }: Options = {},
): Target[] {
  const parts = RESOLUTIONS.map(({ resolution, unit, when }) => {
    const list = Object.entries(columns).map(([name, column]) => {
      const missing = resolution === 'hourly' && /^b\.(min|max)_/.test(column);
      return `${missing ? 'null::float8' : column} as "${name}"`;
    });
    return `select b.timestamp as "time", ${[...(lines === undefined ? [] : ['l.line', 'l.name']), ...list].join(', ')}
from api.${view}_${resolution} b${lines === undefined ? '' : ` join ${lines} l on l.id = b.${KEY[view]}`}
where ${isChosen} and $__timeFilter(b.timestamp) and ${when}${completed ? ` and b.timestamp < ${startOf(unit, AT)}` : ''}${together ? ' group by 1' : ''}`;
  });
  return series(`${parts.join('\nunion all\n')}\norder by 1${lines === undefined ? '' : ', 2'}`);
}

const KEY = { station: 'station_id', region: 'region_slug' } as const;

/** As many lines as there are colours and kinds of them (overrides.ts). */
export const MOST_LINES = 12;

/**
 * SQL of the stations or regions to compare: as `id`, with their `name`, and with the number of
 * their `line`. `mean` is what those with the most are chosen by, over the days that the time range
 * touches; the same ones have the same lines in every panel.
 */
export const linesOf = ({ view, isChosen }: Subject, mean: string, most = MOST_LINES): string => `(
  select c.id, t.title as name, to_char(row_number() over (order by c.id), 'FM00') as line
  from (
    select b.${KEY[view]} as id from api.${view}_daily b
    where ${isChosen} and ${IN_DAYS}
    group by 1 order by ${mean} desc nulls last, 1 limit ${most}
  ) c
  join api.${view}_title t on t.${KEY[view]} = c.id and t.locale = ${LOCALE}
)`;

/** Selects the days that the time range touches. */
export const IN_DAYS = `b.timestamp >= ${startOf('day', '$__timeFrom()::timestamptz')} and b.timestamp <= ${AT}`;
