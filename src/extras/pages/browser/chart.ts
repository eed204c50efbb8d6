/**
 * The chart of a window: line, band, what its values mean behind it, and each value by pointer and
 * by arrow keys.
 */
import type { Quantity } from '../format.ts';
import type { HistoryWords } from '../historyWords.ts';
import { type Html, html } from '../html.ts';
import { FLOATING, lonely, tenth, trace, yAxis } from '../plot.ts';
import { boundsOf, CATEGORIES, GUIDELINES, SCALES } from '../scale.ts';
import {
  AQI,
  type Bucket,
  type HistoryWindow,
  measuredValue,
  rangeOf,
  ticksOf,
} from '../series.ts';
import { moveByKeys, partOf, toElement } from './page.ts';

type Plotted = {
  index: 'aqi' | 'eaqi';
  words: HistoryWords;
  locale: string;
  window: HistoryWindow;
  quantity: Quantity;
  buckets: readonly Bucket[];
  /** True if less than 75 % of the bucket's hours were measured. */
  isFew: (bucket: Bucket) => boolean;
  /** True if the particles of the bucket are suspect. */
  isSuspect: (bucket: Bucket) => boolean;
  /** The newest bucket with a value, at which the keys begin. */
  newest: number;
  /** A description for those who don't see it. */
  label: string;
  /** Called when a bucket is pointed at, by keys or not; and when it is chosen. */
  onPoint: (index: number, isByKey: boolean) => void;
  onChoose: (index: number) => void;
};

const HEIGHT = 300;
/** On a phone, as in the style: there a card in a window of 480 pixels is so wide inside. */
const LOW_HEIGHT = 240;
const NARROW = 430;
const LEFT = 52;
const RIGHT = 20;
/** Beside the plot, for the name of a guideline. */
const RIGHT_OF_GUIDELINE = 56;
const TOP = 8;
const BOTTOM = 44;
const TICK_WIDTH = 62;
const ARROW_WIDTH = 16;
const ARROW_HEIGHT = 26;

export function makeChart() {
  const element = toElement(html`<div class="chart" tabindex="0" role="application"></div>`);
  let plotted: Plotted | undefined;
  let drawn: Drawn | undefined;
  let pointed = 0;

  function draw(): void {
    if (plotted === undefined || element.clientWidth === 0) return;
    drawn = drawnAt(element.clientWidth, plotted);
    element.innerHTML = drawn.picture.text;
  }

  function point(index: number, isByKey: boolean): void {
    pointed = index;
    if (drawn !== undefined) partOf(element, '.cursor').innerHTML = drawn.cursorAt(index).text;
    plotted?.onPoint(index, isByKey);
  }

  const last = () => (plotted?.buckets.length ?? 0) - 1;
  const pointAt = ({ clientX }: MouseEvent) => {
    const index = drawn?.indexAt(clientX - element.getBoundingClientRect().left) ?? 0;
    point(Math.min(last(), Math.max(0, index)), false);
  };
  const choose = () => plotted?.onChoose(pointed);
  element.addEventListener('pointermove', pointAt);
  element.addEventListener('click', (event) => {
    pointAt(event);
    choose();
  });
  const steps = { ArrowLeft: -1, ArrowRight: 1 };
  moveByKeys(element, { steps, last, at: () => pointed, go: (to) => point(to, true), choose });
  new ResizeObserver(draw).observe(element); // it has no width before it is on the page

  function show(next: Plotted): void {
    plotted = next;
    pointed = next.newest;
    element.setAttribute('aria-label', next.label);
    draw();
  }
  return { element, show };
}

type Drawn = { picture: Html; cursorAt: (index: number) => Html; indexAt: (x: number) => number };

