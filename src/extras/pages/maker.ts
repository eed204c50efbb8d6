/** The page maker that other extras use, with the frame of our pages. */
import type { PageMaker } from '../extra.ts';
import { CODE_SCRIPT, codePart } from './developers.ts';
import { formatDate } from './format.ts';
import { html, scrollingTable } from './html.ts';
import { renderPage } from './layout.ts';
import { formatNumber } from './numbers.ts';
import { WORDS } from './words.ts';

/** `url`: where readers reach the pages, or ''. */
export const makePageMaker = (url: string): PageMaker => ({
  html,
  table: scrollingTable,
  code: (locale, text) => codePart(WORDS[locale], url, text),
  number: formatNumber,
  date: formatDate,
  render({ site, offers: { links, feeds } }, page) {
    const ours = { ...site, url, links, hasFeeds: feeds !== undefined };
    return renderPage(ours, { ...page, scripts: [CODE_SCRIPT] });
  },
});
