/** The chart of a window: line, band, what its values mean behind it, and each value by pointer and by arrow keys. Drawn with uPlot. */
import uPlot from 'uplot';
import { formatValue, type Quantity } from '../format.ts';
import { html } from '../html.ts';
import { BOUNDS, CATEGORIES, GUIDELINES } from '../scale.ts';
import { AQI, type Bucket, formatTick, type HistoryWindow, measuredValue, rangeOf, ticksOf } from '../series.ts';
import { moveByKeys, toElement, type Words } from './page.ts';

type Plotted = {
  words: Words;
  locale: string;
  window: HistoryWindow;
  quantity: Quantity;
  buckets: readonly Bucket[];
  /** Whether less than 75 % of the bucket's hours were measured. */
  isFew: (bucket: Bucket) => boolean;
  /** A description for those who don't see it. */
  label: string;
  /** Called when a bucket is pointed at, by keys or not; and when it is chosen. */
  onPoint: (index: number, isByKey: boolean) => void;
  onChoose: (index: number) => void;
};

export type Chart = { element: HTMLElement; destroy(): void };

const HEIGHT = 300;
const TICK_WIDTH = 62;
const ARROW_WIDTH = 16;
const FONT = '12px system-ui, sans-serif';
/** From north, north-east and so on: each the way the wind blows. */
const ARROWS = [...'↓↙←↖↑↗→↘'];

export function drawChart(plotted: Plotted): Chart {
  const { buckets, quantity, label } = plotted;
  const box = toElement(html`<div class="chart" tabindex="0" role="application" aria-label="${label}"></div>`);
  let plot: uPlot | undefined;
  let pointed = buckets.findLastIndex(({ point }) => measuredValue(point, quantity) !== null);

  function draw(): void {
    plot?.destroy();
    plot = new uPlot(optionsOf(plotted, box, point), dataOf(plotted), box);
    plot.over.addEventListener('click', () => plotted.onChoose(pointed));
    addMeaning(plot, plotted);
  }

  function point(index: number): void {
    pointed = index;
    plotted.onPoint(index, false);
  }

  moveByKeys(box, {
    steps: { ArrowLeft: -1, ArrowRight: 1 },
    last: buckets.length - 1,
    at: () => pointed,
    go(to) {
      pointed = to;
      const value = measuredValue(buckets[to]?.point, quantity);
      const top = value === null ? HEIGHT : (plot?.valToPos(value, 'y') ?? 0);
      plot?.setCursor({ left: plot.valToPos(to, 'x'), top }, false);
      plotted.onPoint(to, true);
    },
    choose: () => plotted.onChoose(pointed),
  });

  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const resized = new ResizeObserver(() => {
    if (plot === undefined) draw();
    else if (plot.width !== box.clientWidth) plot.setSize({ width: box.clientWidth, height: HEIGHT });
  });
  scheme.addEventListener('change', draw);
  resized.observe(box); // it has no width before it is on the page
  return {
    element: box,
    destroy() {
      scheme.removeEventListener('change', draw);
      resized.disconnect();
      plot?.destroy();
    },
  };
}

/** By position, so that hours, days and months are equally far apart whatever clocks and calendars do. */
function dataOf({ buckets, quantity, isFew }: Plotted): uPlot.AlignedData {
  const ranges = buckets.map(({ point }) => rangeOf(point, quantity));
  return [
    [...buckets.keys()],
    buckets.map(({ point }) => measuredValue(point, quantity)),
    ranges.map((range) => range?.[0] ?? null),
    ranges.map((range) => range?.[1] ?? null),
    buckets.map((bucket) => (isFew(bucket) ? measuredValue(bucket.point, quantity) : null)),
  ];
}