/** Hours, days and months are equally far apart, whatever clocks and calendars do. */
function drawnAt(width: number, plotted: Plotted): Drawn {
  const { index, words, locale, window, quantity, buckets, isFew, isSuspect } = plotted;
  const hasArrows = quantity.key === 'wind_speed';
  const height = width <= NARROW ? LOW_HEIGHT : HEIGHT;
  const bottom = height - BOTTOM - (hasArrows ? ARROW_HEIGHT : 0);
  const guideline = guidelineOf(quantity, window);
  const right = width - (guideline === undefined ? RIGHT : RIGHT_OF_GUIDELINE);
  const area = { left: LEFT, right, top: TOP, bottom };
  const slot = (area.right - area.left) / buckets.length;
  const x = (n: number) => tenth(LEFT + (n + 0.5) * slot);
  const { y, lines } = yAxis(locale, quantity, extentOf(plotted), 5, area);
  const values = buckets.map(({ point }) => measuredValue(point, quantity));
  const rect = (look: string, left: number, wide: number, low: number, high: number) =>
    html`<rect class="${look}" x="${tenth(left)}" width="${tenth(wide)}" y="${high}"
      height="${tenth(low - high)}"/>`;
  const bar = (look: string, n: number, share: number, low: number, high: number) =>
    rect(look, LEFT + (n + (1 - share) / 2) * slot, share * slot, y(low), y(high));
  const dots = (look: string, radius: number, has: (n: number) => boolean) =>
    values.map(
      (value, n) =>
        value !== null &&
        has(n) &&
        html`<circle class="${look}" cx="${x(n)}" cy="${y(value)}" r="${radius}"/>`,
    );

  const ends = endsOf(index, quantity);
  const heightOf = (end: number | undefined) => (end === undefined ? TOP : Math.max(TOP, y(end)));
  const stripes = SCALES[index].map((name, n) =>
    rect(
      `stripe ${name}`,
      LEFT,
      area.right - LEFT,
      n === 0 ? bottom : heightOf(ends[n - 1]),
      heightOf(ends[n]),
    ),
  );
  const suspect = buckets.map(isSuspect);
  const bands = buckets.map(({ point }, n) => {
    const range = rangeOf(point, quantity);
    return range !== null && !suspect[n] && bar('band', n, 1, ...range);
  });
  const known = values.map((value, n) => (suspect[n] ? null : value));
  // a line goes on to the next point that is known, or there would be a gap
  const doubted = values.map((value, n) =>
    suspect[n - 1] || suspect[n] || suspect[n + 1] ? value : null,
  );
  const isRain = quantity.key === 'rain';
  const shown = isRain
    ? values.map((value, n) => value !== null && bar('sum', n, 0.7, 0, value))
    : html`<path class="trace" d="${trace(known, x, y)}"/>
      ${lonely(known, x, y)}<path class="trace suspect" d="${trace(doubted, x, y)}"/>
      ${buckets.length <= 31 && dots('dot', 2.5, (n) => !suspect[n])}${dots('hollow suspect', 2.5, (n) => suspect[n] === true && buckets.length <= 31)}`;
  const ticks = ticksOf(locale, buckets, window, Math.max(2, Math.floor(width / TICK_WIDTH)));
  const tick = ({ index, label }: (typeof ticks)[number]) =>
    label.split('\n').map(
      (text, line) =>
        html`<text class="middle" x="${x(index)}"
            y="${height - BOTTOM + 18 + 15 * line}">${text}</text>`,
    );
  const every = Math.max(1, Math.ceil(ARROW_WIDTH / slot));
  const arrow = ({ point }: Bucket, n: number) => {
    const from = point?.avg_wind_direction;
    return (
      typeof from === 'number' &&
      n % every === 0 &&
      html`<path class="arrow" d="M0 7V-7L-3.5 -2.5M0 -7L3.5 -2.5"
        transform="translate(${x(n)} ${bottom + ARROW_HEIGHT / 2}) rotate(${from + 180})"/>`
    );
  };
  const text = guideline && `${words.whoShort} ${guideline.value}`;
  return {
    picture: html`<svg viewBox="0 0 ${width} ${height}"
      aria-hidden="true">${ends.length > 0 && stripes}${lines}
${bands}${shown}${dots('hollow', 4, (n) => isFew(buckets[n] as Bucket))}
${ticks.map(tick)}${hasArrows && buckets.map(arrow)}
${
  guideline !== undefined &&
  html`<path class="guideline" d="M${LEFT} ${y(guideline.value)}H${area.right}"/>
  <text x="${area.right + 4}" y="${y(guideline.value) + 4}">${text}</text>`
}
<g class="cursor"></g></svg>`,
    cursorAt(index) {
      const value = values[index] ?? null;
      return html`<path d="M${x(index)} ${TOP}V${bottom}"/>${
        value !== null && html`<circle cx="${x(index)}" cy="${y(value)}" r="5"/>`
      }`;
    },
    indexAt: (left) => Math.floor((left - LEFT) / slot),
  };
}

/** From 0, except what has none, and so far up that the guideline is to be seen. */
function extentOf({ buckets, quantity, window }: Plotted): [number, number] {
  const values = buckets.flatMap(({ point }) =>
    [measuredValue(point, quantity) ?? [], ...(rangeOf(point, quantity) ?? [])].flat(),
  );
  if (values.length === 0) return [0, 1];
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (FLOATING.has(quantity.key)) return [low, high];
  const least = quantity.key === 'rain' ? 1 : 0.1;
  return [0, Math.max(least, high, (guidelineOf(quantity, window)?.value ?? 0) * 1.15)];
}

/**
 * The guideline for a day beside days, the guideline for a year beside months. An hour has none: it
 * may be above the guideline for a day, and the day below.
 */
export function guidelineOf({ key }: Quantity, { unit }: HistoryWindow) {
  const guideline = GUIDELINES[key];
  if (guideline === undefined || unit === 'hour') return undefined;
  return unit === 'month'
    ? ({ value: guideline.year, word: 'whoYear' } as const)
    : ({ value: guideline.day, word: 'whoDay' } as const);
}

/** Upper ends of the index's categories, in what is drawn. */
const endsOf = (index: 'aqi' | 'eaqi', quantity: Quantity): readonly number[] =>
  quantity === AQI && index === 'aqi'
    ? CATEGORIES.map(({ upTo }) => upTo).filter(Number.isFinite)
    : boundsOf(index, quantity);
