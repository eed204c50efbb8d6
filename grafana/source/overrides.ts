/** How single columns of a panel differ from the rest of it. */
import { GUIDELINE, LINE, type Step } from './colours.ts';
import type { Json } from './panel.ts';
import type { Unit } from './units.ts';

export function column(name: string, properties: Readonly<Record<string, unknown>>): Json {
  return {
    matcher: { id: 'byName', options: name },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

export const unit = (name: string, id: Unit, more: Readonly<Record<string, unknown>> = {}) =>
  column(name, { unit: id, ...more });

/** A cell of a table in the colour of its value. */
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

/** The mean, and between the lowest and the highest hour a band without edges. */
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

/** A line that is not measured. */
export const guideline = (name: string): Json =>
  fixed(name, GUIDELINE, {
    'custom.lineStyle': { fill: 'dash', dash: [10, 8] },
    'custom.showPoints': 'never',
    'custom.lineWidth': 1,
  });
