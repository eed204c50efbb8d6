/**
 * The history of a station or region: switches for window and parameter, the chart, what its values
 * are, and the same as tables.
 */
import { headOf, spreadsheet, spreadsheetTime } from '../../../contract/words/spreadsheet.ts';
import { roundedHpa } from '../../../contract/words/units.ts';
import { fill, formatBare, formatValue, massText, PM25, type Quantity, unitIn } from '../format.ts';
import { type Html, html, scrollingTable } from '../html.ts';
import { categoryOf } from '../scale.ts';
import {
  AQI,
  type Bucket,
  describeValue,
  type Flag,
  fillGaps,
  formatBucket,
  formatRange,
  type HistoryWindow,
  isOfParticles,
  isRunning,
  isSuspectIn,
  localTime,
  measuredQuantities,
  measuredValue,
  newestTime,
  type Point,
  rangeOf,
  type Unit,
  type Windows,
} from '../series.ts';
import { guidelineOf, makeChart } from './chart.ts';
import { makeInputs } from './inputs.ts';
import { exploreUrl, type Page, partOf, toElement, wordFor } from './page.ts';
import type { View } from './view.ts';

/** How many hours of a day or month have a value, of how many. */
export type Hours = { measured: number; expected: number };
/**
 * The document of all windows, the instant of the answer, the hours of days and months, and the
 * periods in which a station was flagged.
 */
export type History = {
  windows: Windows;
  at: number;
  hours: Record<'days' | 'months', readonly MeasuredHours[]>;
  flags: readonly Flag[];
};
export type MeasuredHours = {
  timestamp: string;
  hours: Readonly<Record<string, number>>;
  expected_hours: number;
};

/**
 * The hours that have a value. The index has the hours with particles, from which it is
 * computed.
 */
export function countHours(
  { hours, expected_hours: expected }: MeasuredHours,
  { key }: Quantity,
): Hours | undefined {
  const measured = key === 'aqi' ? hours['pm2.5'] || hours.pm10 : hours[key];
  return measured === undefined ? undefined : { measured, expected };
}

/** Undefined for an hour, and where it isn't known. */
function hoursIn(
  { hours }: History,
  unit: Unit,
  timestamp: string,
  quantity: Quantity,
): Hours | undefined {
  const all = unit === 'hour' ? [] : hours[`${unit}s`];
  const found = all.find((one) => one.timestamp.slice(0, 10) === timestamp.slice(0, 10));
  return found && countHours(found, quantity);
}

/** A11: fewer than 18 of 24. */
export const isFew = (hours: Hours | undefined): boolean =>
  hours !== undefined && hours.measured < 0.75 * hours.expected;

/** True if a value comes from suspect particles. */
export const isSuspect = (
  { flags }: History,
  unit: Unit,
  timestamp: string,
  quantity: Quantity,
): boolean => isOfParticles(quantity) && isSuspectIn(timestamp, flags, unit);

const UTC = '1970-01-01T00:00:00+00:00';

/** The local date of the answer. */
export const todayOf = (history: History): string =>
  localTime(history.at, newestTime(history.windows) ?? UTC).slice(0, 10);

export type Part = { show(view: View): void };

/**
 * The parameters that are measured, and the one to look at: that in the address, if it is among
 * them, else the first.
 */
function quantitiesOf({ quantities }: Page, { windows }: History, { parameter }: View) {
  const found = measuredQuantities(quantities, Object.values(windows));
  const measured = found.length > 0 ? found : [PM25];
  return {
    measured,
    quantity: measured.find(({ key }) => key === parameter) ?? (measured[0] as Quantity),
  };
}

/** The head of the page already has the last day, so by itself the history opens at a week. */
const FIRST_WINDOW = '7d';

