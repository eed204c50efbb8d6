/**
 * A year as a calendar of days, coloured by the category of each; a pointer or the arrow keys tell
 * the values of a day.
 */
import { fill, formatDate, formatValue, PM25, type Quantity } from '../format.ts';
import { type Html, html } from '../html.ts';
import { bandOf, categoryOf, type Look, POLLUTANTS } from '../scale.ts';
import { AQI, describeValue, measuredValue, type Point } from '../series.ts';
import {
  monthStarts,
  PLACE,
  type PlacedDay,
  placeDays,
  STEP,
  STEPS,
  TOP,
  viewFrom,
  WIDTH,
} from './days.ts';
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

type Day = Point & MeasuredHours & { european_index: string | null; pollutant: string | null };

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
    const { begun = '' } = card.dataset;
    const drawn = drawYear(page, year, begun, history, found.data.days);
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

function drawYear(
  page: Page,
  year: number,
  begun: string,
  history: History,
  measured: readonly Day[],
) {
  const { words, locale } = page;
  const today = todayOf(history);
  const byDate = new Map(measured.map((point) => [point.timestamp.slice(0, 10), point]));
  const since = placeDays(year).filter(
    ({ date }) => !begun.startsWith(`${year}-`) || date >= begun.slice(0, 7),
  );
  const days = since.filter(({ date }) => date < today || byDate.has(date));
  const firstWeek = since[0]?.week ?? 0;
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
  <svg viewBox="${viewFrom(firstWeek)}" aria-hidden="true">
  ${monthStarts(since).map(month)}${days.map((day) => cellOf(page, history, day, byDate.get(day.date)))}</svg></div></div>
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
    const weeks = (days[at]?.week ?? firstWeek) - firstWeek;
    box.scrollLeft = (weeks * STEP * box.scrollWidth) / WIDTH - box.clientWidth / 2;
  };
  return { element: made, scrollToDay };
}

type Judged = { look: Look; quantity: Quantity; before: string };

/**
 * The verdict of the index on a day, the quantity that makes it, and the text before its category;
 * undefined without a verdict.
 */
function judge({ index, locale, quantities }: Page, point: Day): Judged | undefined {
  if (index === 'eaqi') {
    const { european_index: band, pollutant } = point;
    const quantity = quantities.find(({ key }) => key === pollutant);
    if (band === null || quantity === undefined) return undefined;
    return { look: bandOf(band), quantity, before: '' };
  }
  const aqi = measuredValue(point, AQI);
  if (aqi === null) return undefined;
  const before = `AQI ${formatValue(locale, aqi, AQI)}, `;
  return { look: categoryOf(aqi), quantity: AQI, before };
}

/** A suspect day has no category. */
function cellOf(
  page: Page,
  history: History,
  { week, weekday }: PlacedDay,
  point: Day | undefined,
): Html {
  const judged = point && judge(page, point);
  const mark = incompleteHours(point, judged) === undefined ? '' : ' incomplete';
  const isKnown =
    point !== undefined &&
    judged !== undefined &&
    !isSuspect(history, 'day', point.timestamp, judged.quantity);
  const category = isKnown ? judged.look : 'unknown';
  return html`<rect x="${week * STEP}" y="${TOP + weekday * STEP}" width="${SIDE}" height="${SIDE}"
    rx="2" class="${category}${mark}"/>`;
}

/** The hours of a day that has less than 75 % of them (A11). */
function incompleteHours(point: Day | undefined, judged: Judged | undefined): Hours | undefined {
  const hours = point && judged && countHours(point, judged.quantity);
  return isFew(hours) ? hours : undefined;
}

/**
 * `Fri, 20 Nov 2026: PM2.5 20.9 µg/m³ (7.7–33.1) · AQI 73, Moderate`, by the European index with the
 * pollutant that makes it, and of an incomplete day ` · 4 of 24 hours measured`.
 */
function describeDay(page: Page, history: History, date: string, point: Day | undefined): string {
  const { words, locale } = page;
  const day = formatDate(locale, date, 'day of week');
  const judged = point && judge(page, point);
  if (judged === undefined || point === undefined) return `${day}: ${words.unknown}`;
  const isDoubted = isSuspect(history, 'day', point.timestamp, judged.quantity);
  const hours = incompleteHours(point, judged);
  const mark = hours === undefined ? '' : ` · ${fill(words.hoursOf, hours)}`;
  const shown = judged.quantity === AQI ? PM25 : judged.quantity;
  return `${day}: ${POLLUTANTS[shown.key]} ${describeValue(locale, point, shown, '–')} · ${judged.before}${isDoubted ? words.suspect : words[judged.look]}${mark}`;
}
