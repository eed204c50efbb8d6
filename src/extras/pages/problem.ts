/** The page that a person sees where there is no page, or no data at the moment. */
import type { Locale } from '../../contract/endpoints.ts';
import type { SentProblem } from '../extra.ts';
import { fill } from './format.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { WORDS } from './words.ts';

/**
 * Below a locale, the addresses of stations and regions, which may not exist.
 */
const SUBJECT = /^(embed\/)?(station|region)\/(.+)$/;

type NearPlace = SentProblem['near'][number];

/**
 * `near` and `meant`: places and addresses that may have been meant; `hasSearch`: whether the
 * overview can be searched.
 */
type Suggestions = { near: readonly NearPlace[]; meant: readonly string[]; hasSearch: boolean };

/** What the widget's tag says of a place: `region="velmora"`. */
const attributeOf = ({ kind, key }: NearPlace) => `${kind}="${key}"`;

export function problemPage(
  locale: Locale,
  status: number,
  path: string,
  { near, meant, hasSearch }: Suggestions = { near: [], meant: [], hasSearch: false },
): Page {
  const words = WORDS[locale];
  const [, frame, kind, name = ''] = SUBJECT.exec(path.replace(`/${locale}/`, '')) ?? [];
  const isMissing = status === 404;
  const title = isMissing ? words.notFound : words.unavailable;
  const noSubject = kind === 'station' ? words.noStation : words.noRegion;
  const missing = kind === undefined ? words.notFoundText : noSubject;
  const places = near.map(
    (one) =>
      html`<li><a href="/${locale}/${one.kind}/${one.key}">${one.title}</a>${
        frame !== undefined && html` <code>${attributeOf(one)}</code>`
      }</li>`,
  );
  const addresses = meant.map((address) => {
    const code = html`<code>${address}</code>`;
    return html`<li>${address.includes('{') ? code : html`<a href="${address}">${code}</a>`}</li>`;
  });
  const suggested = [...places, ...addresses];
  return {
    locale,
    path: undefined,
    title,
    scripts: [],
    isEmbeddable: frame !== undefined,
    hasForm: hasSearch,
    body: html`<h1>${title}</h1>
      <p>${isMissing ? fill(missing, { name }) : words.unavailableText}</p>
${suggested.length > 0 && html`<p>${words.near}</p><ul>${suggested}</ul>`}
${
  hasSearch &&
  html`<form class="controls" action="/${locale}/" role="search">
  <input type="search" name="search" required aria-label="${words.search}"
  placeholder="${words.search}"> <button>${words.find}</button></form>`
}
<p><a href="/${locale}/">${words.overview}</a></p>`,
  };
}
