/**
 * Builds the history on the page of a station or region, and keeps the chosen window, parameter and
 * year in the page's address.
 */
import { html } from '../html.ts';
import { AQI, measuredQuantities, newestTime } from '../series.ts';
import { makeCalendar } from './calendar.ts';
import { makeDownload } from './download.ts';
import { closeLists, foldAll } from './fold.ts';
import {
  type Change,
  type History,
  makeHistory,
  makeMonths,
  type Part,
  todayOf,
} from './history.ts';
import { REPLACED } from './live.ts';
import {
  exploreUrl,
  fetchJson,
  fillFrom,
  historyUrl,
  type Page,
  readPage,
  toElement,
  whenNear,
} from './page.ts';
import { makeRecord } from './record.ts';
import { formatView, parseView } from './view.ts';

closeLists();
foldAll();
document.addEventListener(REPLACED, foldAll);

const section = document.querySelector<HTMLElement>('#history');
if (section !== null) begin(section, readPage(section));

function begin(place: HTMLElement, page: Page): void {
  const content = toElement(html`<div id="parts"></div>`);
  let history: History | undefined;
  let parts: readonly Part[] = [];
  place.append(content);

  const change: Change = (by) => {
    const view = parseView(location.search);
    const now = formatView(view);
    const next = formatView({ ...view, ...by });
    if (next !== now) window.history.pushState(null, '', location.pathname + next);
    show();
  };
  /** Shows the view in the address, to which the links to other languages lead as well. */
  function show(): void {
    for (const part of parts) part.show(parseView(location.search));
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a'))
      link.search = location.search;
  }

  async function makeParts(): Promise<HTMLElement[]> {
    history = await read(page);
    if (history === undefined) return [];
    // without particles there is no index, and a calendar would be of dashes
    const measured = measuredQuantities(page.quantities, Object.values(history.windows));
    const hasIndex = measured.includes(AQI);
    parts = [
      makeHistory(page, history, change),
      ...(hasIndex ? [makeRecord(page, todayOf(history), change)] : []),
      ...(hasIndex ? [makeCalendar(page, history, change)] : []),
      makeMonths(page, history),
    ];
    show();
    const newest = newestTime(history.windows)?.slice(0, 10) ?? todayOf(history);
    return [...parts.map(({ element }) => element), makeDownload(page, newest)];
  }

  /**
   * Newer values go into the history, from which all parts take theirs. Without an answer, what is
   * shown stays.
   */
  async function refresh(): Promise<void> {
    if (document.hidden || history === undefined) return;
    const found = await read(page).catch(() => undefined);
    const dataOf = ({ windows, flags }: History) => JSON.stringify([windows, flags]);
    if (found === undefined || dataOf(found) === dataOf(history)) return;
    Object.assign(history, found);
    show();
  }

  void whenNear(place).then(() => fillFrom(page, content, makeParts));
  window.addEventListener('popstate', show);
  document.addEventListener(REPLACED, () => void refresh());
  show();
}

/**
 * The history, how many of its hours were measured, and in which a station was suspect; where only
 * these are missing, the history without them.
 */
async function read(page: Page): Promise<History | undefined> {
  const [history, hours, trust] = await Promise.all([
    fetchJson<History['windows']>(historyUrl(page)),
    fetchJson<History['hours']>(exploreUrl(page, 'completeness.json')).catch(() => undefined),
    page.subject.startsWith('station/')
      ? fetchJson<Pick<History, 'flags'>>(exploreUrl(page, 'flags.json')).catch(() => undefined)
      : undefined,
  ]);
  return (
    history && {
      windows: history.data,
      at: history.at,
      hours: hours?.data ?? { days: [], months: [] },
      flags: trust?.data.flags ?? [],
    }
  );
}
