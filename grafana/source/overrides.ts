/** Overrides: settings of single columns of a panel. */
import { GUIDELINE, LINE, type Step } from './colours.ts';
import type { Json } from './panel.ts';
import type { Unit } from './units.ts';

/** Override of the column `name`. */
export function column(name: string, properties: Readonly<Record<string, unknown>>): Json {
  return {
    matcher: { id: 'byName', options: name },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

export const unit = (name: string, id: Unit, more: Readonly<Record<string, unknown>> = {}) =>
  column(name, { unit: id, ...more });

/** A table cell whose background shows its value. */
export const coloured = (name: string, id: Unit, steps: readonly Step[]) =>
  column(name, {
    unit: id,
    thresholds: { mode: 'absolute', steps },
    'custom.cellOptions': { type: 'color-background', mode: 'basic' },
  });

export const linked = (name: string, title: string, url: string, more: Readonly<Record<string, unknown>> = {}) =>
  column(name, { links: [{ title, url }], ...more });

export const fixed = (name: string, color: string, more: Readonly<Record<string, unknown>> = {}) =>
  column(name, { color: { mode: 'fixed', fixedColor: color }, ...more });

/** A line for the mean, and a band without edges between the lowest and the highest hour. */
export const band = (mean: string, lowest: string, highest: string, color = LINE): Json[] => [
  fixed(mean, color),
  fixed(lowest, color, { 'custom.lineWidth': 0, 'custom.showPoints': 'never' }),
  fixed(highest, color, {
    'custom.lineWidth': 0,
    'custom.showPoints': 'never',
    'custom.fillBelowTo': lowest,
    'custom.fillOpacity': 25,
  }),
];

/** A dashed line for a constant. */
export const guideline = (name: string): Json =>
  fixed(name, GUIDELINE, {
    'custom.lineStyle': { fill: 'dash', dash: [10, 8] },
    'custom.showPoints': 'never',
    'custom.lineWidth': 1,
  });
