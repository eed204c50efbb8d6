/** Leads to the hours of the chosen dates as a file, for people and for programs. */
import { exploreUrl, type Page, partOf } from './page.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 400;

export function makeDownload(page: Page, card: HTMLElement): void {
  const from = partOf<HTMLInputElement>(card, '.from');
  const to = partOf<HTMLInputElement>(card, '.to');
  const links = card.querySelectorAll<HTMLAnchorElement>('a.button');

  function update(): void {
    const days = (to.valueAsNumber - from.valueAsNumber) / DAY_MS + 1;
    const isPossible = days >= 1 && days <= MOST_DAYS;
    for (const link of links) {
      const path = `${link.dataset.form}/${from.value}/${to.value}.csv`;
      if (isPossible) link.href = exploreUrl(page, path);
      else link.removeAttribute('href');
      link.setAttribute('aria-disabled', String(!isPossible));
    }
    partOf(card, '[role=status]').classList.toggle('warning', !isPossible);
  }
  card.addEventListener('input', update);
  update();
}
