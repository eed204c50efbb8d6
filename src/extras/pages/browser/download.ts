/** Leads to the hours of the chosen dates as a file. */
import { exploreUrl, type Page, partOf } from './page.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 400;

export function makeDownload(page: Page, card: HTMLElement): void {
  const from = partOf<HTMLInputElement>(card, '.from');
  const to = partOf<HTMLInputElement>(card, '.to');
  const link = partOf<HTMLAnchorElement>(card, '.button');

  function update(): void {
    const days = (to.valueAsNumber - from.valueAsNumber) / DAY_MS + 1;
    const isPossible = days >= 1 && days <= MOST_DAYS;
    if (isPossible) link.href = exploreUrl(page, `hours/${from.value}/${to.value}.csv`);
    else link.removeAttribute('href');
    link.setAttribute('aria-disabled', String(!isPossible));
    partOf(card, '[role=status]').classList.toggle('warning', !isPossible);
  }
  card.addEventListener('input', update);
  update();
}
