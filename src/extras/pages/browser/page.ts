/**
 * Used by all parts of a page: its subject, language and words, elements, and requests to the API.
 */
import type { Quantity } from '../format.ts';
import type { HistoryWords } from '../historyWords.ts';
import { type Html, html } from '../html.ts';
import type { HistoryWindow } from '../series.ts';

export type Page = {
  locale: string;
  /** `station/1` or `region/slug`. */
  subject: string;
  /** The index of days and months, and of the stripes behind charts. */
  index: 'aqi' | 'eaqi';
  words: HistoryWords;
  quantities: readonly Quantity[];
  windows: readonly HistoryWindow[];
};

/** From what the server wrote into the page. */
export function readPage(section: HTMLElement): Page {
  const { locale = 'en', subject = '', index, windows = '[]', quantities = '[]' } = section.dataset;
  const words = JSON.parse(document.querySelector('#words')?.textContent ?? '{}');
  return {
    locale,
    subject,
    index: index === 'eaqi' ? 'eaqi' : 'aqi',
    words,
    quantities: JSON.parse(quantities),
    windows: JSON.parse(windows),
  };
}

export const historyUrl = ({ locale, subject }: Page) =>
  `/${locale}/air-quality-app/v1/${subject}-history.json`;
export const exploreUrl = ({ locale, subject }: Page, path: string) =>
  `/${locale}/explore/v1/${subject}/${path}`;

const TIMEOUT_MS = 20_000;

/**
 * A document and when it was answered, by the service's clock; undefined for a 404. Throws while
 * the API does not answer.
 */
export async function fetchJson<T>(url: string): Promise<{ data: T; at: number } | undefined> {
  // by its ETag
  const answer = await fetch(url, { cache: 'no-cache', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (answer.status === 404) {
    await answer.body?.cancel(); // else the connection waits until it is read
    return undefined;
  }
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const at = Date.parse(answer.headers.get('Date') ?? '');
  return { data: (await answer.json()) as T, at: Number.isNaN(at) ? 0 : at };
}

/**
 * Waits until an element is about to be seen: by default so far below the window that it is ready
 * when a reader gets there.
 */
export const whenNear = (place: HTMLElement, rootMargin = '200px'): Promise<void> =>
  new Promise((resolve) => {
    const look = (entries: IntersectionObserverEntry[], observer: IntersectionObserver) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      resolve();
    };
    new IntersectionObserver(look, { rootMargin }).observe(place);
  });

/** The same, or until the focus is in the history, whose parts follow each other by Tab. */
export const whenWanted = (place: HTMLElement): Promise<void> => {
  const around = partOf(document, '#history');
  if (around.contains(document.activeElement)) return Promise.resolve();
  const focused = new Promise<void>((resolve) => {
    around.addEventListener('focusin', () => resolve(), { once: true });
  });
  return Promise.race([whenNear(place), focused]);
};

/** A word of a parameter or another key that only data have. */
export const wordFor = (words: HistoryWords, key: string): string =>
  (words as Readonly<Record<string, string>>)[key] ?? key;

/**
 * The element that a text describes. Only `html` makes such texts, which escapes what they are
 * filled with.
 */
export function toElement<T extends HTMLElement = HTMLElement>({ text }: Html): T {
  const template = document.createElement('template');
  template.innerHTML = text;
  return template.content.firstElementChild as T;
}

/** A part of an element that was made here, so it is there. */
export const partOf = <T extends Element = HTMLElement>(place: ParentNode, selector: string): T =>
  place.querySelector(selector) as T;

/** Where keys lead: how far each goes, with Home and End to the ends; Enter chooses. */
type Moves = {
  steps: Readonly<Record<string, number>>;
  last: () => number;
  at: () => number;
  go: (to: number) => void;
  choose: () => void;
};

export function moveByKeys(box: HTMLElement, { steps, last, at, go, choose }: Moves): void {
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault(); // or the key would also act on what `choose` moves the focus to
      choose();
    }
    const ends: Record<string, number> = { Home: 0, End: last() };
    const target = ends[event.key] ?? at() + (steps[event.key] ?? Number.NaN);
    if (event.ctrlKey || event.altKey || event.metaKey || Number.isNaN(target)) return;
    event.preventDefault();
    go(Math.min(last(), Math.max(0, target)));
  });
}

/** The answer that each place waits for: answers to earlier requests are dropped. */
const wanted = new WeakMap<HTMLElement, () => Promise<Node[]>>();

/**
 * Puts into a place what comes from the API: says that it is on its way while there is nothing yet,
 * and where it cannot be had, that, with a button to try again.
 */
export async function fillFrom(
  page: Page,
  place: HTMLElement,
  make: () => Promise<Node[]>,
): Promise<void> {
  const { words } = page;
  wanted.set(place, make);
  if (place.childElementCount === 0)
    place.append(toElement(html`<p role="status">${words.loading}</p>`));
  const made = await make().catch(() => {
    const warning = toElement(
      html`<p class="warning" role="status">${words.unavailable} <button
        type="button">${words.tryAgain}</button></p>`,
    );
    partOf(warning, 'button').addEventListener('click', () => {
      place.replaceChildren();
      void fillFrom(page, place, make);
    });
    return [warning];
  });
  if (wanted.get(place) !== make) return;
  const focused = place.querySelector<HTMLElement>('[data-year]:focus')?.dataset.year;
  place.replaceChildren(...made);
  if (focused !== undefined)
    place.querySelector<HTMLElement>(`[data-year="${focused}"]`)?.focus({ preventScroll: true });
}
