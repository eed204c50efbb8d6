/** The hours of chosen dates as a file. A link, not a form: pages may send forms nowhere. */

import { dateAfter } from '../series.ts';
import { daysBetween } from './days.ts';
import { element, exploreUrl, type Page } from './page.ts';

const MOST_DAYS = 400;
const DEFAULT_DAYS = 30;

/** `newest`: the date of the newest values. */
export function makeDownload(page: Page, newest: string): HTMLElement {
  const { words } = page;
  const from = element('input', { type: 'date', value: dateAfter(newest, 'day', 1 - DEFAULT_DAYS) });
  const to = element('input', { type: 'date', value: newest });
  const link = element('a', { class: 'button', download: true }, 'CSV');
  const hint = element('p', { role: 'status' }, element('small', {}, words.atMost400));

  function update(): void {
    const days = daysBetween(from.value, to.value);
    const isPossible = days >= 1 && days <= MOST_DAYS;
    if (isPossible) link.href = exploreUrl(page, `hours/${from.value}/${to.value}.csv`);
    else link.removeAttribute('href');
    link.setAttribute('aria-disabled', String(!isPossible));
    hint.classList.toggle('warning', !isPossible);
  }
  from.addEventListener('input', update);
  to.addEventListener('input', update);
  update();
  return element(
    'section',
    { id: 'download', class: 'card' },
    element('h2', {}, words.download),
    element(
      'div',
      { class: 'controls' },
      element('label', {}, `${words.from} `, from),
      element('label', {}, `${words.to} `, to),
      link,
    ),
    hint,
  );
}
