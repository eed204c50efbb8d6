/**
 * On narrow screens the parts that few people read first are folded to their headings. On wide ones,
 * in print and without a script all of a page is open.
 */
import { html } from '../html.ts';
import { partOf, toElement } from './page.ts';

const narrow = matchMedia('(max-width: 520px)');
/** The parts that the reader has opened: they stay open when newer values replace them. */
const opened = new Set<string>();

/** Folds a part of this name, which begins with its heading. */
export function fold(part: HTMLElement, name: string): void {
  const heading = part.querySelector(':scope > h2');
  if (!narrow.matches || heading === null) return;
  const details = toElement<HTMLDetailsElement>(
    html`<details class="folded" data-name="${name}"><summary></summary></details>`,
  );
  partOf(details, 'summary').append(heading);
  details.append(...part.childNodes);
  details.open = opened.has(name);
  details.addEventListener('toggle', () => {
    if (details.open) opened.add(name);
    else opened.delete(name);
  });
  part.append(details);
}

/** Opens a part, also one that is being loaded. */
export function unfold(name: string): void {
  opened.add(name);
  for (const details of document.querySelectorAll<HTMLDetailsElement>(
    `.folded[data-name="${name}"]`,
  ))
    details.open = true;
}

/** Folds the parts that the server has sent. */
export function foldAll(): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-fold]'))
    fold(part, part.dataset.fold ?? '');
}

const SHORT = 5;

/** Closes lists of more stations than a narrow screen has room for. */
export function closeLists(): void {
  if (!narrow.matches) return;
  for (const list of document.querySelectorAll<HTMLDetailsElement>('details[data-name=stations]'))
    list.open = list.querySelectorAll('li').length <= SHORT;
}

narrow.addEventListener('change', () => {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('.folded'))
    details.open = !narrow.matches;
});
