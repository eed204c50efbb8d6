/** The history of a station or region: switches for window and parameter, the chart, what its values are, and the same as tables. */
import { fill, formatBare, formatValue, type Quantity, unitIn } from '../format.ts';
import { CATEGORIES, categoryOf } from '../scale.ts';
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
} from '../series.ts';
import { type Chart, drawChart, loadPlot } from './chart.ts';
import { makeInputs } from './inputs.ts';
import { button, element, type Page, scrollingTable, wordFor } from './page.ts';
import type { View } from './view.ts';

/** How many hours of a day or month have a value, of how many. */
export type Hours = { measured: number; expected: number };
/** The document of all windows, the instant of the answer, and the hours of days and months by unit and date. */
export type History = {
  windows: Readonly<Record<string, readonly Point[]>>;
  at: number;
  hours: ReadonlyMap<string, MeasuredHours>;
};
type MeasuredHours = { timestamp: string; hours: Readonly<Record<string, number>>; expected_hours: number };

export function hoursOf(
  completeness: { days: MeasuredHours[]; months: MeasuredHours[] } | undefined,
): History['hours'] {
  const { days = [], months = [] } = completeness ?? {};
  const keyed = (unit: Unit, all: MeasuredHours[]) =>
    all.map((one) => [`${unit} ${one.timestamp.slice(0, 10)}`, one] as const);
  return new Map([...keyed('day', days), ...keyed('month', months)]);
}

/** Of the index, those with particles, of which it is; undefined for an hour, and where it isn't known. */
export function hoursIn(
  { hours }: Pick<History, 'hours'>,
  unit: Unit,
  timestamp: string,
  { key }: Quantity,
): Hours | undefined {
  const found = hours.get(`${unit} ${timestamp.slice(0, 10)}`);
  const measured = key === 'aqi' ? found?.hours['pm2.5'] || found?.hours.pm10 : found?.hours[key];
  return found === undefined || measured === undefined ? undefined : { measured, expected: found.expected_hours };
}

/** A11: fewer than 18 of 24. */
export const isFew = (hours: Hours | undefined): boolean =>
  hours !== undefined && hours.measured < 0.75 * hours.expected;

/** Until the chart of another window is drawn. */
const PRINT_MS = 500;
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
      isFew: ({ point, timestamp }) => point !== undefined && isFew(hoursIn(history, window.unit, timestamp, quantity)),
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

  /** A month on one sheet: the chart of 30 days and its table. */
  const print = button(words.printMonth, () => {
    change({ window: '30d' });
    below.querySelector('details')?.setAttribute('open', '');
    setTimeout(() => window.print(), PRINT_MS);
  });
  return {
    element: element(
      'div',
      { class: 'card' },
      element('h2', {}, words.history),
      element('div', { class: 'controls', role: 'group', 'aria-label': words.history }, ...buttons),
      element('div', { class: 'controls' }, element('label', {}, `${words.parameter} `, select), print),
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
function sentenceOf(page: Page, history: History, bucket: Bucket, quantity: Quantity, unit: Unit): string {
  const { words, locale } = page;
  const { timestamp, point } = bucket;
  const { at } = history;
  const value = measuredValue(point, quantity);
  const hours = hoursIn(history, unit, timestamp, quantity);
  return [
    `${formatBucket(locale, timestamp, unit)}: ${describeValue(locale, point, quantity, words.noValue)}`,
    quantity === AQI && value !== null ? words[categoryOf(value)] : '',
    hasDirection(point, quantity) ? `${words.wind_direction} ${point?.avg_wind_direction}°` : '',
    hours === undefined || point === undefined ? '' : fill(words.hoursOf, hours),
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
    ...(unit === 'hour' ? [] : [element('p', {}, element('small', {}, words.incomplete))]),
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
  history: History,
  quantity: Quantity,
  { unit }: HistoryWindow,
  buckets: readonly Bucket[],
  open: boolean,
): HTMLElement {
  const { words, locale } = page;
  const { at } = history;
  const hasBand = buckets.some(({ point }) => rangeOf(point, quantity) !== null);
  const isWind = quantity.key === 'wind_speed';
  const rows = buckets.map(({ timestamp, point }) => {
    const range = rangeOf(point, quantity);
    const running = isRunning(timestamp, unit, at) ? ` (${words.runningMonth})` : '';
    const hours = hoursIn(history, unit, timestamp, quantity);
    return [
      `${formatBucket(locale, timestamp, unit)}${running}`,
      formatValue(locale, measuredValue(point, quantity), quantity),
      ...(hasBand ? [range === null ? '–' : formatRange(locale, range, quantity)] : []),
      ...(isWind ? [hasDirection(point, quantity) ? `${point?.avg_wind_direction}°` : '–'] : []),
      ...(unit === 'hour' ? [] : [hours === undefined ? '–' : hoursText(page, hours)]),
    ];
  });
  const heads = [
    words.time,
    nameOf(page, quantity),
    ...(hasBand ? [words.range] : []),
    ...(isWind ? [words.wind_direction] : []),
    ...(unit === 'hour' ? [] : [words.hoursMeasured]),
  ];
  const made = element('details', { open }, element('summary', {}, words.asTable));
  const complete = () => {
    if (made.childElementCount > 1) return;
    made.append(scrollingTable(words.asTable, heads, rows), csvLink(page, quantity, { unit }, buckets, history));
  };
  made.addEventListener('toggle', complete);
  if (open) complete();
  return made;
}

function hoursText({ words }: Page, hours: Hours): string {
  const text = fill(words.ofHours, hours);
  return isFew(hours) ? `${text} (${words.fewHours})` : text;
}

/** What the table has, with names and numbers for programs. */
function csvLink(
  { words, subject }: Page,
  quantity: Quantity,
  { unit }: Pick<HistoryWindow, 'unit'>,
  buckets: readonly Bucket[],
  history: History,
): HTMLElement {
  const lines = buckets.map(({ timestamp, point }) => {
    const [range, hours] = [rangeOf(point, quantity) ?? ['', ''], hoursIn(history, unit, timestamp, quantity)];
    const counts = unit === 'hour' ? [] : [...range, hours?.measured ?? '', hours?.expected ?? ''];
    return [timestamp, measuredValue(point, quantity) ?? '', ...counts].join();
  });
  const heads = [
    'timestamp',
    quantity.key,
    ...(unit === 'hour' ? [] : ['min', 'max', 'measured_hours', 'expected_hours']),
  ];
  const file = new Blob([`${[heads.join(), ...lines].join('\n')}\n`], { type: 'text/csv' });
  const name = `${subject.replace('/', '-')}_${quantity.key}_${unit}s.csv`;
  return element('p', {}, element('a', { href: URL.createObjectURL(file), download: name }, words.tableAsCsv));
}

/** Each of the last twelve months beside the same month a year before. */
export function makeMonths(page: Page, history: History, measured: readonly Quantity[]): Part {
  const { words, locale } = page;
  const content = element('section', { id: 'months', class: 'card' });
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
            formatBare(locale, now, quantity),
            formatBare(locale, before, quantity),
            `${change > 0 ? '+' : ''}${formatBare(locale, change, quantity)}`,
          ],
        ];
      });
      content.hidden = rows.length === 0;
      const heads = [words.month, nameWithUnit(page, quantity), words.lastYear, words.change];
      content.replaceChildren(
        element('h2', {}, words.sameMonth),
        scrollingTable(words.sameMonth, heads, rows.toReversed()),
      );
    },
  };
}
