/**
 * Pictures of the last 24 hours that come with the page: bars beside the headline, and a line in
 * each tile. In SVG, so they need no script.
 */

import { surfaceOf } from './colours.ts';
import { fill, formatDate, formatValue, type Quantity } from './format.ts';
import { type Html, html } from './html.ts';
import { FLOATING, lonely, tenth, trace, yAxis } from './plot.ts';
import type { Look } from './scale.ts';
import { type Bucket, formatBucket, measuredValue } from './series.ts';
import type { Words } from './words.ts';

const AREA = { left: 30, right: 340, top: 8, bottom: 128 };
const SLOT = (AREA.right - AREA.left) / 24;

const measuredOf = (buckets: readonly Bucket[], quantity: Quantity) =>
  buckets.map(({ point }) => measuredValue(point, quantity));

const extent = (values: readonly (number | null)[]): [number, number] => {
  const known = values.filter((value) => value !== null);
  return [Math.min(...known), Math.max(...known)];
};

/**
 * Bars of a quantity, or a line where 0 is not the least. `lookAt`: the category of a bar, where an
 * index counts the quantity; bars of particles have only an outline in hours in which they are
 * suspect. At least one bucket has a value.
 */
export function dayChart(
  words: Words,
  locale: string,
  buckets: readonly Bucket[],
  quantity: Quantity,
  isSuspectAt: (hour: string) => boolean,
  lookAt: (bucket: Bucket) => Look | 'plain' = () => 'plain',
): Html {
  const values = measuredOf(buckets, quantity);
  const [low, high] = extent(values);
  const isLine = FLOATING.has(quantity.key);
  const isParticles = quantity.key.startsWith('pm');
  const { y, lines } = yAxis(locale, quantity, [isLine ? low : 0, high], 3, AREA);
  const lookOf = (bucket: Bucket) => {
    if (isLine) return 'bare';
    return isParticles && isSuspectAt(bucket.timestamp) ? 'suspect' : lookAt(bucket);
  };
  const x = (n: number) => tenth(AREA.left + (n + 24 - buckets.length) * SLOT);
  const label = fill(words.dayChart, {
    name: words[quantity.key as keyof Words],
    low: formatValue(locale, low, quantity),
    high: formatValue(locale, high, quantity),
  });
  const middle = (n: number) => tenth(x(n) + SLOT / 2);
  const ticks = [...buckets.entries()].filter(
    ([, { timestamp }]) => Number(timestamp.slice(11, 13)) % 6 === 0,
  );
  return html`<svg class="day" viewBox="0 0 350 158" role="img" aria-label="${label}">
${lines}
${isLine && html`<path class="trace" d="${trace(values, middle, y)}"/>${lonely(values, middle, y)}`}
${buckets.map((bucket, n) => {
  const { timestamp } = bucket;
  const value = values[n] ?? null;
  if (value === null) return false;
  const top = isLine ? AREA.top : Math.min(y(value), AREA.bottom - 1.5);
  return html`<rect class="${lookOf(bucket)}" x="${tenth(x(n) + 1)}" y="${top}"
    width="${tenth(SLOT - 2)}" height="${tenth(AREA.bottom - top)}" rx="1.5">
    <title>
    ${formatBucket(locale, timestamp, 'hour')}: ${formatValue(locale, value, quantity)}</title></rect>`;
})}
${ticks.map(([n, { timestamp }], tick) => {
  const hour = timestamp.slice(11, 16);
  // the first says the date, and each new day
  const day = (tick === 0 || hour === '00:00') && formatDate(locale, timestamp, 'day');
  return html`<text x="${middle(n)}" y="143" class="middle">${hour}</text>${
    day !== false && html`<text x="${middle(n)}" y="154" class="middle">${day}</text>`
  }`;
})}
</svg>`;
}

/**
 * The line of up to 24 hours and the current value in a tile, which words repeat. It is dashed where
 * the values are suspect.
 */
export function sparkline(
  values: readonly (number | null)[],
  isSuspectAt: (n: number) => boolean,
): Html | undefined {
  if (values.filter((value) => value !== null).length < 2) return undefined;
  const [low, high] = extent(values);
  const x = (n: number) => (n + 25 - values.length) * 4;
  const y = (value: number) => tenth(high === low ? 12 : 22 - ((value - low) / (high - low)) * 20);
  const line = (isShown: (n: number) => boolean) =>
    trace(
      values.map((value, n) => (isShown(n) ? value : null)),
      x,
      y,
    );
  // each step is dashed if one of its ends is suspect
  const dashed = line((n) =>
    [n - 1, n, n + 1].some((one) => values[one] != null && isSuspectAt(one)),
  );
  return html`<svg class="spark" viewBox="0 0 96 24" preserveAspectRatio="none" aria-hidden="true">
    <path d="${line((n) => !isSuspectAt(n))}"/>${dashed !== '' && html`<path class="suspect" d="${dashed}"/>`}${lonely(values, x, y)}</svg>`;
}

/** A size of letters at which the text is no wider than the picture. */
const fitting = (text: string, largest: number) =>
  Math.min(largest, Math.floor(1_450 / text.length));

/** Sums of the last 24 hours as bars; an hour without any is a line on the ground. */
export function hourBars(values: readonly (number | null)[]): Html {
  const high = Math.max(1, ...values.filter((value) => value !== null));
  const bar = (value: number, n: number) => {
    const height = tenth(Math.max(0.7, (value / high) * 22));
    return html`<rect x="${(n + 24 - values.length) * 4}" y="${tenth(24 - height)}" width="3"
      height="${height}"/>`;
  };
  return html`<svg class="spark" viewBox="0 0 96 24" preserveAspectRatio="none"
    aria-hidden="true">${values.map((value, n) => value !== null && bar(value, n))}</svg>`;
}

type Card = Record<'title' | 'site' | 'word' | 'box' | 'value' | 'time', string> & { look: Look };

/** The picture that a shared link shows: a place, its index and when. */
export function cardPicture({ title, site, look, word, box, value, time }: Card): string {
  const [ground, ink] = surfaceOf(look);
  const heading = title.length > 44 ? `${title.slice(0, 43)}…` : title;
  const line = [value, time].filter((text) => text !== '').join(' · ');
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" width="1200"
    height="630" font-family="DejaVu Sans, sans-serif">
    <path fill="${ground}" d="M0 0H1200V630H0z"/>
    <g fill="${ink}">
<text x="80" y="130" font-size="${fitting(heading, 72)}" font-weight="700">${heading}</text>
<text x="80" y="350" font-size="${fitting(box, 200)}" font-weight="700">${box}</text>
<text x="80" y="440" font-size="${fitting(word, 56)}">${word}</text>
<text x="80" y="520" font-size="40">${line}</text>
<text x="80" y="590"
  font-size="32">${site.length > 50 ? `${site.slice(0, 49)}…` : site}</text></g></svg>`.text;
}
