/** Fills the strip of all months since the first; a year of it leads to its calendar. */
import { formatDate, formatValue } from '../format.ts';
import { type Html, html } from '../html.ts';
import { categoryOf } from '../scale.ts';
import { AQI, fillGaps, type Point } from '../series.ts';
import { MONTH_WIDTH, STRIP_HEIGHT, yearStrip } from '../strip.ts';
import { isFew, type Part } from './history.ts';
import {
  exploreUrl,
  fetchJson,
  fillFrom,
  type Page,
  partOf,
  toElement,
  whenWanted,
} from './page.ts';

type Month = Point & { aqi: number | null; measured_hours: number; expected_hours: number };
type PlacedMonth = { timestamp: string; point: Month | undefined };

/** `card`: of the strip and the calendar. */
export function makeRecord(page: Page, card: HTMLElement, today: string): Part {
  const strip = partOf(card, '.record');
  let year = '';

  const mark = () => {
    for (const button of strip.querySelectorAll<HTMLButtonElement>('button'))
      button.ariaCurrent = String(button.dataset.year === year);
  };
  async function load(): Promise<Node[]> {
    await whenWanted(card);
    const url = exploreUrl(page, 'months.json');
    const found = await fetchJson<{ months: readonly Month[] }>(url);
    const months = found?.data.months ?? [];
    card.hidden = !months.some(({ aqi }) => aqi !== null);
    const all = fillGaps(
      months,
      { unit: 'month', count: Number.POSITIVE_INFINITY },
      found?.at ?? 0,
    );
    const years = [...new Set(all.map(({ timestamp }) => timestamp.slice(0, 4)))];
    return years.map((one) =>
      toElement(
        yearOf(
          page,
          one,
          (all as PlacedMonth[]).filter(({ timestamp }) => timestamp.startsWith(one)),
          years.length,
        ),
      ),
    );
  }
  void fillFrom(page, strip, load).then(mark);
  return {
    show(view) {
      year = view.year ?? today.slice(0, 4);
      mark();
    },
  };
}

/** A year of twelve months; where there is no other, it begins at its first. */
function yearOf(
  { words, locale }: Page,
  year: string,
  months: readonly PlacedMonth[],
  yearCount: number,
): Html {
  const first = yearCount === 1 ? numberOf(months[0]) : 1;
  const known = months.flatMap(({ point }) => point?.aqi ?? []);
  const ends = [...new Set([Math.min(...known), Math.max(...known)])];
  const text = known.length === 0 ? words.noValue : `AQI ${ends.join('–')}`;
  return yearStrip(
    words,
    year,
    months.map((month) => cellOf(words, locale, month, numberOf(month) - first)),
    text,
  );
}

const numberOf = (month: PlacedMonth | undefined) => Number(month?.timestamp.slice(5, 7) ?? 1);

/** `at`: months before it in the strip. */
function cellOf(
  words: Page['words'],
  locale: string,
  { timestamp, point }: PlacedMonth,
  at: number,
): Html {
  const aqi = point?.aqi ?? null;
  const category = categoryOf(aqi);
  const name = formatDate(locale, timestamp, 'month');
  const text =
    aqi === null ? words.noValue : `AQI ${formatValue(locale, aqi, AQI)}, ${words[category]}`;
  const isIncomplete =
    point !== undefined &&
    isFew({ measured: point.measured_hours, expected: point.expected_hours });
  return html`<rect x="${at * MONTH_WIDTH}" width="${MONTH_WIDTH - 1}" height="${STRIP_HEIGHT}"
    class="${category}${aqi !== null && isIncomplete && ' incomplete'}">
    <title>${name}: ${text}</title></rect>`;
}