function optionsOf(plotted: Plotted, box: HTMLElement, point: (index: number) => void): uPlot.Options {
  const { buckets, quantity, window, locale } = plotted;
  const style = getComputedStyle(box);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim(); // as it is now: light or dark
  const isRain = quantity.key === 'rain';
  const ticks = (plot: uPlot) => ticksOf(locale, buckets, window, Math.max(2, Math.floor(plot.width / TICK_WIDTH)));
  const edge = { stroke: 'transparent', points: { show: false } };
  const axis = { stroke: colour('ink'), font: FONT, grid: { show: false }, ticks: { show: false } };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: false, range: [-0.5, buckets.length - 0.5] }, y: { range: extentOf(plotted) } },
    axes: [
      {
        ...axis,
        ticks: { stroke: colour('line') },
        size: 46,
        splits: (plot) => ticks(plot).map(({ index }) => index),
        values: (plot) => ticks(plot).map(({ label }) => label),
      },
      {
        ...axis,
        size: 58,
        grid: { stroke: colour('line'), width: 1 },
        values: (_plot, splits, _axis, _space, step) =>
          splits.map((value) => formatTick(locale, value, step, quantity)),
      },
      ...(quantity.key === 'wind_speed' ? [{ ...axis, ...arrowsOf(buckets), stroke: colour('series') }] : []),
    ],
    series: [
      {},
      {
        stroke: colour('series'),
        width: 2,
        ...(isRain && {
          fill: colour('series'),
          paths: uPlot.paths.bars?.({ size: [0.7, 40] }) as uPlot.Series.PathBuilder,
        }),
        points: { show: !isRain && buckets.length <= 31, size: 5, fill: colour('series') },
      },
      edge,
      edge,
      {
        stroke: 'transparent',
        points: { show: true, size: 8, width: 2, stroke: colour('series'), fill: colour('paper') },
      },
    ],
    bands: [{ series: [3, 2], fill: colour('band') }],
    hooks: {
      setCursor: [
        (plot) => {
          const { idx } = plot.cursor;
          if (typeof idx === 'number') point(idx);
        },
      ],
    },
  };
}

/** An axis of directions of the wind, as many as have room. */
const arrowsOf = (buckets: readonly Bucket[]): uPlot.Axis => ({
  scale: 'x',
  side: 2,
  size: 24,
  gap: 0,
  splits(plot) {
    const step = Math.max(1, Math.ceil((buckets.length * ARROW_WIDTH) / plot.width));
    return [...buckets.keys()].filter((n) => n % step === 0);
  },
  values: (_plot, shown) =>
    shown.map((n) => {
      const from = buckets[n]?.point?.avg_wind_direction;
      return typeof from === 'number' ? (ARROWS[Math.round(from / 45) % 8] ?? '') : '';
    }),
});

/** From 0, except what has none, and so far up that the guideline is to be seen. */
function extentOf({ buckets, quantity, window }: Plotted): [number, number] {
  const values = buckets.flatMap(({ point }) =>
    [measuredValue(point, quantity) ?? [], ...(rangeOf(point, quantity) ?? [])].flat(),
  );
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0) return [0, 1];
  if (quantity.key === 'temperature' || quantity.key === 'pressure') {
    const [from, to] = uPlot.rangeNum(low, high, 0.1, true);
    return [from ?? low, to ?? high];
  }
  const least = quantity.key === 'rain' ? 1 : 0.1;
  return [0, Math.max(least, high * 1.08, (guidelineOf(quantity, window)?.value ?? 0) * 1.15)];
}

/** A mean of a day beside hours and days, that of a year beside months. */
function guidelineOf(quantity: Quantity, window: HistoryWindow) {
  const guideline = GUIDELINES[quantity.key];
  if (guideline === undefined) return undefined;
  return window.unit === 'month'
    ? ({ value: guideline.year, word: 'whoYear' } as const)
    : ({ value: guideline.day, word: 'whoDay' } as const);
}

/** Upper ends of the index's categories, in what is drawn. */
const boundsOf = (quantity: Quantity): readonly number[] =>
  quantity === AQI ? CATEGORIES.map(({ upTo }) => upTo).filter(Number.isFinite) : (BOUNDS[quantity.key] ?? []);

/** Behind the values the colours of their categories, whose names stand under the chart; and above them, the guideline. */
function addMeaning({ under, over }: uPlot, plotted: Plotted): void {
  const { quantity, window, words, locale } = plotted;
  const [low, high] = extentOf(plotted);
  const heightOf = (value: number) => `${(100 * (value - low)) / (high - low)}%`;
  const ends = boundsOf(quantity);
  if (ends.length > 0) {
    const stripes = CATEGORIES.map(({ name }, n) => `var(--${name}) 0 ${heightOf(ends[n] ?? high)}`);
    under.style.background = `linear-gradient(to top, ${stripes.join()})`;
  }
  const guideline = guidelineOf(quantity, window);
  if (guideline === undefined) return;
  const text = `${words[guideline.word]}: ${formatValue(locale, guideline.value, { ...quantity, digits: 0 })}`;
  const line = toElement(html`<div class="guideline"><span>${text}</span></div>`);
  line.style.bottom = heightOf(guideline.value);
  over.append(line);
}
