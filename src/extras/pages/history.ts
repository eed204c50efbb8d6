/**
 * The history on the page of a station or region: its headings, its switches and the room that the
 * browser fills (`browser/explore.ts`), so that nothing moves when values arrive. Without a script
 * there is only where the same values are.
 */
import { BASE_PATH, type Locale } from '../../contract/endpoints.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { INDEX_WORDS, type IndexName } from '../../contract/words/indices.ts';
import { PLACE as CALENDAR } from './browser/days.ts';
import { fill, type Quantity } from './format.ts';
import { historyWords } from './historyWords.ts';
import { type Html, html } from './html.ts';
import { QUANTITIES, type Subject, word } from './now.ts';
import { POLLUTANTS, SCALES } from './scale.ts';
import { AQI, dateAfter, localTime, measuredQuantities, newestTime } from './series.ts';
import { yearStrip } from './strip.ts';
import { WORDS, type Words } from './words.ts';

const DOWNLOAD_DAYS = 30;

/**
 * `path`: of the subject, such as `station/1`; `begun`: its first hour. Where nothing was ever
 * measured, there is no history.
 */
export function historyPart(
  locale: Locale,
  subject: Subject,
  path: string,
  begun: string | null,
): Html {
  const newest = newestTime(subject.history);
  if (newest === undefined) return html``;
  const words = WORDS[locale];
  const measured = measuredQuantities(QUANTITIES, Object.values(subject.history));
  const index = indexOf(subject, measured);
  const today = localTime(subject.at.getTime(), newest).slice(0, 10);
  const url = `${BASE_PATH.replace('{locale}', locale)}/${path}-history.json`;
  const keys = [...QUANTITIES.map(({ key }) => key), ...WINDOWS.map(({ key }) => `window${key}`)];
  const json = JSON.stringify(historyWords(words, keys)).replaceAll('<', '\\u003c');
  return html`<section id="history" data-subject="${path}" data-locale="${locale}"
    data-index="${index ?? subject.index}" data-windows="${JSON.stringify(WINDOWS)}" data-quantities="${JSON.stringify(QUANTITIES)}">
<noscript><p>${words.needsScript} <a href="${url}">${url}</a></p></noscript>
<div class="scripted">
<section id="windows" class="card"><div class="heading"><h2>${words.history}</h2>
<label><span>${words.parameter}</span> <select>${measured.map(
    ({ key }) => html`<option value="${key}">${word(words, key)}</option>`,
  )}</select></label></div>
<div class="controls" role="group" aria-label="${words.history}">${WINDOWS.map(
    ({ key }) => html`<button type="button"
  value="${key}">${word(words, `window${key}`)}</button> `,
  )}</div>
<div class="fill"><div class="chart"></div><p class="live" role="status">${words.loading}</p>
<p class="inputs"></p><p class="what"></p><p class="what"></p>
<details><summary>${words.asTable}</summary></details></div></section>
${index !== undefined && calendarPart(locale, index, today, begun ?? today)}
${downloadPart(words, newest.slice(0, 10))}
</div>
</section>
<script type="application/json" id="words">${{ text: json }}</script>`;
}

/** The index of days and months: the one that INDEX names, else the other; undefined: neither. */
function indexOf({ index }: Subject, measured: readonly Quantity[]): IndexName | undefined {
  if (index === 'aqi' && measured.includes(AQI)) return 'aqi';
  return measured.some(({ key }) => POLLUTANTS[key] !== undefined) ? 'eaqi' : undefined;
}

function calendarPart(locale: Locale, index: IndexName, today: string, begun: string): Html {
  const words = WORDS[locale];
  const [first, last] = [begun, today].map((date) => Number(date.slice(0, 4))) as [number, number];
  const years = Array.from({ length: last - first + 1 }, (_, n) => String(first + n));
  const year = fill(words.calendar, { year: last });
  return html`<section id="calendar" class="card" data-begun="${begun.slice(0, 10)}"><h2>${words.record}</h2>
<div class="record">${years.map((one) => yearStrip(words, one, begun))}</div>
${legend(locale, index)}
<details class="folded" data-name="calendar"><summary><h3>${year}</h3></summary>
<div class="fill"><div class="calendar">
  <svg class="weekdays" viewBox="${CALENDAR.weekdays}" preserveAspectRatio="xMinYMid slice"></svg>
  <div><svg viewBox="${CALENDAR.days}"></svg></div></div><p class="live"
  role="status">${words.loading}</p><p class="inputs"></p></div>
<p><small>${index === 'eaqi' && `${words.bandsOfMeans} `}${words.incomplete}</small></p></details></section>`;
}

/** The legend of the chart, the strip and the calendar. */
function legend(locale: Locale, index: IndexName): Html {
  const words = WORDS[locale];
  return html`<p class="legend"><small>${INDEX_WORDS[index].name[locale]}</small><br>${[
    ...SCALES[index],
    'unknown' as const,
  ].map((name) => html`<span class="chip ${name}">${words[name]}</span> `)}</p>`;
}

/** A link, not a form: pages may send forms nowhere. */
function downloadPart(words: Words, newest: string): Html {
  const from = dateAfter(newest, 'day', 1 - DOWNLOAD_DAYS);
  return html`<section id="download" class="card"><details class="folded" data-name="download">
  <summary><h2>${words.download}</h2></summary>
<div class="controls">
  <label>${words.from} <input type="date" class="from" value="${from}"></label>
<label>${words.to} <input type="date" class="to" value="${newest}"></label> <a
  class="button" data-form="excel" download>Excel</a> <a
  class="button" data-form="hours" download>CSV</a> <button type="button" class="print">${words.printMonth}</button></div>
<p role="status"><small>${words.atMost400}</small></p></details></section>`;
}
