/**
 * `<air-quality station="1" lang="en" theme="dark" size="small">` on any page: the current values
 * of a station, or of a `region`. It shows what is on the page that the service has for frames
 * (`embed.ts`), and beneath that what in its tag is wrong. It is bundled with its style, so that one
 * file is all.
 */
import COMMON from 'style/common.css';
import EMBEDDED from 'style/embedded.css';
import WIDGET from 'style/widget.css';
import { THEMED } from '../colours.ts';
import { fill } from '../format.ts';
import { SHORT_MONTHS } from '../numbers.ts';
import { tagMeant, tagOfBoth, tagOfNone, tagUnknown, unavailable } from '../words.json';
import { tellStale } from './stale.ts';

const LOCALES = Object.keys(SHORT_MONTHS);
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  lang: LOCALES,
  theme: ['light', 'dark'],
  size: ['small', 'normal', 'large'],
};

/** Both are regions. */
const MEANT_AS_REGION = ['city', 'district'];

type Texts = Readonly<Record<string, string>>;
const REFRESH_MS = 300_000;
const RETRY_MS = 60_000;
const TIMEOUT_MS = 20_000;
/** An answer this much behind is called old. In seconds. */
const OLD_S = 60;

const SERVICE = new URL(import.meta.url).origin;
const SHEET = new CSSStyleSheet(); // a page's Content-Security-Policy may forbid style elements
SHEET.replaceSync(THEMED + COMMON + EMBEDDED + WIDGET);

class AirQuality extends HTMLElement {
  static observedAttributes = ['station', 'region', 'lang'];

  #root = this.attachShadow({ mode: 'open' });
  #timer = 0;
  /** The one whose answer is wanted; answers to others are dropped. */
  #request: XMLHttpRequest | undefined;
  /** True while it shows values of the place that its attributes name. */
  #hasValues = false;

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
    this.#request = undefined;
  }

  attributeChangedCallback(): void {
    this.#request = undefined;
    this.#hasValues = false;
    if (this.isConnected) this.#retryIn(0);
  }

  /** Instead of what was planned before: several attributes that change together are one change. */
  #retryIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(this.#refreshIfSeen, ms);
  }

  #refreshIfSeen = () => {
    if (!document.hidden) this.#refresh();
  };

  get #locale(): string {
    const wanted = languageOf(this.closest('[lang]')?.getAttribute('lang') ?? '');
    return LOCALES.includes(wanted) ? wanted : 'en';
  }

  /** What its author should mend, in the language of the widget. */
  #mistakes(locale: string): HTMLElement[] {
    const given = (name: string) => `${name}="${this.getAttribute(name)}"`;
    const isUnknown = ([name, known]: [string, readonly string[]]) => {
      const value = this.getAttribute(name);
      return value !== null && !known.includes(name === 'lang' ? languageOf(value) : value);
    };
    const meant = MEANT_AS_REGION.filter((name) => this.hasAttribute(name)).map((name) =>
      say(locale, tagMeant, { given: given(name), meant: given(name).replace(name, 'region') }),
    );
    const both = { station: given('station'), region: given('region') };
    return [
      ...(this.#count === 2 ? [say(locale, tagOfBoth, both)] : []),
      ...(this.#count === 0 && meant.length === 0 ? [say(locale, tagOfNone)] : meant),
      ...Object.entries(KNOWN)
        .filter(isUnknown)
        .map(([name, known]) =>
          say(locale, tagUnknown, { given: given(name), known: known.join(', ') }),
        ),
    ];
  }

  /** How many places its tag names. */
  get #count(): number {
    return ['station', 'region'].filter((name) => this.hasAttribute(name)).length;
  }

  /** `station/1` or `region/slug`. */
  get #subject(): string {
    const kind = this.hasAttribute('region') ? 'region' : 'station';
    return `${kind}/${encodeURIComponent(this.getAttribute(kind) ?? '')}`;
  }

  /**
   * The browser makes the document, in which nothing runs: HTML from a string is what Trusted Types
   * forbid.
   */
  #refresh(): void {
    const locale = this.#locale;
    if (this.#count === 0) {
      this.#root.replaceChildren(makeCard(locale, this.#mistakes(locale)));
      return;
    }
    const request = new XMLHttpRequest();
    this.#request = request;
    request.open('GET', `${SERVICE}/${locale}/embed/${this.#subject}`);
    request.responseType = 'document';
    request.timeout = TIMEOUT_MS;
    request.onloadend = () => {
      if (this.#request === request) this.#show(locale, request);
    };
    request.send();
  }

  #show(locale: string, request: XMLHttpRequest): void {
    const { status } = request;
    const page: Document | null = status === 200 || status === 404 ? request.response : null;
    const main = page?.querySelector('main');
    if (main || !this.#hasValues) {
      this.#hasValues = status === 200;
      const content = main ? contentOf(main) : [sayUnavailable(locale)];
      this.#root.replaceChildren(makeCard(locale, [...content, ...this.#mistakes(locale)]));
    }
    const isStale = !main || Number(request.getResponseHeader('Age')) > OLD_S;
    tellStale(this.#root, isStale);
    this.#retryIn(isStale || status === 404 ? RETRY_MS : REFRESH_MS);
  }
}

function makeCard(locale: string, content: Iterable<Node>): HTMLElement {
  const card = document.createElement('div');
  card.className = 'card';
  card.lang = locale;
  card.append(...content);
  return card;
}

/** As a part of a page with another address and a heading of its own. */
function contentOf(main: HTMLElement): Iterable<Node> {
  for (const link of main.querySelectorAll('a')) link.setAttribute('href', link.href);
  main.querySelector('h1')?.setAttribute('role', 'presentation');
  return main.childNodes;
}

/** `ru` of `ru-RU`. */
const languageOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? '';

function say(locale: string, texts: Texts, values: Record<string, string> = {}): HTMLElement {
  const notice = document.createElement('p');
  notice.className = 'warning';
  notice.textContent = fill(texts[locale] ?? '', values);
  return notice;
}

function sayUnavailable(locale: string): HTMLElement {
  const notice = say(locale, unavailable);
  notice.role = 'status';
  return notice;
}

if (customElements.get('air-quality') === undefined)
  customElements.define('air-quality', AirQuality);
