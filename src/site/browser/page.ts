/** Used by all parts of a page: its subject, language and words, elements, requests to the API, and scripts of libraries. */
import type { Quantity } from '../format.ts';
import type { HistoryWindow } from '../series.ts';
import type TEXTS from '../words.json';

export type Words = Record<keyof typeof TEXTS, string>;

export type Page = {
  locale: string;
  /** `station/1` or `region/slug`. */
  subject: string;
  words: Words;
  quantities: readonly Quantity[];
  windows: readonly HistoryWindow[];
};

/** From what the server wrote into the page. */
export function readPage(section: HTMLElement): Page {
  const { locale = 'en', subject = '', windows = '[]', quantities = '[]' } = section.dataset;
  const words = JSON.parse(document.querySelector('#words')?.textContent ?? '{}');
  return { locale, subject, words, quantities: JSON.parse(quantities), windows: JSON.parse(windows) };
}

export const historyUrl = ({ locale, subject }: Page) => `/${locale}/air-quality-app/v1/${subject}-history.json`;
export const exploreUrl = ({ locale, subject }: Page, path: string) => `/${locale}/explore/v1/${subject}/${path}`;

const TIMEOUT_MS = 20_000;

/** A document and when it was answered, by the service's clock; undefined for a 404. Throws while the API does not answer. */
export async function fetchJson<T>(url: string): Promise<{ data: T; at: number } | undefined> {
  const answer = await fetch(url, { cache: 'no-cache', signal: AbortSignal.timeout(TIMEOUT_MS) }); // by its ETag
  if (answer.status === 404) {
    await answer.body?.cancel(); // else the connection waits for somebody to read it
    return undefined;
  }
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const at = Date.parse(answer.headers.get('Date') ?? '');
  return { data: (await answer.json()) as T, at: Number.isNaN(at) ? 0 : at };
}

/** Loads the classic script of a library, which only some pages use. */
export async function loadScript(name: string): Promise<void> {
  const script = element('script', { src: new URL(name, import.meta.url).href });
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error(`${script.src} cannot be loaded`)));
    document.head.append(script);
  }).finally(() => script.remove());
}

/** Acts once, as soon as an element is about to be seen: so far below the window that it is ready when somebody gets there. */
export function whenNear(place: HTMLElement, act: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: '200px' },
  );
  observer.observe(place);
}

/** A word of a parameter or another key that only data have. */
export const wordFor = (words: Words, key: string): string => (words as Readonly<Record<string, string>>)[key] ?? key;

type Child = Node | string | false | undefined;
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes and children. `true` is an attribute without a value; false and undefined are none. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  return complete(document.createElement(tag), attributes, children);
}

export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  return complete(document.createElementNS(SVG, tag), attributes, children);
}

function complete<T extends Element>(made: T, attributes: Attributes, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== false && child !== undefined));
  return made;
}

/** A button that does something. */
export function button(text: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

/** Where keys lead: how far each goes, with Home and End to the ends; Enter chooses. */
type Moves = {
  steps: Readonly<Record<string, number>>;
  last: number;
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
    const ends: Record<string, number> = { Home: 0, End: last };
    const target = ends[event.key] ?? at() + (steps[event.key] ?? Number.NaN);
    if (event.ctrlKey || event.altKey || event.metaKey || Number.isNaN(target)) return;
    event.preventDefault();
    go(Math.min(last, Math.max(0, target)));
  });
}

/** The answer that each place waits for: answers to earlier requests are dropped. */
const wanted = new WeakMap<HTMLElement, () => Promise<Node[]>>();

/**
 * Puts into a place what comes from the API: says that it is on its way while there is nothing yet, and where it cannot be had, that, with a
 * button to try again. `what` it is, where no heading says so.
 */
export async function fillFrom(page: Page, place: HTMLElement, make: () => Promise<Node[]>, what = ''): Promise<void> {
  const { words } = page;
  wanted.set(place, make);
  if (place.childElementCount === 0) place.append(element('p', { role: 'status' }, words.loading));
  const made = await make().catch(() => {
    const again = button(words.tryAgain, () => {
      place.replaceChildren();
      void fillFrom(page, place, make, what);
    });
    const said = what === '' ? words.unavailable : `${what}: ${words.unavailable}`;
    return [element('p', { class: 'warning', role: 'status' }, said, ' ', again)];
  });
  if (wanted.get(place) !== make) return;
  const focused = place.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  place.replaceChildren(...made);
  const same = [...place.querySelectorAll('button')].find(({ textContent }) => textContent === focused);
  same?.focus();
}

/** A table that scrolls in a box of its own, also by keys. `rows`: text of each cell, the first of which names its row. */
export function scrollingTable(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly Child[])[],
): HTMLElement {
  const body = rows.map(([name, ...cells]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map((cell) => element('td', {}, cell))),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
      element('tbody', {}, ...body),
    ),
  );
}
