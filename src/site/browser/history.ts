/** The history of a station or region: switches for window and parameter, the chart, what its values are, and the same as tables. */
import { formatValue, type Quantity, unitIn } from '../format.ts';
import { CATEGORIES, categoryOf } from '../scale.ts';
import { type Chart, drawChart, loadPlot } from './chart.ts';
import { makeInputs } from './inputs.ts';
import { button, element, type Page, scrollingTable, wordFor } from './page.ts';
import {
  AQI,
  type Bucket,
  describeValue,
  fillGaps,
  formatBucket,
  formatRange,
  type HistoryWindow,
  isRunning,
  localTime,
  measuredValue,
  type Point,
  rangeOf,
  type Unit,
} from './series.ts';
import type { View } from './view.ts';

/** The document of all windows, and the instant of the answer. */
export type History = { windows: Readonly<Record<string, readonly Point[]>>; at: number };

const UTC = '1970-01-01T00:00:00+00:00';

/** The newest time that there are values of. */
export const newestOf = ({ windows }: History): string | undefined =>
  Object.values(windows).flatMap((points) => points.at(-1)?.timestamp ?? [])[0];

/** The local date of the answer. */
export const todayOf = (history: History): string => localTime(history.at, newestOf(history) ?? UTC).slice(0, 10);

/** `change`: goes to another view. */
export type Part = { element: HTMLElement; show(view: View): void };
export type Change = (change: View) => void;

/** The parameter to look at: the one in the address, if it is measured, else the first that is. */
const chosenQuantity = (measured: readonly Quantity[], { parameter }: View): Quantity =>
  measured.find(({ key }) => key === parameter) ?? (measured[0] as Quantity);

function chosenWindow({ windows }: Page, history: History, view: View): HistoryWindow {
  const hasPoints = ({ key }: HistoryWindow) => (history.windows[key] ?? []).length > 0;
  return windows.find(({ key }) => key === view.window) ?? windows.find(hasPoints) ?? (windows[0] as HistoryWindow);
}

const nameOf = (page: Page, { key }: Quantity) => wordFor(page.words, key);

function nameWithUnit(page: Page, quantity: Quantity): string {
  const unit = unitIn(page.locale, quantity.unit);
  return unit === '' ? nameOf(page, quantity) : `${nameOf(page, quantity)}, ${unit}`;
}

export function makeHistory(page: Page, history: History, measured: readonly Quantity[], change: Change): Part {
  const { words, locale, windows } = page;
  const buttons = windows.map(({ key }) => button(wordFor(words, `window${key}`), () => change({ window: key })));
  const select = element(
    'select',
    {},
    ...measured.map((quantity) => element('option', { value: quantity.key }, nameOf(page, quantity))),
  );
  select.addEventListener('change', () => change({ parameter: select.value }));
  const frame = element('div', { class: 'frame' });
  const live = element('p', { class: 'live' });
  const inputs = makeInputs(page);
  const below = element('div');
  let chart: Chart | undefined;
  let turn = 0;

  async function draw(quantity: Quantity, window: HistoryWindow, buckets: readonly Bucket[]): Promise<void> {
    const mine = ++turn;
    const say = (index: number, isByKey: boolean) => {
      live.setAttribute('aria-live', isByKey ? 'polite' : 'off'); // a pointer would make it say too much
      live.textContent = sentenceOf(page, history, buckets[index] as Bucket, quantity, window.unit);
    };
    const Plot = await loadPlot();
    if (mine !== turn) return;
    const hadFocus = chart !== undefined && chart.element === document.activeElement;
    chart?.destroy();
    chart = drawChart(Plot, {
      ...{ words, locale, window, quantity, buckets },
      label: `${nameWithUnit(page, quantity)}, ${wordFor(words, `window${window.key}`)}. ${words.chartKeys}`,
      onPoint: say,
      onChoose: (index) => {
        const { point, timestamp } = buckets[index] as Bucket;
        if (point !== undefined) inputs.show(quantity, window.unit, timestamp, true);
      },
    });
    frame.replaceChildren(chart.element);
    if (hadFocus) chart.element.focus();
    const newest = buckets.findLastIndex(({ point }) => measuredValue(point, quantity) !== null);
    say(newest, false);
    inputs.show(quantity, window.unit, buckets.at(newest)?.timestamp ?? '');
  }

  return {
    element: element(
      'div',
      {},
      element('div', { class: 'controls', role: 'group', 'aria-label': words.history }, ...buttons),
      element('div', { class: 'controls' }, element('label', {}, `${words.parameter} `, select)),
      frame,
      live,
      inputs.element,
      below,
    ),
    show(view) {
      const [quantity, window] = [chosenQuantity(measured, view), chosenWindow(page, history, view)];
      for (const [n, { key }] of windows.entries())
        buttons[n]?.setAttribute('aria-pressed', String(key === window.key));
      select.value = quantity.key;
      const buckets = fillGaps(history.windows[window.key] ?? [], window, history.at);
      const hasValues = buckets.some(
        ({ point }) => measuredValue(point, quantity) !== null || hasDirection(point, quantity),
      );
      const wasOpen = below.querySelector('details')?.open ?? false;
      below.replaceChildren(
        ...(hasValues ? explain(page, quantity, window, buckets) : []),
        ...(hasValues ? [asTable(page, history, quantity, window, buckets, wasOpen)] : []),
      );
      live.textContent = hasValues ? '' : words.noValues;
      frame.hidden = !hasValues;
      inputs.element.hidden = !hasValues;
      if (hasValues) draw(quantity, window, buckets).catch(() => live.replaceChildren(words.unavailable));
    },
  };
}