function chosenWindow({ windows }: Page, history: History, view: View): HistoryWindow {
  const first = windows.findIndex(({ key }) => key === FIRST_WINDOW);
  const hasPoints = ({ key }: HistoryWindow) => (history.windows[key] ?? []).length > 0;
  return (
    windows.find(({ key }) => key === view.window) ??
    windows.slice(first).find(hasPoints) ??
    (windows[first] as HistoryWindow)
  );
}

const nameOf = (page: Page, { key }: Quantity) => wordFor(page.words, key);

function nameWithUnit(page: Page, quantity: Quantity): string {
  const unit = unitIn(page.locale, quantity.unit);
  return unit === '' ? nameOf(page, quantity) : `${nameOf(page, quantity)}, ${unit}`;
}

/** `card`: has the switches; `element` goes beneath them. */
export function makeHistory(
  page: Page,
  card: HTMLElement,
  history: History,
): Part & { element: HTMLElement } {
  const { words, locale } = page;
  const buttons = [...card.querySelectorAll<HTMLButtonElement>('button')];
  const select = partOf<HTMLSelectElement>(card, 'select');
  const element = toElement(html`<div><p class="live"></p><div></div></div>`);
  const live = partOf(element, '.live');
  const below = partOf(element, ':scope > :last-child');
  const chart = makeChart();
  const inputs = makeInputs(page);
  live.before(chart.element);
  live.after(inputs.element);
  return {
    element,
    show(view) {
      const { measured, quantity } = quantitiesOf(page, history, view);
      const window = chosenWindow(page, history, view);
      for (const button of buttons)
        button.setAttribute('aria-pressed', String(button.value === window.key));
      select.innerHTML = html`${measured.map(
        (one) => html`<option value="${one.key}">${nameOf(page, one)}</option>`,
      )}`.text;
      select.value = quantity.key;
      const buckets = fillGaps(history.windows[window.key] ?? [], window, history.at);
      const hasValue = ({ point }: Bucket) => measuredValue(point, quantity) !== null;
      const hasValues = buckets.some((one) => hasValue(one) || hasDirection(one.point, quantity));
      const shown = { quantity, window, buckets };
      const isOpen = below.querySelector('details')?.open ?? false;
      below.innerHTML = hasValues
        ? html`${explain(page, history, shown)}${asTable(page, history, shown, isOpen)}`.text
        : '';
      live.textContent = hasValues ? '' : words.noValues;
      chart.element.hidden = !hasValues;
      inputs.element.hidden = !hasValues;
      if (!hasValues) return;
      const newest = Math.max(0, buckets.findLastIndex(hasValue));
      const say = (index: number, isByKey: boolean) => {
        // a pointer would make it say too much
        live.setAttribute('aria-live', isByKey ? 'polite' : 'off');
        live.textContent = sentenceOf(
          page,
          history,
          buckets[index] as Bucket,
          quantity,
          window.unit,
        );
      };
      chart.show({
        ...shown,
        index: page.index,
        words,
        locale,
        newest,
        isFew: ({ point, timestamp }) =>
          point !== undefined && isFew(hoursIn(history, window.unit, timestamp, quantity)),
        isSuspect: ({ timestamp }) => isSuspect(history, window.unit, timestamp, quantity),
        label: `${nameWithUnit(page, quantity)}, ${wordFor(words, `window${window.key}`)}. ${words.chartKeys}`,
        onPoint: say,
        onChoose(index) {
          const { point, timestamp } = buckets[index] as Bucket;
          if (point !== undefined) inputs.show(window.unit, timestamp, true);
        },
      });
      say(newest, false);
      inputs.show(window.unit, buckets[newest]?.timestamp ?? '');
    },
  };
}

/** The values that are shown: of a quantity, in a window. */
type Shown = { quantity: Quantity; window: HistoryWindow; buckets: readonly Bucket[] };

const hasDirection = (point: Point | undefined, { key }: Quantity) =>
  key === 'wind_speed' && typeof point?.avg_wind_direction === 'number';

