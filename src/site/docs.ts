/** The reference of the API as a page, made from its OpenAPI document. */
import { makeOpenApi } from '../contract/openapi.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';

export function docsPage(): Page {
  const { info } = makeOpenApi();
  return {
    locale: 'en',
    path: '',
    title: 'API reference',
    scripts: ['developers'],
    body: html`<h1>${info.title}</h1>`,
  };
}
