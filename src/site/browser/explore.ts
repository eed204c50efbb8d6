/** The history on the page of a station or region: its parts, and the address that says what of them is looked at. */
import { type Change, type History, makeHistory, makeMonths, newestOf, type Part, todayOf } from './history.ts';
import { showIndices } from './indices.ts';
import { element, fetchJson, fillFrom, historyUrl, type Page, readPage } from './page.ts';
import { measuredQuantities } from './series.ts';
import { formatView, parseView, type View } from './view.ts';

/** So far below what is seen that it is ready when somebody gets there. */
const AHEAD = '200px';
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

function whenNear(place: HTMLElement, act: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: AHEAD },
  );
  observer.observe(place);
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
    if ((by.month ?? by.day) !== undefined) void recompute.load().then(toRecompute);
  };
  const calendar = later(
    page,
    async () => (await import('./calendar.ts')).makeCalendar(page, history, change),
    ({ year }) => year !== undefined,
  );
  const recompute = later(
    page,
    async () => {
      const rules = await fetchJson<Record<string, string>>(`/${page.locale}/explore/v1/rules.json`);
      if (rules === undefined) return undefined;
      const { makeRecompute } = await import('./recompute.ts');
      return makeRecompute(page, rules.data, measured, newestOf(history)?.slice(0, 10) ?? todayOf(history), change);
    },
    ({ month, day }) => (month ?? day) !== undefined,
  );
  const parts: Part[] = [
    makeHistory(page, history, measured, change),
    calendar,
    makeMonths(page, history, measured),
    recompute,
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
  return parts.map((part) => part.element);
}

/** A part that is made when it comes near, or when a view wants it; undefined: what it needs is not in the API. */
function later(
  page: Page,
  make: () => Promise<Part | undefined>,
  isWanted: (view: View) => boolean,
): Part & { load(): Promise<void> } {
  const place = element('div', { class: 'later' });
  let view: View = {};
  let part: Part | undefined;
  let loading: Promise<void> | undefined;
  const load = () => {
    loading ??= fillFrom(page, place, async () => {
      part = await make();
      place.classList.remove('later');
      part?.show(view);
      return part === undefined ? [] : [part.element];
    });
    return loading;
  };
  whenNear(place, () => void load());
  return {
    element: place,
    load,
    show(next) {
      view = next;
      part?.show(next);
      if (isWanted(next)) void load();
    },
  };
}

/** Puts newer values into the history, from which all parts take theirs. While there are none, what is shown stays. */
async function refresh(page: Page, history: History, show: () => void): Promise<void> {
  const found = await fetchJson<History['windows']>(historyUrl(page)).catch(() => undefined);
  if (found === undefined || JSON.stringify(found.data) === JSON.stringify(history.windows)) return;
  Object.assign(history, { windows: found.data, at: found.at });
  show();
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
