/**
 * The page of the API reference, which Swagger UI makes in the browser from the OpenAPI document
 * (`browser/docs.ts`).
 */
import { assetUrl } from './assets.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { WORDS } from './words.ts';

export const DOCS_PAGE: Page = {
  locale: 'en',
  path: undefined,
  title: WORDS.en.docs,
  scripts: ['docs'],
  body: html`<link rel="stylesheet" href="${assetUrl('swagger-ui.css')}">
<h1>${WORDS.en.docs}</h1>
<p>This page shows <a href="/openapi.json">/openapi.json</a>, from which many tools make clients.</p>
<div id="reference"></div>
<script src="${assetUrl('swagger-ui.js')}"></script>
<noscript><p>It needs JavaScript.</p></noscript>`,
};
