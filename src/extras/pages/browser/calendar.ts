/**
 * A year as a calendar of days, coloured by the category of each; a pointer or the arrow keys tell
 * the values of a day.
 */
import { fill, formatDate, formatValue, PM25 } from '../format.ts';
import { type Html, html } from '../html.ts';
import { categoryOf } from '../scale.ts';
import { AQI, describeValue, measuredValue, type Point } from '../series.ts';
import { monthStarts, PLACE, type PlacedDay, placeDays, STEP, STEPS, TOP, WIDTH } from './days.ts';
import {
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
  whenWanted,
} from './page.ts';

const SIDE = 12;

type Day = Point & MeasuredHours;

/** `card`: of the strip and the calendar. */
export function makeCalendar(page: Page, card: HTMLElement, history: History): Part {
  const today = todayOf(history);
  const details = partOf(card, '.folded');
  let shown = '';
  let scrollToDay = () => {};
  details.addEventListener('toggle', () => scrollToDay()); // while it is folded it has no width

  async function load(year: number): Promise<HTMLElement[]> {
    await whenWanted(card);
    const found = await fetchJson<{ days: Day[] }>(exploreUrl(page, `days/${year}.json`));
    if (found === undefined) return [];
    const drawn = drawYear(page, year, history, found.data.days);
    scrollToDay = drawn.scrollToDay;
    requestAnimationFrame(scrollToDay);
    return [drawn.element];
  }
  return {
    show({ year = '' }) {
      const wanted = /^(19|20)\d\d$/.test(year) ? year : today.slice(0, 4);
      if (wanted === shown) return;
      shown = wanted;
      partOf(details, 'h3').textContent = fill(page.words.calendar, { year: wanted });
      void fillFrom(page, partOf(details, '.fill'), () => load(Number(wanted)));
    },
  };
}

function drawYear(page: Page, year: number, history: History, measured: readonly Day[]) {
  const { words, locale } = page;
  const today = todayOf(history);
  const byDate = new Map(measured.map((point) => [point.timestamp.slice(0, 10), point]));
  const days = placeDays(year).filter(({ date }) => date < today || byDate.has(date));
  const heading = fill(words.calendar, { year });
  /** In January 2024 the first is a Monday. */
  const weekday = (n: number) =>
    html`<text x="0" y="${TOP + n * STEP + 10}">
      ${formatDate(locale, `2024-01-0${n + 1}`, 'name of weekday')}</text>`;
  const month = ({ date, week, weekday: n }: PlacedDay) =>
    html`<text x="${(n === 0 ? week : week + 1) * STEP}"
      y="${TOP - 8}">${formatDate(locale, date, 'name of month')}</text>`;
  const made = toElement(html`<div><div class="calendar">
  <svg class="weekdays" viewBox="${PLACE.weekdays}" preserveAspectRatio="xMinYMid slice"
  aria-hidden="true">${[0, 2, 4, 6].map(weekday)}</svg>
<div tabindex="0" role="application" aria-label="${heading}. ${words.calendarKeys}">
  <svg viewBox="${PLACE.days}" aria-hidden="true">
  ${monthStarts(placeDays(year)).map(month)}${days.map((day) => cellOf(history, day, byDate.get(day.date)))}</svg></div></div>
<p class="live"></p></div>`);
  const box = partOf(made, '[role=application]');
  const live = partOf(made, '.live');
  const cells = [...box.querySelectorAll('rect')];
  const inputs = makeInputs(page);
  live.after(inputs.element);
  const newest = measured.at(-1);
  if (newest !== undefined) inputs.show('day', newest.timestamp);
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
    if (day !== undefined) inputs.show('day', day.timestamp, true);
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
  point(at, false);
  const scrollToDay = () => {
    box.scrollLeft = ((days[at]?.week ?? 0) * STEP * box.scrollWidth) / WIDTH - box.clientWidth / 2;
  };
  return { element: made, scrollToDay };
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
