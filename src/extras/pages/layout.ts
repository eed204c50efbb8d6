/** Builds what every page has: its head, the languages, the navigation and the foot. */
import { ANY_ORIGIN, LOCALES, type Locale } from '../../contract/endpoints.ts';
import { EXPLORE } from '../../contract/explore.ts';
import type { IndexName } from '../../contract/words/indices.ts';
import { type SiteTitles, titleIn } from '../../contract/words/siteTitle.ts';
import { COMMON_WORDS } from '../../contract/words/words.ts';
import type { Content, Kind, Offers } from '../extra.ts';
import { assetUrl } from './assets.ts';
import { THEMES } from './colours.ts';
import { fill } from './format.ts';
import type { Ground } from './ground.ts';
import { type Html, html } from './html.ts';
import type { MapGround, Tiles } from './parts.ts';
import { warningsPath } from './warnings.ts';
import { WORDS } from './words.ts';

/**
 * Whose data these are, from the configuration; `url`: where readers reach them, or ''; `zone`: the
 * zone of all times; `index`: the one in headlines; `tiles` or `ground`: what maps are drawn on;
 * `links`: to pages of other extras; `hasFeeds`: an extra renders feeds.
 */
export type Site = {
  url: string;
  titles: SiteTitles;
  contact: string;
  license: string;
  zone: string;
  index: IndexName;
  tiles?: Tiles | undefined;
  ground?: Ground | undefined;
  links?: Offers['links'];
  hasFeeds?: boolean;
};

export const groundOf = ({ tiles, ground }: Site): MapGround => ({ tiles, ground: ground?.url });

/**
 * `path`: the address after the locale, such as `station/1`; undefined: there is none in another
 * language.
 */
export type Page = {
  locale: Locale;
  path: string | undefined;
  title: string;
  body: Html;
  /** The path of a station or region that has a feed of its own, such as `station/1`. */
  feed?: string;
  /** Likewise of one that has warnings. */
  warnings?: string | undefined;
  /** Modules of the browser's that the page needs, without `.js`. */
  scripts: readonly string[];
  /**
   * An open page with another shape is reloaded; of one with the same, the current parts are
   * replaced.
   */
  shape?: string;
  /** For shared links: a sentence, and the address of a picture. */
  description?: string;
  image?: string;
  /** The ground of its map, where it has one; `none`: a map without tiles. */
  tiles?: Tiles | 'none';
  /** The indices that its foot explains: those that it uses; unset: the one that INDEX names. */
  indices?: readonly IndexName[];
  /** True if it has a form, which leads to another page. */
  hasForm?: boolean;
  /** True if other sites may show it in a frame. */
  isEmbeddable?: boolean;
};

/** Only a page whose map has tiles may load pictures from where they are. */
const policyOf = ({ tiles, hasForm = false, isEmbeddable = false }: Page) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${typeof tiles === 'object' ? ` ${new URL(tiles.url.replace(/[{}]/g, '')).origin}` : ''}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    `frame-ancestors ${isEmbeddable ? '*' : "'none'"}`,
  ].join('; ');

/**
 * The widget reads embeddable pages from anywhere, by a request that cannot itself ask for a fresh
 * answer.
 */
const kindOf = (page: Page): Kind => ({
  type: 'text/html; charset=utf-8',
  isRevalidated: page.isEmbeddable ?? false,
  headers: [
    ...(page.isEmbeddable ? Object.entries(ANY_ORIGIN).flat() : []),
    ...['Content-Security-Policy', policyOf(page)],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ],
});

