/** A year as a calendar of days, coloured by the category of each; a pointer or the arrow keys tell the values of a day. */
import { fill, formatDate, formatValue, PM25 } from '../format.ts';
import { categoryOf } from '../scale.ts';
import { AQI, describeValue, measuredValue, type Point } from '../series.ts';
import { monthStarts, type PlacedDay, placeDays, STEPS } from './days.ts';
import { type Change, categoryLegend, type History, type Hours, isFew, type Part, todayOf } from './history.ts';
import { makeInputs } from './inputs.ts';
import {
  button,
  element,
  exploreUrl,
  fetchJson,
  fillFrom,
  moveByKeys,
  type Page,
  svgElement,
  whenNear,
} from './page.ts';

const STEP = 15;
const SIDE = 12;
const TOP = 20;
const WIDTH = 54 * STEP;
const HEIGHT = TOP + 7 * STEP + 2;
/** No database begins earlier (EPOCH). */
const FIRST_YEAR = 1900;

type Day = Point & { hours: Readonly<Record<string, number>>; expected_hours: number };

export function makeCalendar(page: Page, history: History, change: Change): Part {
  const { words } = page;
  const content = element('section', { id: 'calendar', class: 'card later' });
  const today = todayOf(history);
  let [shown, wanted, isNear] = [0, today.slice(0, 4), false];

  async function load(year: number): Promise<HTMLElement[]> {
    const found = await fetchJson<{ days: Day[] }>(exploreUrl(page, `days/${year}.json`));
    if (found === undefined) return [];
    const byDate = new Map(found.data.days.map((point) => [point.timestamp.slice(0, 10), point]));
    const heading = fill(words.calendar, { year });
    const turn = (text: string, by: number, isPossible: boolean) =>
      button(text, () => change({ year: String(year + by) }), { disabled: !isPossible });
    return [
      element('h2', {}, heading),
      element(
        'div',
        { class: 'controls' },
        turn(`‹ ${words.previousYear}`, -1, year > FIRST_YEAR),
        turn(`${words.nextYear} ›`, 1, year < Number(today.slice(0, 4))),
      ),
      ...drawYear(page, year, byDate, today),
      categoryLegend(page, true),
      element('p', {}, element('small', {}, words.incomplete)),
    ];
  }

  function update(): void {
    const year = Number(wanted);
    if (!isNear || year === shown) return;
    shown = year;
    void fillFrom(page, content, () => load(year));
  }
  whenNear(content, () => {
    isNear = true;
    update();
  });
  return {
    element: content,
    show({ year }) {
      const given = /^20\d\d$/.test(year ?? '') ? year : undefined;
      isNear ||= given !== undefined; // the address asks for it
      wanted = given ?? today.slice(0, 4);
      update();
    },
  };
}

function drawYear(page: Page, year: number, byDate: ReadonlyMap<string, Day>, today: string) {
  const { words, locale } = page;
  const days = placeDays(year).filter(({ date }) => date < today || byDate.has(date));
  const cells = new Map(days.map((day) => [day.date, cellOf(day, byDate.get(day.date))]));
  const svg = svgElement(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true' },
    ...monthStarts(placeDays(year)).map(({ date, week, weekday }) => {
      const x = (weekday === 0 ? week : week + 1) * STEP;
      return svgElement('text', { x, y: TOP - 8 }, formatDate(locale, date, 'name of month'));
    }),
    ...cells.values(),
  );
  const weekdays = svgElement(
    'svg',
    { class: 'weekdays', viewBox: `0 0 36 ${HEIGHT}`, preserveAspectRatio: 'xMinYMid', 'aria-hidden': 'true' },
    ...[0, 2, 4, 6].map((weekday) => {
      const monday = `2024-01-0${weekday + 1}`; // any week that begins on the first
      const name = formatDate(locale, monday, 'name of weekday');
      return svgElement('text', { x: 0, y: TOP + weekday * STEP + 10 }, name);
    }),
  );
  const live = element('p', { class: 'live' });
  const inputs = makeInputs(page);
  const newest = [...byDate.values()].at(-1);
  if (newest !== undefined) inputs.show(AQI, 'day', newest.timestamp);
  inputs.element.hidden = newest === undefined;
  const label = `${fill(words.calendar, { year })}. ${words.calendarKeys}`;
  const box = element('div', { tabindex: 0, role: 'application', 'aria-label': label }, svg);
  let at = days.findLastIndex(({ date }) => byDate.has(date));
  if (at === -1) at = days.length - 1;

  function point(index: number, isByKey: boolean): void {
    const day = days[index];
    if (day === undefined) return;
    svg.querySelector('.at')?.classList.remove('at');
    const cell = cells.get(day.date);
    cell?.classList.add('at');
    at = index;
    live.setAttribute('aria-live', isByKey ? 'polite' : 'off');
    live.textContent = describeDay(page, day.date, byDate.get(day.date));
    if (isByKey) cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  const choose = () => {
    const day = byDate.get(days[at]?.date ?? '');
    if (day !== undefined) inputs.show(AQI, 'day', day.timestamp, true);
  };
  const indexUnder = ({ target }: Event) => days.findIndex(({ date }) => cells.get(date) === target);
  svg.addEventListener('pointermove', (event) => point(indexUnder(event), false));
  svg.addEventListener('click', (event) => {
    if (indexUnder(event) === -1) return;
    point(indexUnder(event), false);
    choose();
  });
  moveByKeys(box, { steps: STEPS, last: days.length - 1, at: () => at, go: (to) => point(to, true), choose });
  point(at, false);
  requestAnimationFrame(() => {
    const last = days[at];
    if (last !== undefined) box.scrollLeft = (last.week * STEP * svg.clientWidth) / WIDTH - box.clientWidth / 2;
  });
  return [element('div', { class: 'calendar' }, weekdays, box), live, inputs.element];
}

function cellOf({ week, weekday }: PlacedDay, point: Day | undefined): SVGRectElement {
  const category = categoryOf(measuredValue(point, AQI));
  const [x, y] = [week * STEP, TOP + weekday * STEP];
  const mark = incompleteHours(point) === undefined ? '' : ' incomplete';
  return svgElement('rect', { x, y, width: SIDE, height: SIDE, rx: 2, class: `${category}${mark}` });
}

/** The hours of a day that has less than 75 % of them (A11): with PM2.5, or where there is none, with PM10, of which the index is. */
function incompleteHours(point: Day | undefined): Hours | undefined {
  if (point === undefined || measuredValue(point, AQI) === null) return undefined;
  const hours = { measured: point.hours['pm2.5'] || point.hours.pm10 || 0, expected: point.expected_hours };
  return isFew(hours) ? hours : undefined;
}

/** `Fri, 20 Nov 2026: PM2.5 20.9 µg/m³ (7.7–33.1) · AQI 73, Moderate`, and of an incomplete day ` · 4 of 24 hours measured`. */
function describeDay({ words, locale }: Page, date: string, point: Day | undefined): string {
  const day = formatDate(locale, date, 'day of week');
  const aqi = measuredValue(point, AQI);
  if (aqi === null) return `${day}: ${words.unknown}`;
  const hours = incompleteHours(point);
  const mark = hours === undefined ? '' : ` · ${fill(words.hoursOf, hours)}`;
  return `${day}: PM2.5 ${describeValue(locale, point, PM25, '–')} · AQI ${formatValue(locale, aqi, AQI)}, ${words[categoryOf(aqi)]}${mark}`;
}
