/** Overrides: settings of single columns of a panel. */
import { aqiTexts, CATEGORIES, GUIDELINE, LINE, LINES, type Step } from './colours.ts';
import type { Override, Properties } from './grafanaTypes.ts';
import { UNIT, type Unit } from './units.ts';

/** Override of the column `name`. */
export function column(name: string, properties: Properties): Override {
  return {
    matcher: { id: 'byName', options: name },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

export const unit = (name: string, id: Unit, more: Properties = {}): Override =>
  column(name, { unit: id, ...more });

/** Width of a table's column in pixels; Grafana widens it to 50 unless a smaller minimum is set. */
export const width = (name: string, pixels: number, more: Properties = {}): Override =>
  column(name, {
    'custom.width': pixels,
    ...(pixels < 50 ? { 'custom.minWidth': pixels } : {}),
    ...more,
  });

/** Columns that only links and styles need. */
export const hidden = (...names: readonly string[]): Override[] =>
  names.map((name) =>
    column(name, { 'custom.hideFrom': { viz: true, legend: true, tooltip: true } }),
  );

/** A cell whose background has the colour of its value. */
export const FILLED = { type: 'color-background', mode: 'basic' } as const;
const CELL = { 'custom.cellOptions': FILLED } as const satisfies Properties;

/** A table cell whose background shows its value. */
export const coloured = (
  name: string,
  id: Unit,
  steps: readonly Step[],
  more: Properties = {},
): Override =>
  column(name, { unit: id, thresholds: { mode: 'absolute', steps }, ...CELL, ...more });

/**
 * A table cell with an index and its category, in the colour of that; as wide as the longest, in
 * Grafana's font.
 */
export const categorized = (name: string, more: Properties = {}): Override =>
  column(name, {
    unit: UNIT.text,
    mappings: aqiTexts('cell'),
    thresholds: { mode: 'absolute', steps: [{ color: 'transparent', value: null }] },
    ...CELL,
    'custom.width': 262,
    ...more,
  });

/** Strikes out a value of a flagged station: the column `style` is CSS as JSON, or null. */
export const STRUCK = { 'custom.styleField': 'style' } as const satisfies Properties;

/**
 * That column, for a station whose temperature, humidity and pressure are flagged where `condition`
 * holds.
 */
export const styleColumn = (condition: string): string =>
  `case when ${condition} then '{"textDecoration": "line-through"}' end as "style"`;

/** A text of which only what matches `pattern` deserves a look, and is orange for that. */
export const notable = (name: string, pattern: string, more: Properties = {}): Override =>
  column(name, {
    mappings: [
      { type: 'regex', options: { pattern, result: { color: CATEGORIES[2].ink, index: 0 } } },
    ],
    thresholds: { mode: 'absolute', steps: [{ color: 'text', value: null }] },
    'custom.cellOptions': { type: 'color-text' },
    ...more,
  });

/** A column whose header has a filter. */
export const FILTERED = { 'custom.filterable': true } as const satisfies Properties;

export const linked = (name: string, title: string, url: string, more: Properties = {}): Override =>
  column(name, { links: [{ title, url }], ...more });

export const fixed = (name: string, color: string, more: Properties = {}): Override =>
  column(name, { color: { mode: 'fixed', fixedColor: color }, ...more });

export const EDGE = {
  'custom.lineWidth': 0,
  'custom.showPoints': 'never',
  'custom.hideFrom': { viz: false, legend: true, tooltip: false },
} as const satisfies Properties;

/**
 * A line for the mean, and a band between the lowest and the highest hour, whose edges are not in
 * the legend.
 */
export const band = (mean: string, lowest: string, highest: string, color = LINE): Override[] => [
  fixed(mean, color),
  fixed(lowest, color, EDGE),
  fixed(highest, color, { ...EDGE, 'custom.fillBelowTo': lowest, 'custom.fillOpacity': 25 }),
];

/**
 * A line for the mean; the lowest and the highest hour are only in the tooltip, because a single
 * hour would set the scale of a year.
 */
export const toldRange = (mean: string, lowest: string, highest: string): Override[] => [
  fixed(mean, LINE),
  ...[lowest, highest].map((name) =>
    fixed(name, LINE, { 'custom.hideFrom': { viz: true, legend: true, tooltip: false } }),
  ),
];

/** A dashed line for a constant. */
export const guideline = (name: string): Override =>
  fixed(name, GUIDELINE, {
    'custom.lineStyle': { fill: 'dash', dash: [10, 8] },
    'custom.showPoints': 'never',
    'custom.lineWidth': 1,
  });

/**
 * Lines to compare, by the labels `line` and `name` of their series (buckets.ts): each in a colour
 * of its own, and the second half dashed, or filled more if they are stacked. A series has its
 * colour by its number, because names come from the database; and its name last, because it is
 * matched by what it is called.
 */
export const compared = (how: 'lines' | 'stacked' = 'lines', most = 2 * LINES.length): Override[] =>
  [...LINES, ...LINES].slice(0, most).map((color, n) => ({
    matcher: { id: 'byRegexp', options: `/line="${String(n + 1).padStart(2, '0')}"/` },
    properties: [
      { id: 'color', value: { mode: 'fixed', fixedColor: color } },
      ...(n < LINES.length ? [] : SECOND_HALF[how]),
      { id: 'displayName', value: `$\{__field.labels.name}` },
    ],
  }));

const DASHED = { id: 'custom.lineStyle', value: { fill: 'dash', dash: [6, 6] } };
const SECOND_HALF = { lines: [DASHED], stacked: [DASHED, { id: 'custom.fillOpacity', value: 80 }] };
