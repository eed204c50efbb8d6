/**
 * Keeps an open page current: asks for it every minute by its ETag, says how old its values are,
 * and when the service is away or behind. All parts with current values (`data-live`) are replaced
 * together, by name; a page that has another shape now, such as one with its first values, is
 * reloaded.
 */
import { tellAges } from './age.ts';
import { tellStale } from './stale.ts';

const EVERY_MS = 60_000;
/** Tells the other modules that the current parts were replaced. */
export const REPLACED = 'replaced';

let etag = '';
/** How far the reader's clock is behind the service's, as far as its answers have told. */
let behindMs = 0;

const sayAges = () => tellAges(Date.now() + behindMs);

async function refresh(): Promise<void> {
  try {
    const answer = await fetch(location.pathname, {
      cache: 'no-cache',
      signal: AbortSignal.timeout(EVERY_MS),
    });
    const age = Number(answer.headers.get('Age') ?? 0);
    if (!answer.ok) throw new Error(String(answer.status));
    const sent = Date.parse(answer.headers.get('Date') ?? '');
    if (!Number.isNaN(sent)) behindMs = sent - Date.now();
    if (answer.headers.get('ETag') !== etag) {
      etag = answer.headers.get('ETag') ?? '';
      replace(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    }
    tellStale(document, age > EVERY_MS / 1_000);
  } catch {
    tellStale(document, true);
  } finally {
    sayAges();
  }
}

function partsOf(page: Document): Map<string, HTMLElement> {
  const parts = page.querySelectorAll<HTMLElement>('[data-live]');
  return new Map([...parts].map((part) => [part.dataset.live ?? '', part]));
}

function replace(fresh: Document): void {
  const olds = partsOf(document);
  const news = partsOf(fresh);
  if (
    fresh.head.dataset.shape !== document.head.dataset.shape ||
    [...olds.keys()].join() !== [...news.keys()].join()
  ) {
    location.reload();
    return;
  }
  const focused = nameOf(document.activeElement);
  for (const [name, old] of olds) {
    const next = news.get(name) as HTMLElement;
    for (const details of next.querySelectorAll('details')) {
      const before = old.querySelector(
        `details[data-name="${CSS.escape(details.dataset.name ?? '')}"]`,
      );
      if (before !== null) details.open = (before as HTMLDetailsElement).open;
    }
    old.replaceWith(next);
  }
  document.title = fresh.title;
  document.dispatchEvent(new Event(REPLACED));
  if (focused !== '' && !document.activeElement?.matches('a, summary'))
    document.querySelector<HTMLElement>(`[data-live] ${focused}`)?.focus({ preventScroll: true });
}

/** A selector that finds the same link or summary in another version of the page. */
function nameOf(focused: Element | null): string {
  if (focused?.closest('[data-live]') === null || focused === null) return '';
  if (focused instanceof HTMLAnchorElement)
    return `a[href="${CSS.escape(focused.getAttribute('href') ?? '')}"]`;
  return `details[data-name="${CSS.escape(focused.closest('details')?.dataset.name ?? '')}"] > summary`;
}

const refreshIfSeen = () => {
  if (document.hidden) return;
  sayAges();
  void refresh();
};
sayAges();
setInterval(refreshIfSeen, EVERY_MS);
document.addEventListener('visibilitychange', refreshIfSeen);
window.addEventListener('online', refreshIfSeen);
window.addEventListener('offline', () => tellStale(document, true));
