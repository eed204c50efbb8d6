/**
 * Fills the history on the page of a station or region (`../history.ts`) once it is wanted, and
 * keeps the chosen window, parameter and year in the page's address.
 */
import { makeDownload } from './download.ts';
import { closeLists, foldAll, unfold } from './fold.ts';
import type { History, Part } from './history.ts';
import { REPLACED } from './live.ts';
import {
  exploreUrl,
  fetchJson,
  fillFrom,
  historyUrl,
  type Page,
  partOf,
  readPage,
  whenWanted,
} from './page.ts';
import { formatView, parseView, type View } from './view.ts';

closeLists();
foldAll();
document.addEventListener(REPLACED, foldAll);

const section = document.querySelector<HTMLElement>('#history');
if (section !== null) begin(section, readPage(section));

function begin(place: HTMLElement, page: Page): void {
  const card = partOf(place, '#windows');
  const calendar = place.querySelector<HTMLElement>('#calendar');
  const download = partOf(place, '#download');
  let history: History | undefined;
  let parts: readonly Part[] = [];

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

  async function draw(): Promise<HTMLElement[]> {
    const [{ drawHistory }, found] = await Promise.all([import('./drawnHistory.ts'), read(page)]);
    history = found;
    if (history === undefined) return [];
    const drawn = drawHistory(page, card, calendar, history);
    parts = drawn.parts;
    show();
    return [drawn.element];
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

  /** A month on one sheet: the chart of 30 days and its table. */
  partOf(download, '.print').addEventListener('click', () => {
    change({ window: '30d' });
    card.querySelector('details')?.setAttribute('open', '');
    window.print();
  });
  listen(card, calendar, change);
  makeDownload(page, download);
  void whenWanted(place).then(() => fillFrom(page, partOf(card, '.fill'), draw));
  window.addEventListener('popstate', show);
  document.addEventListener(REPLACED, () => void refresh());
  show();
}

/** Goes to another view. */
type Change = (change: View) => void;

/** The switches and the years, which lead to another view even before there are values. */
function listen(card: HTMLElement, calendar: HTMLElement | null, change: Change): void {
  for (const button of card.querySelectorAll<HTMLButtonElement>('button'))
    button.addEventListener('click', () => change({ window: button.value }));
  const select = partOf<HTMLSelectElement>(card, 'select');
  select.addEventListener('change', () => change({ parameter: select.value }));
  if (calendar === null) return;
  partOf(calendar, '.record').addEventListener('click', ({ target }) => {
    const year = (target as Element).closest('button')?.dataset.year;
    if (year === undefined) return;
    unfold('calendar');
    change({ year });
    partOf(calendar, '.folded').scrollIntoView({ block: 'nearest' });
  });
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
