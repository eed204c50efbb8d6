/** Builds what every page has: its head, the languages, the navigation and the foot. */
import type { Locale } from '../contract/endpoints.ts';
import { LOCALES } from '../contract/endpoints.ts';
import { type Document, renderDocument } from '../documents/document.ts';
import { assetUrl } from './assets.ts';
import { fill } from './format.ts';
import { type Html, html } from './html.ts';
import { WORDS } from './words.ts';

/** Whose data these are, from the configuration; `zone`: that of all times. */
export type Site = { title: string; contact: string; license: string; zone: string };

/** `path`: the address after the locale, such as `station/1`; undefined: there is none in another language. */
export type Page = {
  locale: Locale;
  path: string | undefined;
  title: string;
  body: Html;
  /** Modules of the browser's that the page needs, without `.js`. */
  scripts: readonly string[];
  /** True if other sites may show it in a frame. */
  isEmbeddable?: boolean;
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const kindOf = (isEmbeddable: boolean) => ({
  type: 'text/html; charset=utf-8',
  headers: [
    'Content-Security-Policy',
    `${POLICY}; frame-ancestors ${isEmbeddable ? '*' : "'none'"}`,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'strict-origin-when-cross-origin',
  ],
});

export function renderPage(site: Site, page: Page): Document {
  const { locale, title, body, scripts, isEmbeddable = false } = page;
  const { text } = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === site.title ? title : `${title} – ${site.title}`}</title>
<link rel="icon" href="${assetUrl('icon.svg')}">
<link rel="stylesheet" href="${assetUrl('style.css')}">
${page.path !== undefined && LOCALES.map((one) => html`<link rel="alternate" hreflang="${one}" href="/${one}/${page.path}">\n`)}<link rel="alternate" type="application/json" title="OpenAPI" href="/openapi.json">
${scripts.map((name) => html`<script type="module" src="${assetUrl(`browser/${name}.js`)}"></script>\n`)}</head>
${isEmbeddable ? html`<body class="embedded">${body}</body>` : withFrame(site, page)}
</html>
`;
  return renderDocument(locale, text, kindOf(isEmbeddable));
}

function withFrame(site: Site, { locale, path, body }: Page): Html {
  const words = WORDS[locale];
  return html`<body>
<a class="skip" href="#content">${words.skip}</a>
<header>
<a class="home" href="/${locale}/">${site.title}</a>
<nav>
<a href="/docs">${words.developers}</a>
<span class="languages">${LOCALES.map((one) =>
    one === locale
      ? html`<b lang="${one}">${WORDS[one].language}</b>`
      : html`<a lang="${one}" hreflang="${one}" href="/${one}/${path ?? ''}">${WORDS[one].language}</a>`,
  )}</span>
</nav>
</header>
<p id="stale" role="status" hidden data-text="${words.stale}"></p>
<main id="content">
${body}
</main>
<footer>
<p>${fill(words.zone, { zone: site.zone })} ${words.aqiNote}</p>
<p>${site.license !== '' && html`${words.license}: ${site.license}. `}${site.contact !== '' && html`${words.contact}: ${contactLink(site.contact)}. `}<a href="/docs">${words.docs}</a> · <a href="/openapi.json">OpenAPI</a></p>
</footer>
</body>`;
}

/** An address of a page or of a person. */
function contactLink(contact: string): Html {
  if (/^https?:/.test(contact)) return html`<a href="${contact}">${contact}</a>`;
  return /^[^\s@]+@[^\s@]+$/.test(contact) ? html`<a href="mailto:${contact}">${contact}</a>` : html`${contact}`;
}
