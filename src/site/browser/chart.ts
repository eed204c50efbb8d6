/** The chart of a window: line, band, what its values mean behind it, and each value by pointer and by arrow keys. Drawn with uPlot. */
import type uPlot from 'uplot';
import { formatValue, type Quantity } from '../format.ts';
import { BOUNDS, CATEGORIES, type Category, GUIDELINES } from '../scale.ts';
import { AQI, type Bucket, formatTick, type HistoryWindow, measuredValue, rangeOf, ticksOf } from '../series.ts';

import { element, moveByKeys, type Words } from './page.ts';

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

type Plot = typeof uPlot;

/** uPlot, which only pages with a chart load. */
export const loadPlot = async (): Promise<Plot> => (await import('uplot')).default;

const HEIGHT = 300;
const TICK_WIDTH = 62;
const ARROW_ROOM = 26;
const ARROW = new Path2D('M0 7V-7L-3.5 -2.5M0 -7L3.5 -2.5');
const FONT = '12px system-ui, sans-serif';

/** A colour of the page's style by its name, as it is now: light or dark. */
type Colours = (name: 'ink' | 'paper' | 'line' | 'series' | 'band' | Category) => string;

function coloursOf(box: HTMLElement): Colours {
  const style = getComputedStyle(box);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

export function drawChart(Plot: Plot, plotted: Plotted): Chart {
  const { buckets, quantity, label } = plotted;
  const box = element('div', { class: 'chart', tabindex: 0, role: 'application', 'aria-label': label });
  let plot: uPlot | undefined;
  let pointed = buckets.findLastIndex(({ point }) => measuredValue(point, quantity) !== null);

  function draw(): void {
    plot?.destroy();
    plot = new Plot(optionsOf(Plot, plotted, box, point), dataOf(plotted), box);
    plot.over.addEventListener('click', () => plotted.onChoose(pointed));
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

function optionsOf(Plot: Plot, plotted: Plotted, box: HTMLElement, point: (index: number) => void): uPlot.Options {
  const { buckets, quantity, window, locale } = plotted;
  const colours = coloursOf(box);
  const isRain = quantity.key === 'rain';
  const hasArrows = quantity.key === 'wind_speed';
  const ticks = (plot: uPlot) => ticksOf(locale, buckets, window, Math.max(2, Math.floor(plot.width / TICK_WIDTH)));
  const [low, high] = extentOf(Plot, plotted);
  const edge = { stroke: 'transparent', points: { show: false } };
  const axis = { stroke: colours('ink'), font: FONT };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: false, range: [-0.5, buckets.length - 0.5] }, y: { range: [low, high] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { stroke: colours('line') },
        size: hasArrows ? 46 + ARROW_ROOM : 46,
        gap: hasArrows ? 5 + ARROW_ROOM : 5,
        splits: (plot) => ticks(plot).map(({ index }) => index),
        values: (plot) => ticks(plot).map(({ label }) => label),
      },
      {
        ...axis,
        size: 58,
        grid: { stroke: colours('line'), width: 1 },
        ticks: { show: false },
        values: (_plot, splits, _axis, _space, step) =>
          splits.map((value) => formatTick(locale, value, step, quantity)),
      },
    ],
    series: [
      {},
      {
        stroke: colours('series'),
        width: 2,
        ...(isRain && {
          fill: colours('series'),
          paths: Plot.paths.bars?.({ size: [0.7, 40] }) as uPlot.Series.PathBuilder,
        }),
        points: { show: !isRain && buckets.length <= 31, size: 5, fill: colours('series') },
      },
      edge,
      edge,
      {
        stroke: 'transparent',
        points: { show: true, size: 8, width: 2, stroke: colours('series'), fill: colours('paper') },
      },
    ],
    bands: [{ series: [3, 2], fill: colours('band') }],
    hooks: {
      drawClear: [(plot) => drawStripes(plot, quantity, colours)],
      draw: [
        (plot) => drawGuideline(plot, plotted, colours),
        (plot) => {
          if (hasArrows) drawArrows(plot, buckets, colours);
        },
      ],
      setCursor: [
        (plot) => {
          const { idx } = plot.cursor;
          if (typeof idx === 'number') point(idx);
        },
      ],
    },
  };
}

/** From 0, except what has none, and so far up that the guideline is to be seen. */
function extentOf(Plot: Plot, { buckets, quantity, window }: Plotted): [number, number] {
  const values = buckets.flatMap(({ point }) =>
    [measuredValue(point, quantity) ?? [], ...(rangeOf(point, quantity) ?? [])].flat(),
  );
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0) return [0, 1];
  if (quantity.key === 'temperature' || quantity.key === 'pressure') {
    const [from, to] = Plot.rangeNum(low, high, 0.1, true);
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

/** Behind everything; the names of the categories stand under the chart. */
function drawStripes(plot: uPlot, quantity: Quantity, colours: Colours): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const ends = boundsOf(quantity);
  if (ends.length === 0) return;
  ctx.save();
  ctx.globalAlpha = 0.17;
  let from = top + height;
  for (const [n, { name }] of CATEGORIES.entries()) {
    const end = ends[n] === undefined ? top : plot.valToPos(ends[n], 'y', true);
    const to = Math.max(top, Math.min(from, end));
    ctx.fillStyle = colours(name);
    ctx.fillRect(left, to, width, from - to);
    from = to;
  }
  ctx.restore();
}

function drawGuideline(plot: uPlot, { quantity, window, words, locale }: Plotted, colours: Colours): void {
  const guideline = guidelineOf(quantity, window);
  if (guideline === undefined) return;
  const { ctx } = plot;
  const pxRatio = devicePixelRatio;
  const { left, width } = plot.bbox;
  const y = plot.valToPos(guideline.value, 'y', true);
  ctx.save();
  ctx.strokeStyle = colours('ink');
  ctx.fillStyle = colours('ink');
  ctx.lineWidth = pxRatio;
  ctx.setLineDash([6 * pxRatio, 4 * pxRatio]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
  ctx.font = `${12 * pxRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  ctx.setLineDash([]);
  const text = `${words[guideline.word]}: ${formatValue(locale, guideline.value, { ...quantity, digits: 0 })}`;
  const [x, pad] = [left + 6 * pxRatio, 3 * pxRatio];
  ctx.fillStyle = colours('paper'); // a ground of its own, since the line of values may pass there
  ctx.fillRect(x - pad, y - 18 * pxRatio, ctx.measureText(text).width + 2 * pad, 16 * pxRatio);
  ctx.fillStyle = colours('ink');
  ctx.fillText(text, x, y - 3 * pxRatio);
  ctx.restore();
}

/** Under the axis, each the way the wind blows; as many as have room. */
function drawArrows(plot: uPlot, buckets: readonly Bucket[], colours: Colours): void {
  const { ctx } = plot;
  const pxRatio = devicePixelRatio;
  const { top, height, width } = plot.bbox;
  const step = Math.max(1, Math.ceil((buckets.length * 16 * pxRatio) / width));
  const y = top + height + (ARROW_ROOM / 2 + 3) * pxRatio;
  ctx.save();
  ctx.strokeStyle = colours('series');
  for (const [n, { point }] of buckets.entries()) {
    const from = point?.avg_wind_direction;
    if (typeof from !== 'number' || n % step !== 0) continue;
    ctx.save();
    ctx.translate(plot.valToPos(n, 'x', true), y);
    ctx.rotate(((from + 180) * Math.PI) / 180);
    ctx.scale(pxRatio, pxRatio);
    ctx.lineWidth = 1.5;
    ctx.stroke(ARROW);
    ctx.restore();
  }
  ctx.restore();
}
