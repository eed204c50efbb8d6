/**
 * Series of a place over the time range chosen above the dashboard: hours up to 15 days of it, days up to 400, months beyond. All
 * but one part of the query are known to be empty before it runs.
 */
import type { Target } from './panel.ts';
import type { Place } from './place.ts';
import { series } from './targets.ts';

const RANGE = '$__timeTo()::timestamptz - $__timeFrom()::timestamptz';

const RESOLUTIONS = [
  { resolution: 'hourly', when: `${RANGE} <= interval '15 days'` },
  { resolution: 'daily', when: `${RANGE} > interval '15 days' and ${RANGE} <= interval '400 days'` },
  { resolution: 'monthly', when: `${RANGE} > interval '400 days'` },
];

/** Columns of the views by the name of their series; those that hours have not (extremes) are null there. */
export function buckets({ view, isChosen }: Place, columns: Readonly<Record<string, string>>): Target[] {
  const parts = RESOLUTIONS.map(({ resolution, when }) => {
    const list = Object.entries(columns).map(([name, column]) => {
      const missing = resolution === 'hourly' && /^b\.(min|max)_/.test(column);
      return `${missing ? 'null::float8' : column} as "${name}"`;
    });
    return `select b.timestamp as "time", ${list.join(', ')}
from api.${view}_${resolution} b
where ${isChosen} and $__timeFilter(b.timestamp) and ${when}`;
  });
  return series(`${parts.join('\nunion all\n')}\norder by 1`);
}