const hasDirection = (point: Point | undefined, { key }: Quantity) =>
  key === 'wind_speed' && typeof point?.avg_wind_direction === 'number';

/** `20 Nov, 13:00: 12.3 µg/m³ (8.1–20.4)`, with the category, the direction of the wind, and whether it goes on. */
function sentenceOf(page: Page, { at }: History, bucket: Bucket, quantity: Quantity, unit: Unit): string {
  const { words, locale } = page;
  const { timestamp, point } = bucket;
  const value = measuredValue(point, quantity);
  return [
    `${formatBucket(locale, timestamp, unit)}: ${describeValue(locale, point, quantity, words.noValue)}`,
    quantity === AQI && value !== null ? words[categoryOf(value)] : '',
    hasDirection(point, quantity) ? `${words.wind_direction} ${point?.avg_wind_direction}°` : '',
    isRunning(timestamp, unit, at) ? words.runningMonth : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Says what each point is, what the colours behind are, and what the index leaves out. */
function explain(page: Page, quantity: Quantity, { unit }: HistoryWindow, buckets: readonly Bucket[]): HTMLElement[] {
  const { words } = page;
  const sums = { hour: words.hourlySums, day: words.dailySums, month: words.monthlySums };
  const means = { hour: words.hourlyMeans, day: words.dailyMeans, month: words.monthlyMeans };
  const hasBand = buckets.some(({ point }) => rangeOf(point, quantity) !== null);
  const what = `${nameWithUnit(page, quantity)}: ${(quantity.key === 'rain' ? sums : means)[unit]}`;
  const isCategorised = quantity === AQI || quantity.key === 'pm2.5' || quantity.key === 'pm10';
  return [
    element('p', { class: 'what' }, hasBand ? `${what}; ${words.band}.` : `${what}.`),
    ...(isCategorised ? [categoryLegend(page)] : []),
    ...(quantity === AQI ? [element('p', {}, element('small', {}, words.aqiNote))] : []),
  ];
}

export function categoryLegend({ words }: Page, hasUnknown = false): HTMLElement {
  const names = [...CATEGORIES.map(({ name }) => name), ...(hasUnknown ? (['unknown'] as const) : [])];
  const chips = names.flatMap((name) => [element('span', { class: `chip ${name}` }, words[name]), ' ']);
  return element('p', { class: 'legend' }, ...chips);
}

/** Every bucket, also those without a value. */
function asTable(
  page: Page,
  { at }: History,
  quantity: Quantity,
  { unit }: HistoryWindow,
  buckets: readonly Bucket[],
  open: boolean,
): HTMLElement {
  const { words, locale } = page;
  const hasBand = buckets.some(({ point }) => rangeOf(point, quantity) !== null);
  const isWind = quantity.key === 'wind_speed';
  const rows = buckets.map(({ timestamp, point }) => {
    const range = rangeOf(point, quantity);
    const running = isRunning(timestamp, unit, at) ? ` (${words.runningMonth})` : '';
    return [
      `${formatBucket(locale, timestamp, unit)}${running}`,
      formatValue(locale, measuredValue(point, quantity), quantity),
      ...(hasBand ? [range === null ? '–' : formatRange(locale, range, quantity)] : []),
      ...(isWind ? [hasDirection(point, quantity) ? `${point?.avg_wind_direction}°` : '–'] : []),
    ];
  });
  const heads = [
    words.time,
    nameOf(page, quantity),
    ...(hasBand ? [words.range] : []),
    ...(isWind ? [words.wind_direction] : []),
  ];
  const made = element('details', { open }, element('summary', {}, words.asTable));
  const fill = () => {
    if (made.childElementCount === 1) made.append(scrollingTable(words.asTable, heads, rows));
  };
  made.addEventListener('toggle', fill);
  if (open) fill();
  return made;
}

/** Each of the last twelve months beside the same month a year before. */
export function makeMonths(page: Page, history: History, measured: readonly Quantity[]): Part {
  const { words, locale } = page;
  const content = element('section', { id: 'months' });
  return {
    element: content,
    show(view) {
      const quantity = chosenQuantity(measured, view);
      const months = new Map((history.windows['2y'] ?? []).map((point) => [point.timestamp.slice(0, 7), point]));
      const rows = [...months].flatMap(([month, point]) => {
        const before = measuredValue(months.get(`${Number(month.slice(0, 4)) - 1}${month.slice(4)}`), quantity);
        const now = measuredValue(point, quantity);
        if (before === null || now === null) return [];
        const change = now - before;
        const running = isRunning(point.timestamp, 'month', history.at) ? ` (${words.runningMonth})` : '';
        return [
          [
            `${formatBucket(locale, point.timestamp, 'month')}${running}`,
            formatValue(locale, now, quantity),
            formatValue(locale, before, quantity),
            `${change > 0 ? '+' : ''}${formatValue(locale, change, quantity)}`,
          ],
        ];
      });
      content.hidden = rows.length === 0;
      const heads = [words.month, nameOf(page, quantity), words.lastYear, words.change];
      content.replaceChildren(
        element('h2', {}, words.sameMonth),
        scrollingTable(words.sameMonth, heads, rows.toReversed()),
      );
    },
  };
}
