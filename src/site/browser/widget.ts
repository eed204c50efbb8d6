/**
 * `<air-quality station="1" lang="en" theme="dark" size="small">` on any page: the current values of a station, or of a `region`.
 * It is bundled with its words and its style, so that one file is all.
 */
import { formatValue, PM25 } from '../format.ts';
import { formatTime } from '../numbers.ts';
import { categoryOf } from '../scale.ts';
import { WIDGET_STYLE } from '../style.ts';
import { type Flag, leftOut, type WidgetWords } from '../suspect.ts';
import TEXTS from '../widgetWords.json';

const inLanguage = (n: number) => Object.fromEntries(Object.entries(TEXTS).map(([key, texts]) => [key, texts[n]]));
const WORDS = Object.fromEntries(['en', 'ru', 'hy'].map((locale, n) => [locale, inLanguage(n) as WidgetWords]));

/** The part of the API's document of a station or a region that it shows; only stations have a status. */
type Values = {
  title: string;
  status?: 'online' | 'offline';
  measurement_time: string | null;
  aqi: number | null;
  'pm2.5': number | null;
  temperature: number | null;
  /** Why its particles are left out of its city's mean. */
  suspect?: string | undefined;
};

const REFRESH_MS = 300_000;
const RETRY_MS = 60_000;
const TIMEOUT_MS = 20_000;
/** An answer this much behind is called old. In seconds. */
const OLD_S = 60;

const SERVICE = new URL(import.meta.url);
const SHEET = new CSSStyleSheet(); // a page's Content-Security-Policy may forbid style elements
SHEET.replaceSync(WIDGET_STYLE);

/** Throws unless it is answered, if only by a 404. */
async function ask(path: string): Promise<Response> {
  const answer = await fetch(`${SERVICE.origin}/${path}`, {
    cache: 'no-cache', // asks by the ETag of what the browser has
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok && answer.status !== 404) throw new Error(String(answer.status));
  return answer;
}

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
      const isRegion = subject.startsWith('region');
      const [answer, trust] = await Promise.all([
        ask(`${locale}/air-quality-app/v1/${subject}.json`),
        isRegion ? undefined : ask(`${locale}/explore/v1/${subject}/flags.json`),
      ]);
      if (answer.status === 404) notice = isRegion ? 'noRegion' : 'noStation';
      const values: Values | undefined = notice === '' ? await answer.json() : undefined;
      if (values !== undefined && values.measurement_time !== null && trust !== undefined) {
        const { flags } = (await trust.json()) as { flags: Flag[] };
        values.suspect = leftOut(locale, WORDS[locale] as WidgetWords, flags, new Date(values.measurement_time));
      }
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
    const { title, status, measurement_time: time, aqi, 'pm2.5': pm25, temperature, suspect } = this.#values ?? NOTHING;
    const isSuspect = suspect !== undefined;
    const when = time === null ? '–' : formatTime(locale, time);
    if (this.#values !== undefined) {
      const category = status === 'offline' ? status : categoryOf(isSuspect ? null : aqi);
      const word = isSuspect && aqi !== null ? words.suspect : words[category];
      const chip = element('span', { class: `chip ${category}` }, word ?? '');
      const shown = (name: string, value: string, isStruck = false) => [
        ' ',
        element('span', {}, `${name} `, element(isStruck ? 's' : 'b', {}, value)),
      ];
      const index = aqi === null ? [] : shown('AQI', String(aqi), isSuspect);
      const warmth =
        category !== 'unknown' || isSuspect || temperature === null
          ? []
          : shown(words.temperature ?? '', formatValue(locale, temperature, { unit: '°C', digits: 1 }));
      const mean = pm25 === null ? [] : shown('PM2.5', formatValue(locale, pm25, PM25), isSuspect);
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
        ...(suspect === undefined ? [] : [element('p', { class: 'notice' }, suspect)]),
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
