/**
 * `<air-quality station="1" lang="en" theme="dark" size="small">` on any page: the current values of a station, or of a `region`. The service
 * puts the words and the style before it, and what it imports, so that one file is all (`src/site/widget.ts`).
 */
import { formatValue, PM25 } from '../format.ts';
import { formatTime } from '../numbers.ts';
import { categoryOf } from '../scale.ts';

declare const WORDS: Record<string, Record<string, string>>;
declare const STYLE: string;

/** The part of the API's document of a station or a region that it shows; only stations have a status. */
type Values = {
  title: string;
  status?: 'online' | 'offline';
  measurement_time: string | null;
  aqi: number | null;
  'pm2.5': number | null;
  temperature: number | null;
};

const REFRESH_MS = 300_000;
const RETRY_MS = 60_000;
const TIMEOUT_MS = 20_000;
/** An answer this much behind is called old. In seconds. */
const OLD_S = 60;

const SERVICE = new URL(import.meta.url);
const SHEET = new CSSStyleSheet(); // a page's Content-Security-Policy may forbid style elements
SHEET.replaceSync(STYLE);

class AirQuality extends HTMLElement {
  static observedAttributes = ['station', 'region', 'lang'];

  #root = this.attachShadow({ mode: 'open' });
  #timer = 0;
  #values: Values | undefined;
  /** Counts what was asked, so that an answer to what is no longer wanted is dropped. */
  #asked = 0;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [SHEET];
  }

  connectedCallback(): void {
    document.addEventListener('visibilitychange', this.#refreshIfSeen);
    window.addEventListener('online', this.#refreshIfSeen);
    this.#retryIn(0);
  }

  disconnectedCallback(): void {
    document.removeEventListener('visibilitychange', this.#refreshIfSeen);
    window.removeEventListener('online', this.#refreshIfSeen);
    clearTimeout(this.#timer);
    this.#asked++;
  }

  attributeChangedCallback(): void {
    this.#values = undefined;
    if (this.isConnected) this.#retryIn(0);
  }

  /** Instead of what was planned before: several attributes that change together are one change. */
  #retryIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(this.#refreshIfSeen, ms);
  }

  #refreshIfSeen = () => {
    if (!document.hidden) void this.#refresh();
  };

  get #locale(): string {
    const wanted = this.closest('[lang]')?.getAttribute('lang')?.split('-')[0] ?? '';
    return Object.hasOwn(WORDS, wanted) ? wanted : 'en';
  }

  /** `station/1` or `region/slug`. */
  get #subject(): string {
    const kind = this.hasAttribute('region') ? 'region' : 'station';
    return `${kind}/${encodeURIComponent(this.getAttribute(kind) ?? '')}`;
  }

  async #refresh(): Promise<void> {
    const asked = ++this.#asked;
    const [locale, subject] = [this.#locale, this.#subject];
    let notice = '';
    try {
      const answer = await fetch(`${SERVICE.origin}/${locale}/air-quality-app/v1/${subject}.json`, {
        cache: 'no-cache', // asks by the ETag of what the browser has
        credentials: 'omit',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (answer.status === 404) notice = subject.startsWith('region') ? 'noRegion' : 'noStation';
      else if (!answer.ok) throw new Error(String(answer.status));
      const values = notice === '' ? await answer.json() : undefined;
      if (asked !== this.#asked) return;
      this.#values = values;
      if (Number(answer.headers.get('Age')) > OLD_S) notice = 'stale';
    } catch {
      if (asked !== this.#asked) return;
      notice = this.#values === undefined ? 'unavailable' : 'stale';
    }
    this.#show(locale, subject, notice);
    this.#retryIn(notice === '' ? REFRESH_MS : RETRY_MS);
  }

  #show(locale: string, subject: string, notice: string): void {
    const words = WORDS[locale] as Record<string, string>;
    const link = (path: string, text: string) => element('a', { href: `${SERVICE.origin}/${locale}/${path}` }, text);
    const card = element('div', { lang: locale });
    const { title, status, measurement_time: time, aqi, 'pm2.5': pm25, temperature } = this.#values ?? NOTHING;
    const when = time === null ? '–' : formatTime(locale, time);
    if (this.#values !== undefined) {
      const category = status === 'offline' ? status : categoryOf(aqi);
      const chip = element('span', { class: `chip ${category}` }, words[category] ?? '');
      const shown = (name: string, value: string) => [' ', element('span', {}, `${name} `, element('b', {}, value))];
      const index = aqi === null ? [] : shown('AQI', String(aqi));
      const warmth =
        category !== 'unknown' || temperature === null
          ? []
          : shown(words.temperature ?? '', formatValue(locale, temperature, { unit: '°C', digits: 1 }));
      const mean = pm25 === null ? [] : shown('PM2.5', formatValue(locale, pm25, PM25));
      const meaning = status === undefined ? words.digestOf : words.meanOfHour;
      const measured = time === null ? words.nothingRecent : meaning?.replace('{time}', when);
      card.append(
        element('p', { class: 'title' }, link(subject, title)),
        element(
          'p',
          { class: 'values', title: words.aqiNote ?? '' },
          ...(warmth.length === 0 ? [chip] : warmth.slice(1)),
          ...index,
          ...mean,
        ),
        element('p', {}, element('small', {}, `${measured} `)),
      );
    }
    if (notice !== '') {
      const name = decodeURIComponent(subject.slice(subject.indexOf('/') + 1));
      const text = (words[notice] ?? '').replace('{time}', when).replace('{name}', () => name);
      card.append(element('p', { class: 'notice', role: 'status' }, text));
    }
    card.append(element('p', {}, element('small', {}, link('', SERVICE.host))));
    this.#root.replaceChildren(card);
  }
}

const NOTHING: Values = { title: '', measurement_time: null, aqi: null, 'pm2.5': null, temperature: null };

/** Whatever the API answers becomes text, never HTML. */
function element(name: string, attributes: Record<string, string>, ...content: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

if (customElements.get('air-quality') === undefined) customElements.define('air-quality', AirQuality);
