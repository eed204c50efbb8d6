/**
 * Series of a station or region over the dashboard's time range: hours up to 15 days, days up to 400, months beyond. The planner
 * drops every part of the query but one before it runs.
 */
import type { Target } from './panel.ts';
import type { Subject } from './subject.ts';
import { series } from './targets.ts';

const RANGE = '$__timeTo()::timestamptz - $__timeFrom()::timestamptz';

const RESOLUTIONS = [
  { resolution: 'hourly', when: `${RANGE} <= interval '15 days'` },
  { resolution: 'daily', when: `${RANGE} > interval '15 days' and ${RANGE} <= interval '400 days'` },
  { resolution: 'monthly', when: `${RANGE} > interval '400 days'` },
];

/**
 * `columns` maps names of series to columns of the views; extremes, which hours do not have, are null there. `metric`, if given, selects the
 * name of the series that a row belongs to.
 */
export function buckets({ view, isChosen }: Subject, columns: Readonly<Record<string, string>>, metric = ''): Target[] {
  const parts = RESOLUTIONS.map(({ resolution, when }) => {
    const list = Object.entries(columns).map(([name, column]) => {
      const missing = resolution === 'hourly' && /^b\.(min|max)_/.test(column);
      return `${missing ? 'null::float8' : column} as "${name}"`;
    });
    return `select b.timestamp as "time", ${[...(metric === '' ? [] : [metric]), ...list].join(', ')}
from api.${view}_${resolution} b
where ${isChosen} and $__timeFilter(b.timestamp) and ${when}`;
  });
  return series(`${parts.join('\nunion all\n')}\norder by 1${metric === '' ? '' : ', 2'}`);
}
