/** Overrides: settings of single columns of a panel. */
import { AQI_TEXTS, GUIDELINE, LINE, NOTHING, type Step } from './colours.ts';
import type { Override, Properties } from './grafanaTypes.ts';
import { UNIT, type Unit } from './units.ts';

/** Override of the column `name`. */
export function column(name: string, properties: Properties): Override {
  return {
    matcher: { id: 'byName', options: name },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

export const unit = (name: string, id: Unit, more: Properties = {}): Override => column(name, { unit: id, ...more });

/** Width of a table's column in pixels; Grafana widens it to 50 unless a smaller minimum is set. */
export const width = (name: string, pixels: number, more: Properties = {}): Override =>
  column(name, { 'custom.width': pixels, ...(pixels < 50 ? { 'custom.minWidth': pixels } : {}), ...more });

/** Columns that only links need. */
export const hidden = (...names: readonly string[]): Override[] =>
  names.map((name) => column(name, { 'custom.hideFrom': { viz: true, legend: true, tooltip: true } }));

const CELL = { 'custom.cellOptions': { type: 'color-background', mode: 'basic' } } as const satisfies Properties;

/** A table cell whose background shows its value. */
export const coloured = (name: string, id: Unit, steps: readonly Step[], more: Properties = {}): Override =>
  column(name, { unit: id, thresholds: { mode: 'absolute', steps }, ...CELL, ...more });

/** A table cell with an index and its category, in the colour of that. */
export const categorized = (name: string, more: Properties = {}): Override =>
  column(name, {
    unit: UNIT.text,
    mappings: AQI_TEXTS,
    thresholds: { mode: 'absolute', steps: [{ color: NOTHING, value: null }] },
    ...CELL,
    ...more,
  });

export const linked = (name: string, title: string, url: string, more: Properties = {}): Override =>
  column(name, { links: [{ title, url }], ...more });

export const fixed = (name: string, color: string, more: Properties = {}): Override =>
  column(name, { color: { mode: 'fixed', fixedColor: color }, ...more });

const EDGE = {
  'custom.lineWidth': 0,
  'custom.showPoints': 'never',
  'custom.hideFrom': { viz: false, legend: true, tooltip: false },
} as const satisfies Properties;

/** A line for the mean, and a band between the lowest and the highest hour, whose edges are not in the legend. */
export const band = (mean: string, lowest: string, highest: string, color = LINE): Override[] => [
  fixed(mean, color),
  fixed(lowest, color, EDGE),
  fixed(highest, color, { ...EDGE, 'custom.fillBelowTo': lowest, 'custom.fillOpacity': 25 }),
];

/** A line for the mean; the lowest and the highest hour are only in the tooltip, because a single hour would set the scale of a year. */
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
