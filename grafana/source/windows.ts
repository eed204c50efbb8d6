/**
 * PM2.5 in the five windows of the API, with the range of its hourly means and the WHO guideline. A
 * panel shows its full window only while the dashboard's range is relative to now: Grafana ignores
 * a panel's own range otherwise.
 */
import type { WINDOWS as PUBLISHED } from '../../src/contract/windows.ts';
import { timeseries } from './charts.ts';
import { LINE, pm25Steps } from './colours.ts';
import { band, fixed, guideline, toldRange } from './overrides.ts';
import type { Panel } from './panel.ts';
import { AT, type OneSubject } from './subject.ts';
import { series } from './targets.ts';
import { UNIT } from './units.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * `span` is a little longer than the window, because its first bucket starts earlier than, say, 24
 * hours ago.
 */
const WINDOWS = {
  '24h': { title: '24 hours', span: '25h', buckets: 'closed hours', gapMs: 1.5 * HOUR, w: 8 },
  '7d': { title: '7 days', span: '169h', buckets: 'closed hours', gapMs: 1.5 * HOUR, w: 8 },
  '30d': {
    title: '30 days',
    span: '31d',
    buckets: 'completed days',
    gapMs: 1.5 * DAY,
    w: 8,
    who: { limit: 15, of: '24 hours' },
    range: 'as a band',
  },
  '1y': {
    title: '1 year',
    span: '1y',
    buckets: 'months, including the current one',
    gapMs: 45 * DAY,
    w: 12,
    who: { limit: 5, of: 'a year' },
    range: 'in the tooltip',
  },
  '2y': {
    title: '2 years',
    span: '2y',
    buckets: 'months, including the current one',
    gapMs: 45 * DAY,
    w: 12,
    who: { limit: 5, of: 'a year' },
    range: 'in the tooltip',
  },
} as const satisfies Record<(typeof PUBLISHED)[number]['key'], object>;

/** One panel for each window. */
export function windows(subject: OneSubject): Panel[] {
  return Object.entries(WINDOWS).map(([key, { title, span, buckets, gapMs, w, ...rest }]) => {
    const who = 'who' in rest ? rest.who : undefined;
    const range = 'range' in rest ? rest.range : undefined;
    const line = who === undefined ? '' : `WHO guideline, ${who.of}`;
    const extremes =
      range === undefined ? '' : ', b.min_pm25 as "lowest hour", b.max_pm25 as "highest hour"';
    const guided = who === undefined ? '' : `, ${who.limit}::float8 as "${line}"`;
    const sentences = [
      `Means of ${buckets}, as in the API's ${key}.`,
      ...(range === undefined ? [] : [`Lowest and highest hourly mean of each ${range}.`]),
      'Background: the ranges of the US EPA index.',
      ...(who === undefined ? [] : [`Dashed: the WHO guideline for ${who.of}.`]),
      'A fixed time range instead of "last …" shows only the part inside it.',
    ];
    return timeseries({
      title: `PM2.5, ${title}`,
      description: sentences.join(' '),
      w,
      h: 8,
      unit: UNIT.concentration,
      decimals: 1,
      min: 0,
      span,
      gapMs,
      bands: true,
      steps: pm25Steps('color'),
      targets: series(`select b.timestamp as "time", b.avg_pm25 as "mean"${extremes}${guided}
from api.${subject.view}_history(${AT}, ${subject.id}) b
where b.series = '${key}'
order by 1`),
      overrides: [
        ...(range === undefined
          ? [fixed('mean', LINE)]
          : (range === 'as a band' ? band : toldRange)('mean', 'lowest hour', 'highest hour')),
        ...(who === undefined ? [] : [guideline(line)]),
      ],
    });
  });
}
