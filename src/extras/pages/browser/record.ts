/**
 * All months since the first, as one strip in the colours of the index; a year leads to its
 * calendar. With the legend of everything around it that has these colours.
 */
import { fill, formatDate, formatValue } from '../format.ts';
import { type Html, html } from '../html.ts';
import { categoryOf } from '../scale.ts';
import { AQI, fillGaps, type Point } from '../series.ts';
import { unfold } from './fold.ts';
import { type Change, isFew, legend, type Part } from './history.ts';
import { exploreUrl, fetchJson, fillFrom, type Page, toElement, whenNear } from './page.ts';

type Month = Point & { aqi: number | null; measured_hours: number; expected_hours: number };
type PlacedMonth = { timestamp: string; point: Month | undefined };

const STEP = 10;
const WIDTH = 12 * STEP;
const HEIGHT = 32;

export function makeRecord(page: Page, today: string, change: Change): Part {
  const content = toElement(html`<section id="record" class="card"></section>`);
  const near = whenNear(content);
  let year = '';

  const mark = () => {
    for (const button of content.querySelectorAll('button[data-year]'))
      button.ariaCurrent = String((button as HTMLElement).dataset.year === year);
  };
  async function load(): Promise<Node[]> {
    await near;
    const url = exploreUrl(page, 'months.json');
    const found = await fetchJson<{ months: readonly Month[] }>(url);
    const months = found?.data.months ?? [];
    content.hidden = !months.some(({ aqi }) => aqi !== null);
    if (content.hidden) return [];
    const drawn = drawRecord(page, months, found?.at ?? 0);
    for (const button of drawn.querySelectorAll('button'))
      button.addEventListener('click', () => {
        unfold('calendar');
        change({ year: button.dataset.year });
        document.querySelector('#calendar')?.scrollIntoView({ block: 'nearest' });
      });
    return [drawn];
  }
  void fillFrom(page, content, load).then(mark);
  return {
    element: content,
    show(view) {
      year = view.year ?? today.slice(0, 4);
      mark();
    },
  };
}

function drawRecord(page: Page, months: readonly Month[], now: number): HTMLElement {
  const { words, locale } = page;
  const all = fillGaps(months, { unit: 'month', count: Number.POSITIVE_INFINITY }, now);
  const years = [...new Set(all.map(({ timestamp }) => timestamp.slice(0, 4)))];
  const monthsOf = (year: string) =>
    (all as PlacedMonth[]).filter(({ timestamp }) => timestamp.startsWith(year));
  const since = formatDate(locale, months[0]?.timestamp ?? '', 'month');
  return toElement(html`<div><h2>${fill(words.record, { month: since })}</h2>
<p class="soft">${words.recordHint}</p>
<div class="record">${years.map((year) => yearOf(page, year, monthsOf(year)))}</div>
${legend(page)}</div>`);
}

function yearOf({ words, locale }: Page, year: string, months: readonly PlacedMonth[]): Html {
  const known = months.flatMap(({ point }) => point?.aqi ?? []);
  const ends = [...new Set([Math.min(...known), Math.max(...known)])];
  const text = known.length === 0 ? words.noValue : `AQI ${ends.join('–')}`;
  return html`<button type="button" data-year="${year}"
    aria-label="${fill(words.calendar, { year })}: ${text}">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"
    aria-hidden="true">${months.map((month) => cellOf(words, locale, month))}</svg>
    ${year}</button>`;
}

function cellOf(words: Page['words'], locale: string, { timestamp, point }: PlacedMonth): Html {
  const aqi = point?.aqi ?? null;
  const category = categoryOf(aqi);
  const name = formatDate(locale, timestamp, 'month');
  const text =
    aqi === null ? words.noValue : `AQI ${formatValue(locale, aqi, AQI)}, ${words[category]}`;
  const isIncomplete =
    point !== undefined &&
    isFew({ measured: point.measured_hours, expected: point.expected_hours });
  const x = (Number(timestamp.slice(5, 7)) - 1) * STEP;
  return html`<rect x="${x}" width="${STEP - 1}" height="${HEIGHT}"
    class="${category}${aqi !== null && isIncomplete && ' incomplete'}">
    <title>${name}: ${text}</title></rect>`;
}
