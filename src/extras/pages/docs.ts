/**
 * The pages of the API reference, which Swagger UI makes in the browser from the OpenAPI document
 * (`browser/docs.ts`). The reference is in English, the page around it in its language.
 */
import type { Locale } from '../../contract/endpoints.ts';
import { assetUrl } from './assets.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { WORDS } from './words.ts';

export function docsPage(locale: Locale): Page {
  const words = WORDS[locale];
  const [before, after] = words.docsIntro.split('{openapi}');
  return {
    locale,
    path: 'docs',
    title: words.docs,
    scripts: ['docs'],
    body: html`<link rel="stylesheet" href="${assetUrl('swagger-ui.css')}">
<link rel="stylesheet" href="${assetUrl('docs.css')}">
<h1>${words.docs}</h1>
<p>${before}<a href="/openapi.json">/openapi.json</a>${after}</p>
<div id="reference" lang="en"></div>
<script src="${assetUrl('swagger-ui.js')}"></script>
<noscript><p>${words.docsScript}</p></noscript>`,
  };
}
