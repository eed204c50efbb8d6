/** Fills the strip of all months since the first; a year of it leads to its calendar. */
import { formatDate, formatValue } from '../format.ts';
import { type Html, html } from '../html.ts';
import { BANDS, bandOf, categoryOf, type Look, POLLUTANTS } from '../scale.ts';
import { AQI, fillGaps, type Point } from '../series.ts';
import { firstMonth, MONTH_WIDTH, STRIP_HEIGHT, yearStrip } from '../strip.ts';
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

type Month = Point & {
  aqi: number | null;
  measured_hours: number;
  european_index: string | null;
  pollutant: string | null;
  pollutant_hours: number;
  expected_hours: number;
};
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
    card.hidden = !months.some((one) => lookOf(page, one) !== 'unknown');
    const all = fillGaps(
      months,
      { unit: 'month', count: Number.POSITIVE_INFINITY },
      found?.at ?? 0,
    );
    const years = [...new Set(all.map(({ timestamp }) => timestamp.slice(0, 4)))];
    const begun = all[0]?.timestamp ?? '';
    return years.map((one) =>
      toElement(
        yearOf(
          page,
          one,
          begun,
          (all as PlacedMonth[]).filter(({ timestamp }) => timestamp.startsWith(one)),
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

/** A year of the months that follow the first of all. */
function yearOf(page: Page, year: string, begun: string, months: readonly PlacedMonth[]): Html {
  const first = firstMonth(year, begun);
  return yearStrip(
    page.words,
    year,
    begun,
    months.map((month) => cellOf(page, month, Number(month.timestamp.slice(5, 7)) - first)),
    endsOf(
      page,
      months.flatMap(({ point }) => point ?? []),
    ),
  );
}

/** The best and the worst month: `AQI 35–80`, or `Fair – Moderate`. */
function endsOf({ index, words, locale }: Page, months: readonly Month[]): string {
  const ranks = months.flatMap(({ aqi, european_index: band }) => {
    if (index === 'aqi') return aqi ?? [];
    return band === null ? [] : BANDS.indexOf(bandOf(band));
  });
  if (ranks.length === 0) return words.noValue;
  const ends = [...new Set([Math.min(...ranks), Math.max(...ranks)])];
  return index === 'aqi'
    ? `AQI ${ends.map((end) => formatValue(locale, end, AQI)).join('–')}`
    : ends.map((end) => words[BANDS[end] ?? 'unknown']).join(' – ');
}

function lookOf({ index }: Page, { aqi, european_index: band }: Month): Look {
  if (index === 'aqi') return categoryOf(aqi);
  return band === null ? 'unknown' : bandOf(band);
}

/** `AQI 35, Good`, or `Fair, PM2.5`. */
function describe(page: Page, month: Month): string {
  const name = page.words[lookOf(page, month)];
  return page.index === 'aqi'
    ? `AQI ${formatValue(page.locale, month.aqi, AQI)}, ${name}`
    : `${name}, ${POLLUTANTS[month.pollutant ?? '']}`;
}

/** `at`: months before it in the strip. */
function cellOf(page: Page, { timestamp, point }: PlacedMonth, at: number): Html {
  const category = point === undefined ? 'unknown' : lookOf(page, point);
  const name = formatDate(page.locale, timestamp, 'month');
  const text =
    point === undefined || category === 'unknown' ? page.words.noValue : describe(page, point);
  const isIncomplete =
    point !== undefined &&
    isFew({
      measured: page.index === 'aqi' ? point.measured_hours : point.pollutant_hours,
      expected: point.expected_hours,
    });
  return html`<rect x="${at * MONTH_WIDTH}" width="${MONTH_WIDTH - 1}" height="${STRIP_HEIGHT}"
    class="${category}${category !== 'unknown' && isIncomplete && ' incomplete'}">
    <title>${name}: ${text}</title></rect>`;
}
