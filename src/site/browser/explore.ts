/** The history on the page of a station or region: its parts, and the address that says what of them is looked at. */
import { makeCalendar } from './calendar.ts';
import { makeDownload } from './download.ts';
import { type History, makeHistory, makeMonths, type Part } from './history.ts';
import { showIndices } from './indices.ts';
import { button, element, fetchJson, historyUrl, type Page, readPage } from './page.ts';
import { makeRecompute } from './recompute.ts';
import { localTime, measuredQuantities, type Point } from './series.ts';
import { formatView, parseView, type View } from './view.ts';

/** So far below what is seen that it is ready when somebody gets there. */
const AHEAD = '800px';
const EVERY_MS = 5 * 60_000;

const section = document.querySelector<HTMLElement>('#history');
if (section !== null) begin(section, readPage(section));

function begin(place: HTMLElement, page: Page): void {
  const parts = element('div', { id: 'parts' });
  place.append(parts);
  place.querySelector('noscript')?.remove();
  showIndices(page).catch(() => undefined);
  setInterval(() => {
    if (!document.hidden) showIndices(page).catch(() => undefined);
  }, EVERY_MS);
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      void open(parts, page);
    },
    { rootMargin: AHEAD },
  );
  seen.observe(place);
  keepQuery();
}

/** Says so where the history cannot be reached, and offers to try again. */
async function open(place: HTMLElement, page: Page): Promise<void> {
  try {
    const [found, rules] = await Promise.all([
      fetchJson<Record<string, Point[]>>(historyUrl(page)),
      fetchJson<Record<string, string>>(`/${page.locale}/explore/v1/rules.json`),
    ]);
    if (found === undefined) return;
    place.replaceChildren();
    showParts(place, page, { windows: found.data, at: found.at }, rules?.data);
  } catch {
    const again = button(page.words.tryAgain, () => void open(place, page));
    place.replaceChildren(element('p', { class: 'warning', role: 'status' }, page.words.unavailable, ' ', again));
  }
}

/** `rules`: undefined where the API has no more than the five windows. */
function showParts(place: HTMLElement, page: Page, history: History, rules: Record<string, string> | undefined): void {
  const points = Object.values(history.windows);
  const found = measuredQuantities(page.quantities, points);
  const measured = found.length > 0 ? found : page.quantities.filter(({ key }) => key === 'pm2.5');
  const newest = newestDate(history);
  let view = parseView(location.search);

  function change(by: View): void {
    const next = formatView({ ...view, ...by });
    if (next !== formatView(view)) window.history.pushState(null, '', location.pathname + next);
    view = parseView(next);
    show();
    if (by.day !== undefined) toRecompute();
  }
  const parts: Part[] = [
    makeHistory(page, history, measured, change),
    makeCalendar(page, history, change),
    makeMonths(page, history, measured),
    ...(rules === undefined ? [] : [makeRecompute(page, rules, measured, newest, change), makeDownload(page, newest)]),
  ];
  function show(): void {
    for (const part of parts) part.show(view);
    keepQuery();
  }
  place.append(...parts.map((part) => part.element));
  window.addEventListener('popstate', () => {
    view = parseView(location.search);
    show();
  });
  setInterval(() => {
    if (!document.hidden) void refresh(page, history, show);
  }, EVERY_MS);
  show();
}

/** Puts newer values into the history, from which all parts take theirs. While there are none, what is shown stays. */
async function refresh(page: Page, history: History, show: () => void): Promise<void> {
  const found = await fetchJson<History['windows']>(historyUrl(page)).catch(() => undefined);
  if (found === undefined || JSON.stringify(found.data) === JSON.stringify(history.windows)) return;
  Object.assign(history, { windows: found.data, at: found.at });
  show();
}

/** The last local date that there are values of; without any, today's. */
function newestDate({ windows, at }: History): string {
  const all = Object.values(windows).flatMap((points) => points.at(-1)?.timestamp ?? []);
  const hours = [windows['24h'], windows['7d']].flatMap((points) => points?.at(-1)?.timestamp ?? []);
  return (hours[0] ?? all[0] ?? localTime(at, '0000-00-00T00:00:00+00:00')).slice(0, 10);
}

function toRecompute(): void {
  const heading = document.querySelector<HTMLElement>('#recompute h2');
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'start' });
}

/** Another language shows the same view. */
function keepQuery(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) link.search = location.search;
}