export function renderPage(site: Site, page: Page): Content {
  const { locale, title, body, scripts, description, image, tiles, isEmbeddable = false } = page;
  const siteTitle = titleIn(site, locale);
  const whole = title === siteTitle ? title : `${title} – ${siteTitle}`;
  const { text } = html`<!doctype html>
<html lang="${locale}">
<head data-shape="${[assetUrl('style.css'), page.shape, ...scripts].join(' ')}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${THEMES.light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${THEMES.dark}" media="(prefers-color-scheme: dark)">
${isEmbeddable && html`<base target="_top">\n`}<title>${whole}</title>
${
  description !== undefined &&
  html`<meta name="description" content="${description}">
<meta property="og:title" content="${whole}">
<meta property="og:description" content="${description}">
<meta property="og:type" content="website">
`
}${image !== undefined && html`<meta property="og:image" content="${site.url}${image}">\n`}
  <link rel="icon" href="${assetUrl('icon.svg')}">
<link rel="stylesheet" href="${assetUrl(isEmbeddable ? 'embed.css' : 'style.css')}">
${tiles !== undefined && html`<link rel="stylesheet" href="${assetUrl('map.css')}">\n`}${
  page.path !== undefined &&
  LOCALES.map((one) => html`<link rel="alternate" hreflang="${one}" href="/${one}/${page.path}">\n`)
}
  <link rel="alternate" type="application/json" title="OpenAPI" href="/openapi.json">
${!isEmbeddable && site.hasFeeds && feedLinks(page)}${scripts.map(
  (name) => html`<script type="module" src="${assetUrl(`${name}.js`)}"></script>\n`,
)}</head>
${
  isEmbeddable
    ? html`<body>
  <main id="content">${body}${staleNotice(locale)}</main></body>`
    : withFrame(site, page)
}
</html>
`;
  return { locale, text, kind: kindOf(page) };
}

/** The feeds that a reader of feeds finds at the address of the page, its own first. */
function feedLinks({ locale, title, feed, warnings }: Page): Html {
  const path = EXPLORE.changesFeed.path.replace('{locale}', locale);
  const { feeds } = COMMON_WORDS[locale];
  const link = (name: string, href: string) =>
    html`<link rel="alternate" type="application/atom+xml" title="${name}" href="${href}">\n`;
  return html`${
    warnings !== undefined &&
    link(fill(feeds.warnings, { place: title }), warningsPath(locale, warnings))
  }${
    feed !== undefined &&
    link(fill(feeds.changesOf, { place: title }), path.replace('changes', `${feed}/changes`))
  }${link(feeds.changes, path)}`;
}

function withFrame(site: Site, { locale, path, body, scripts, indices = [] }: Page): Html {
  const words = WORDS[locale];
  const used = indices.length > 0 ? indices : [site.index];
  const notes = used.map((index) => (index === 'aqi' ? words.aqiNote : words.europeanOnly));
  return html`<body>
<a class="skip" href="#content">${words.skip}</a>
<header>
<a class="home" href="/${locale}/">${titleIn(site, locale)}</a>
<nav>
<a href="/${locale}/docs">${words.developers}</a>
<span class="languages">${LOCALES.map((one) =>
    one === locale
      ? html`<b lang="${one}">${WORDS[one].language}</b>`
      : html`<a lang="${one}" hreflang="${one}"
        href="/${one}/${path ?? ''}">${WORDS[one].language}</a>`,
  )}</span>
</nav>
</header>
${staleNotice(locale)}
<main id="content"${scripts.includes('live') && html` data-ago="${words.ago}"`}>
${body}
</main>
<footer>
<p data-live="foot">${[fill(words.zone, { zone: site.zone }), ...notes].join(' ')}</p>
<p>
  ${site.license !== '' && html`${words.license}: ${site.license}. `}${site.contact !== '' && html`${words.contact}: ${contactLink(site.contact)}. `}
  ${site.links?.map(({ path: to, titles }) => html`<a href="/${locale}/${to}">${titles[locale]}</a> · `)}<a href="/${locale}/docs">${words.docs}</a> · <a href="/openapi.json">OpenAPI</a></p>
</footer>
</body>`;
}

/** Filled by the browser (`browser/stale.ts`). */
const staleNotice = (locale: Locale): Html =>
  html`<p id="stale" role="status" hidden data-text="${WORDS[locale].stale}"></p>`;

/** An address of a page or of a person. */
function contactLink(contact: string): Html {
  if (/^https?:/.test(contact)) return html`<a href="${contact}">${contact}</a>`;
  return /^[^\s@]+@[^\s@]+$/.test(contact)
    ? html`<a href="mailto:${contact}">${contact}</a>`
    : html`${contact}`;
}
