/** Builds the history on the page of a station or region, and keeps the chosen window, parameter and year in the page's address. */
import { makeCalendar } from './calendar.ts';
import { makeDownload } from './download.ts';
import { type Change, type History, makeHistory, makeMonths, newestOf, type Part, todayOf } from './history.ts';
import { showIndices } from './indices.ts';
import { element, fetchJson, fillFrom, historyUrl, type Page, readPage, whenNear } from './page.ts';
import { measuredQuantities } from './series.ts';
import { formatView, parseView } from './view.ts';

const EVERY_MS = 5 * 60_000;

const section = document.querySelector<HTMLElement>('#history');
if (section !== null) begin(section, readPage(section));

function begin(place: HTMLElement, page: Page): void {
  const parts = element('div', { id: 'parts' });
  place.append(parts);
  void showIndices(page);
  setInterval(() => {
    if (!document.hidden) void showIndices(page);
  }, EVERY_MS);
  whenNear(place, () => void fillFrom(page, parts, () => makeParts(page)));
  keepQuery();
}

async function makeParts(page: Page): Promise<HTMLElement[]> {
  const answer = await fetchJson<History['windows']>(historyUrl(page));
  if (answer === undefined) return [];
  const history: History = { windows: answer.data, at: answer.at };
  const found = measuredQuantities(page.quantities, Object.values(history.windows));
  const measured = found.length > 0 ? found : page.quantities.filter(({ key }) => key === 'pm2.5');
  let view = parseView(location.search);

  const change: Change = (by) => {
    const next = formatView({ ...view, ...by });
    if (next !== formatView(view)) window.history.pushState(null, '', location.pathname + next);
    view = parseView(next);
    show();
  };
  const parts: Part[] = [
    makeHistory(page, history, measured, change),
    makeCalendar(page, history, change),
    makeMonths(page, history, measured),
  ];
  function show(): void {
    for (const part of parts) part.show(view);
    keepQuery();
  }
  window.addEventListener('popstate', () => {
    view = parseView(location.search);
    show();
  });
  setInterval(() => {
    if (!document.hidden) void refresh(page, history, show);
  }, EVERY_MS);
  show();
  const newest = newestOf(history)?.slice(0, 10) ?? todayOf(history);
  return [...parts.map((part) => part.element), makeDownload(page, newest)];
}

/** Puts newer values into the history, from which all parts take theirs. While there are none, what is shown stays. */
async function refresh(page: Page, history: History, show: () => void): Promise<void> {
  const found = await fetchJson<History['windows']>(historyUrl(page)).catch(() => undefined);
  if (found === undefined || JSON.stringify(found.data) === JSON.stringify(history.windows)) return;
  Object.assign(history, { windows: found.data, at: found.at });
  show();
}

/** Another language shows the same view. */
function keepQuery(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) link.search = location.search;
}
