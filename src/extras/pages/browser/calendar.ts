/**
 * A year as a calendar of days, coloured by the category of each; a pointer or the arrow keys tell
 * the values of a day.
 */
import { fill, formatDate, formatValue, PM25 } from '../format.ts';
import { type Html, html } from '../html.ts';
import { categoryOf } from '../scale.ts';
import { AQI, describeValue, measuredValue, type Point } from '../series.ts';
import { monthStarts, type PlacedDay, placeDays, STEPS } from './days.ts';
import { fold } from './fold.ts';
import {
  type Change,
  countHours,
  type History,
  type Hours,
  isFew,
  isSuspect,
  type MeasuredHours,
  type Part,
  todayOf,
} from './history.ts';
import { makeInputs } from './inputs.ts';
import {
  exploreUrl,
  fetchJson,
  fillFrom,
  moveByKeys,
  type Page,
  partOf,
  toElement,
  whenNear,
} from './page.ts';

const STEP = 15;
const SIDE = 12;
const TOP = 20;
const WIDTH = 54 * STEP;
const HEIGHT = TOP + 7 * STEP + 2;

type Day = Point & MeasuredHours;

export function makeCalendar(page: Page, history: History, change: Change): Part {
  const content = toElement(html`<section id="calendar" class="card later"></section>`);
  const today = todayOf(history);
  let shown = '';
  const near = whenNear(content);

  async function load(year: number): Promise<HTMLElement[]> {
    await near;
    const found = await fetchJson<{ days: Day[] }>(exploreUrl(page, `days/${year}.json`));
    return found === undefined ? [] : [drawYear(page, year, history, found.data.days, change)];
  }
  return {
    element: content,
    show({ year = '' }) {
      const wanted = /^(19|20)\d\d$/.test(year) ? year : today.slice(0, 4);
      if (wanted === shown) return;
      shown = wanted;
      void fillFrom(page, content, () => load(Number(wanted)));
    },
  };
}

function drawYear(
  page: Page,
  year: number,
  history: History,
  measured: readonly Day[],
  change: Change,
): HTMLElement {
  const { words, locale } = page;
  const today = todayOf(history);
  const byDate = new Map(measured.map((point) => [point.timestamp.slice(0, 10), point]));
  const days = placeDays(year).filter(({ date }) => date < today || byDate.has(date));
  const heading = fill(words.calendar, { year });
  const turn = (by: number, text: string, isPossible: boolean) =>
    html`<button type="button"
      data-year="${year + by}"${!isPossible && html` disabled`}>${text}</button> `;
  /** In January 2024 the first is a Monday. */
  const weekday = (n: number) =>
    html`<text x="0" y="${TOP + n * STEP + 10}">
      ${formatDate(locale, `2024-01-0${n + 1}`, 'name of weekday')}</text>`;
  const month = ({ date, week, weekday: n }: PlacedDay) =>
    html`<text x="${(n === 0 ? week : week + 1) * STEP}"
      y="${TOP - 8}">${formatDate(locale, date, 'name of month')}</text>`;
  const made = toElement(html`<div><h2>${heading}</h2>
<div class="controls">
  ${turn(-1, `‹ ${words.previousYear}`, true)}${turn(1, `${words.nextYear} ›`, year < Number(today.slice(0, 4)))}</div>
<div class="calendar">
  <svg class="weekdays" viewBox="0 0 36 ${HEIGHT}" preserveAspectRatio="xMinYMid slice"
  aria-hidden="true">${[0, 2, 4, 6].map(weekday)}</svg>
<div tabindex="0" role="application" aria-label="${heading}. ${words.calendarKeys}">
  <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
  ${monthStarts(placeDays(year)).map(month)}${days.map((day) => cellOf(history, day, byDate.get(day.date)))}</svg></div></div>
<p class="live"></p></div>`);
  const box = partOf(made, '[role=application]');
  const live = partOf(made, '.live');
  const cells = [...box.querySelectorAll('rect')];
  const inputs = makeInputs(page);
  live.after(inputs.element);
  const newest = measured.at(-1);
  if (newest !== undefined) inputs.show(AQI, 'day', newest.timestamp);
  inputs.element.hidden = newest === undefined;
  let at = days.findLastIndex(({ date }) => byDate.has(date));
  if (at === -1) at = days.length - 1;

  function point(index: number, isByKey: boolean): void {
    const day = days[index];
    if (day === undefined) return;
    cells[at]?.classList.remove('at');
    cells[index]?.classList.add('at');
    at = index;
    live.setAttribute('aria-live', isByKey ? 'polite' : 'off');
    live.textContent = describeDay(page, history, day.date, byDate.get(day.date));
    if (isByKey) cells[index]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  const choose = () => {
    const day = byDate.get(days[at]?.date ?? '');
    if (day !== undefined) inputs.show(AQI, 'day', day.timestamp, true);
  };
  box.addEventListener('pointermove', ({ target }) =>
    point(cells.indexOf(target as SVGRectElement), false),
  );
  box.addEventListener('click', ({ target }) => {
    const index = cells.indexOf(target as SVGRectElement);
    if (index === -1) return;
    point(index, false);
    choose();
  });
  moveByKeys(box, {
    steps: STEPS,
    last: () => days.length - 1,
    at: () => at,
    go: (to) => point(to, true),
    choose,
  });
  for (const button of made.querySelectorAll('button'))
    button.addEventListener('click', () => change({ year: button.dataset.year }));
  point(at, false);
  const scrollToDay = () => {
    box.scrollLeft = ((days[at]?.week ?? 0) * STEP * box.scrollWidth) / WIDTH - box.clientWidth / 2;
  };
  requestAnimationFrame(scrollToDay);
  made.addEventListener('toggle', scrollToDay, true); // while it is folded it has no width
  fold(made, 'calendar');
  return made;
}

/** A suspect day has no category. */
function cellOf(history: History, { week, weekday }: PlacedDay, point: Day | undefined): Html {
  const mark = incompleteHours(point) === undefined ? '' : ' incomplete';
  const isKnown = point !== undefined && !isSuspect(history, 'day', point.timestamp, AQI);
  const category = categoryOf(isKnown ? measuredValue(point, AQI) : null);
  return html`<rect x="${week * STEP}" y="${TOP + weekday * STEP}" width="${SIDE}" height="${SIDE}"
    rx="2" class="${category}${mark}"/>`;
}

/** The hours of a day that has less than 75 % of them (A11). */
function incompleteHours(point: Day | undefined): Hours | undefined {
  const hours = point && measuredValue(point, AQI) !== null ? countHours(point, AQI) : undefined;
  return isFew(hours) ? hours : undefined;
}

/**
 * `Fri, 20 Nov 2026: PM2.5 20.9 µg/m³ (7.7–33.1) · AQI 73, Moderate`, and of an incomplete day ` ·
 * 4 of 24 hours measured`.
 */
function describeDay(
  { words, locale }: Page,
  history: History,
  date: string,
  point: Day | undefined,
): string {
  const day = formatDate(locale, date, 'day of week');
  const aqi = measuredValue(point, AQI);
  if (aqi === null || point === undefined) return `${day}: ${words.unknown}`;
  const isDoubted = isSuspect(history, 'day', point.timestamp, AQI);
  const hours = incompleteHours(point);
  const mark = hours === undefined ? '' : ` · ${fill(words.hoursOf, hours)}`;
  return `${day}: PM2.5 ${describeValue(locale, point, PM25, '–')} · AQI ${formatValue(locale, aqi, AQI)}, ${isDoubted ? words.suspect : words[categoryOf(aqi)]}${mark}`;
}
