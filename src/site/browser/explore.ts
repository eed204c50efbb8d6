/** Builds the history on the page of a station or region, and keeps the chosen window, parameter and year in the page's address. */
import { html } from '../html.ts';
import { measuredQuantities } from '../series.ts';
import { makeCalendar } from './calendar.ts';
import { makeDownload } from './download.ts';
import {
  type Change,
  type History,
  hoursOf,
  makeHistory,
  makeMonths,
  newestOf,
  type Part,
  todayOf,
} from './history.ts';
import { REPLACED } from './live.ts';
import { exploreUrl, fetchJson, fillFrom, historyUrl, type Page, readPage, toElement, whenNear } from './page.ts';
import { formatView, parseView, type View } from './view.ts';

const section = document.querySelector<HTMLElement>('#history');
if (section !== null) begin(section, readPage(section));

/** What is shown of the history: of which parameters, and its parts. */
type Shown = { history: History; parameters: string; parts: readonly Part[] };

function begin(place: HTMLElement, page: Page): void {
  const content = toElement(html`<div id="parts"></div>`);
  let shown: Shown | undefined;
  let view = parseView(location.search);
  place.append(content);

  const change: Change = (by) => go({ ...view, ...by });
  function go(to: View): void {
    const next = formatView(to);
    if (next !== formatView(view)) window.history.pushState(null, '', location.pathname + next);
    view = parseView(next);
    show();
  }
  function show(): void {
    for (const part of shown?.parts ?? []) part.show(view);
    keepQuery();
  }

  async function makeParts(history: History | undefined): Promise<HTMLElement[]> {
    if (history === undefined) return [];
    const found = measuredQuantities(page.quantities, Object.values(history.windows));
    const measured = found.length > 0 ? found : page.quantities.filter(({ key }) => key === 'pm2.5');
    const parts = [
      makeHistory(page, history, measured, change),
      makeCalendar(page, history, change),
      makeMonths(page, history, measured),
    ];
    shown = { history, parameters: parametersOf(page, history), parts };
    show();
    const newest = newestOf(history)?.slice(0, 10) ?? todayOf(history);
    return [...parts.map((part) => part.element), makeDownload(page, newest)];
  }

  /** Newer values go into the history, from which all parts take theirs; other parameters make all parts anew. Without an answer, what is shown stays. */
  async function refresh(): Promise<void> {
    if (document.hidden || shown === undefined) return;
    const found = await read(page).catch(() => undefined);
    if (found === undefined || JSON.stringify(found.windows) === JSON.stringify(shown.history.windows)) return;
    if (parametersOf(page, found) !== shown.parameters) await fillFrom(page, content, () => makeParts(found));
    else {
      Object.assign(shown.history, found);
      show();
    }
  }

  void whenNear(place).then(() => fillFrom(page, content, async () => makeParts(await read(page))));
  window.addEventListener('popstate', () => {
    view = parseView(location.search);
    show();
  });
  document.addEventListener(REPLACED, () => void refresh());
  keepQuery();
}

const parametersOf = (page: Page, { windows }: History) =>
  measuredQuantities(page.quantities, Object.values(windows))
    .map(({ key }) => key)
    .join();

/** The history, and how many of its hours were measured; where only that is missing, the history without it. */
async function read(page: Page): Promise<History | undefined> {
  const completeness = fetchJson<Parameters<typeof hoursOf>[0]>(exploreUrl(page, 'completeness.json')).catch(
    () => undefined,
  );
  const answer = await fetchJson<History['windows']>(historyUrl(page));
  return answer && { windows: answer.data, at: answer.at, hours: hoursOf((await completeness)?.data) };
}

/** Another language shows the same view. */
function keepQuery(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) link.search = location.search;
}
