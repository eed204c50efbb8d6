/**
 * Says beside each time how long ago that was. The server can't: a page may be kept, and one that
 * is the same has the same ETag. Every page loads it, so it imports nothing.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `texts`: of now, minutes, hours and days, as the page has them (`layout.ts`). */
export function ageIn(locale: string, texts: string, ms: number): string {
  const [now = '', minutes = '', hours = '', days = ''] = texts.split(';');
  const rules = new Intl.PluralRules(locale);
  const say = (forms: string, unit: number) => {
    const n = Math.floor(ms / unit);
    const form = ['one', 'few'].indexOf(rules.select(n)); // else the last
    return (forms.split('|').at(form) ?? '').replace('{n}', String(n));
  };
  if (ms < MINUTE_MS) return now;
  if (ms < HOUR_MS) return say(minutes, MINUTE_MS);
  return ms < 2 * DAY_MS ? say(hours, HOUR_MS) : say(days, DAY_MS);
}

/** `now`: by the service's clock. */
export function tellAges(now: number): void {
  const texts = document.querySelector('main')?.dataset.ago;
  if (texts === undefined) return;
  for (const place of document.querySelectorAll('time + .age')) {
    const time = Date.parse((place.previousElementSibling as HTMLTimeElement).dateTime);
    place.textContent = ` (${ageIn(document.documentElement.lang, texts, now - time)})`;
  }
}
