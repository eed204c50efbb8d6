/** The hours of chosen dates as a file. A link, not a form: pages may send forms nowhere. */
import { html } from '../html.ts';
import { dateAfter } from '../series.ts';
import { fold } from './fold.ts';
import { exploreUrl, type Page, partOf, toElement } from './page.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 400;
const DEFAULT_DAYS = 30;

/** `newest`: the date of the newest values. */
export function makeDownload(page: Page, newest: string): HTMLElement {
  const { words } = page;
  const made = toElement(html`<section id="download" class="card"><h2>${words.download}</h2>
<div class="controls">
  <label>${words.from} <input type="date" class="from"
  value="${dateAfter(newest, 'day', 1 - DEFAULT_DAYS)}"></label>
<label>${words.to} <input type="date" class="to" value="${newest}"></label> <a
  class="button" download>CSV</a></div>
<p role="status"><small>${words.atMost400}</small></p></section>`);
  const from = partOf<HTMLInputElement>(made, '.from');
  const to = partOf<HTMLInputElement>(made, '.to');
  const link = partOf<HTMLAnchorElement>(made, '.button');

  function update(): void {
    const days = (to.valueAsNumber - from.valueAsNumber) / DAY_MS + 1;
    const isPossible = days >= 1 && days <= MOST_DAYS;
    if (isPossible) link.href = exploreUrl(page, `hours/${from.value}/${to.value}.csv`);
    else link.removeAttribute('href');
    link.setAttribute('aria-disabled', String(!isPossible));
    partOf(made, '[role=status]').classList.toggle('warning', !isPossible);
  }
  made.addEventListener('input', update);
  update();
  fold(made, 'download');
  return made;
}