/**
 * `20 Nov, 13:00: 12.3 µg/m³ (8.1–20.4)`, with the category, the direction of the wind, and whether
 * it goes on.
 */
function sentenceOf(
  page: Page,
  history: History,
  bucket: Bucket,
  quantity: Quantity,
  unit: Unit,
): string {
  const { words, locale } = page;
  const { timestamp, point } = bucket;
  const { at } = history;
  const value = measuredValue(point, quantity);
  const hours = hoursIn(history, unit, timestamp, quantity);
  return [
    `${formatBucket(locale, timestamp, unit)}: ${describeValue(locale, point, quantity, words.noValue)}`,
    quantity === AQI && value !== null ? words[categoryOf(value)] : '',
    value !== null && isSuspect(history, unit, timestamp, quantity) ? words.suspect : '',
    hasDirection(point, quantity) ? `${words.wind_direction} ${point?.avg_wind_direction}°` : '',
    hours === undefined || point === undefined ? '' : fill(words.hoursOf, hours),
    isRunning(timestamp, unit, at) ? words.runningMonth : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/**
 * Says what each point is, which guideline is drawn, what is suspect, and what the index leaves out.
 */
function explain(page: Page, history: History, { quantity, window, buckets }: Shown): Html {
  const { words, locale } = page;
  const { unit } = window;
  const sums = { hour: words.hourlySums, day: words.dailySums, month: words.monthlySums };
  const means = { hour: words.hourlyMeans, day: words.dailyMeans, month: words.monthlyMeans };
  const hasBand = buckets.some(({ point }) => rangeOf(point, quantity) !== null);
  const what = `${nameWithUnit(page, quantity)}: ${(quantity.key === 'rain' ? sums : means)[unit]}`;
  const mass = massText(locale, quantity);
  const guideline = guidelineOf(quantity, window);
  const hasSuspect = buckets.some(
    ({ timestamp, point }) =>
      measuredValue(point, quantity) !== null && isSuspect(history, unit, timestamp, quantity),
  );
  return html`<p class="what">
    ${hasBand ? `${what}; ${words.band}.` : `${what}.`}${mass !== '' && ` ${mass}.`}${
      guideline !== undefined &&
      html` <span
    class="dashes"></span> ${words[guideline.word]}: ${formatValue(locale, guideline.value, { ...quantity, digits: 0 })}.`
    }</p>
<p class="what">${linkToHours(page, history, window, buckets)}</p>
${hasSuspect && html`<p class="suspect"><span class="dashes"></span> ${words.suspectDashed}</p>`}
${quantity === AQI && html`<p><small>${words.aqiNote}</small></p>`}`;
}

/** A file has 400 days at most, so of 24 months the last 12 are in it. */
function linkToHours(
  page: Page,
  history: History,
  { key, unit }: HistoryWindow,
  buckets: readonly Bucket[],
): Html {
  const [first] = unit === 'month' ? buckets.slice(-12) : buckets;
  const window = wordFor(page.words, `window${unit === 'month' ? '1y' : key}`);
  const path = `excel/${first?.timestamp.slice(0, 10)}/${todayOf(history)}.csv`;
  const text = fill(page.words.windowForExcel, { window });
  return html`<a href="${exploreUrl(page, path)}" download>${text}</a>`;
}

/** `Nov 2026 (running)`: a row of a table. */
function nameOfBucket(
  { words, locale }: Page,
  { at }: History,
  timestamp: string,
  unit: Unit,
): string {
  const name = formatBucket(locale, timestamp, unit);
  return isRunning(timestamp, unit, at) ? `${name} (${words.runningMonth})` : name;
}

/** Every bucket, also those without a value; and the same as a file for Excel. */
function asTable(
  page: Page,
  history: History,
  { quantity, window: { unit }, buckets }: Shown,
  isOpen: boolean,
): Html {
  const { words, locale, subject } = page;
  const hasBand = buckets.some(({ point }) => rangeOf(point, quantity) !== null);
  const isWind = quantity.key === 'wind_speed';
  const isHourly = unit === 'hour';
  const rows = buckets.map(({ timestamp, point }) => {
    const value = measuredValue(point, quantity);
    const range = rangeOf(point, quantity);
    const hours = hoursIn(history, unit, timestamp, quantity);
    const isDoubted = value !== null && isSuspect(history, unit, timestamp, quantity);
    const few = isFew(hours) ? ` (${words.fewHours})` : '';
    const shown = [
      nameOfBucket(page, history, timestamp, unit),
      `${formatValue(locale, value, quantity)}${isDoubted ? ` (${words.suspect})` : ''}`,
      ...(hasBand ? [range === null ? '–' : formatRange(locale, range, quantity)] : []),
      ...(isWind ? [hasDirection(point, quantity) ? `${point?.avg_wind_direction}°` : '–'] : []),
      ...(isHourly ? [] : [hours === undefined ? '–' : `${fill(words.ofHours, hours)}${few}`]),
      ...(unit === 'month' ? yearBefore(page, history, timestamp, value, quantity) : []),
    ];
    const values = [value, ...(isHourly ? [] : (range ?? [null, null]))];
    const counts = isHourly ? [] : [hours?.measured, hours?.expected];
    const cells = [
      isHourly ? spreadsheetTime(timestamp) : timestamp.slice(0, 10),
      ...values.map((one) => cellOf(one, quantity)),
      ...counts.map((count) => String(count ?? '')),
    ];
    return { shown, cells };
  });
  const heads = [
    words.time,
    nameOf(page, quantity),
    ...(hasBand ? [words.range] : []),
    ...(isWind ? [words.wind_direction] : []),
    ...(isHourly ? [] : [words.hoursMeasured]),
    ...(unit === 'month' ? [words.lastYear, words.change] : []),
  ];
  const unitOfAll = unitIn(locale, quantity.unit);
  const measured = [
    nameOf(page, quantity),
    ...(isHourly ? [] : [words.lowestHour, words.highestHour]),
  ].map((name) => headOf(name, unitOfAll));
  const counted = isHourly ? [] : [words.hoursMeasured, words.hoursExpected];
  const text = spreadsheet(
    locale,
    [words.time, ...measured, ...counted],
    rows.map(({ cells }) => cells),
  );
  const file = `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
  const name = `${subject.replace('/', '-')}_${quantity.key}_${unit}s.csv`;
  const table = scrollingTable(
    words.asTable,
    heads,
    rows.map(({ shown }) => shown),
  );
  return html`<details${isOpen && html` open`}>
    <summary>${words.asTable}</summary>
    ${table}
    <p>
    <a href="${file}" download="${name}">${words.tableForExcel}</a></p></details>`;
}

/** A number of a file, with a point. */
function cellOf(value: number | null, { unit }: Quantity): string {
  if (value === null) return '';
  return unit === 'Pa' ? roundedHpa(value).toFixed(1) : String(value);
}

/** The same month a year before, and how much more the month has. */
function yearBefore(
  { words, locale }: Page,
  history: History,
  timestamp: string,
  now: number | null,
  quantity: Quantity,
): [string, string] {
  const month = `${Number(timestamp.slice(0, 4)) - 1}${timestamp.slice(4, 7)}`;
  const point = history.windows['2y']?.find((one) => one.timestamp.startsWith(month));
  const before = measuredValue(point, quantity);
  if (point === undefined || before === null) return ['–', '–'];
  const few = isFew(hoursIn(history, 'month', point.timestamp, quantity));
  const text = `${formatValue(locale, before, quantity)}${few ? ` (${words.fewHours})` : ''}`;
  if (now === null) return [text, '–'];
  return [text, `${now > before ? '+' : ''}${formatBare(locale, now - before, quantity)}`];
}
