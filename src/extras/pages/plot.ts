/** Parts of pictures of values, in SVG. Shared with the browser. */
import type { Quantity } from './format.ts';
import { type Html, html } from './html.ts';
import { formatTick } from './series.ts';

/** Where values stand within a picture. */
type Area = { left: number; right: number; top: number; bottom: number };

export const tenth = (n: number) => Math.round(n * 10) / 10;

/**
 * An axis that spans the values from `low` to `high` in about `steps` steps: the height of a value,
 * and its lines with their numbers.
 */
export function yAxis(
  locale: string,
  quantity: Quantity,
  [low, high]: readonly [number, number],
  steps: number,
  { left, right, top, bottom }: Area,
): { y: (value: number) => number; lines: Html } {
  const step = niceStep(Math.max((high - low) / steps, 10 ** -quantity.digits));
  const from = Math.floor(low / step) * step;
  const to = Math.max(from + step, Math.ceil(high / step) * step);
  const y = (value: number) => tenth(bottom - ((value - from) / (to - from)) * (bottom - top));
  const ticks = Array.from(
    { length: Math.round((to - from) / step) + 1 },
    (_, n) => from + n * step,
  );
  const line = (value: number) =>
    html`<path class="grid" d="M${left} ${y(value)}H${right}"/>
      <text x="${left - 4}" y="${y(value) + 3}"
      class="end">${formatTick(locale, value, step, quantity)}</text>`;
  return { y, lines: html`${ticks.map(line)}` };
}

/** 1, 2 or 5 times a power of ten, not less than this. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((n) => n * power >= least) ?? 10);
}

/** A path through the values, with gaps where there is none. */
export const trace = (
  values: readonly (number | null)[],
  x: (n: number) => number,
  y: (value: number) => number,
): string =>
  values
    .map((value, n) =>
      value === null ? '' : `${typeof values[n - 1] === 'number' ? 'L' : 'M'}${x(n)} ${y(value)}h0`,
    )
    .join('');

/** Points where a value has no neighbour, so that no line leads to it. */
export const lonely = (
  values: readonly (number | null)[],
  x: (n: number) => number,
  y: (value: number) => number,
): Html => {
  const isKnown = (n: number) => typeof values[n] === 'number';
  const points = values.map((value, n) =>
    value === null || isKnown(n - 1) || isKnown(n + 1) ? '' : `M${x(n)} ${y(value)}h0`,
  );
  return html`${points.some((point) => point !== '') && html`<path class="lonely" d="${points.join('')}"/>`}`;
};

/** Their 0 is not where they begin. */
export const FLOATING: ReadonlySet<string> = new Set(['temperature', 'pressure']);
