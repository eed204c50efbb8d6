/** Keeps an open page current: asks for it every minute by its ETag, replaces what changed, and says so when the service is away or behind. */

const EVERY_MS = 60_000;

let etag = '';

async function refresh(): Promise<void> {
  try {
    const headers: HeadersInit = etag === '' ? {} : { 'If-None-Match': etag };
    const answer = await fetch(location.pathname, { headers, signal: AbortSignal.timeout(EVERY_MS) });
    const age = Number(answer.headers.get('Age') ?? 0);
    if (!answer.ok && answer.status !== 304) throw new Error(String(answer.status));
    if (answer.status === 200 && answer.headers.get('ETag') !== etag) {
      etag = answer.headers.get('ETag') ?? '';
      replace(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    }
    tell(age > EVERY_MS / 1_000);
  } catch {
    tell(true);
  }
}

/** The parts that have current values; what a reader has opened or typed stays. */
function replace(fresh: Document): void {
  for (const selector of ['.now', '.values', '.regions']) {
    const [olds, news] = [document.querySelectorAll(selector), fresh.querySelectorAll(selector)];
    olds.forEach((old, n) => {
      const next = news[n];
      if (next === undefined || next.textContent === old.textContent) return;
      const indices = old.querySelector('#indices');
      if (indices !== null) next.querySelector('#indices')?.replaceWith(indices);
      for (const [m, details] of old.querySelectorAll('details').entries())
        (next.querySelectorAll('details')[m] as HTMLDetailsElement | undefined)?.toggleAttribute('open', details.open);
      old.replaceWith(next);
    });
  }
}

function tell(isStale: boolean): void {
  const notice = document.querySelector<HTMLElement>('#stale');
  if (notice === null) return;
  notice.hidden = !isStale;
  const time = document.querySelector('time')?.textContent ?? '\u2013';
  if (isStale) notice.textContent = (notice.dataset.text ?? '').replace('{time}', time);
}

setInterval(() => {
  if (!document.hidden) void refresh();
}, EVERY_MS);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh();
});
window.addEventListener('online', () => void refresh());
window.addEventListener('offline', () => tell(true));
