/**
 * On narrow screens the parts that few people read first are folded to their headings, which is how
 * the server sends them. On wide ones they are open: the style shows them (`.folded`), and here they
 * are said to be. A part in print is open too.
 */

const narrow = matchMedia('(max-width: 520px)');
/** The parts that the reader has opened: they stay open when newer values replace them. */
const opened = new Set<string>();

/** Folds or opens the parts of the page, as the screen wants. */
export function foldAll(): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('.folded')) {
    details.open = !narrow.matches || opened.has(details.dataset.name ?? '');
    (details.firstElementChild as HTMLElement).tabIndex = narrow.matches ? 0 : -1;
  }
}

/** Opens a part, also one whose contents are being loaded. */
export function unfold(name: string): void {
  opened.add(name);
  foldAll();
}

const SHORT = 5;

/** Closes lists of more stations than a narrow screen has room for. */
export function closeLists(): void {
  if (!narrow.matches) return;
  for (const list of document.querySelectorAll<HTMLDetailsElement>('details[data-name=stations]'))
    list.open = list.querySelectorAll('li').length <= SHORT;
}

narrow.addEventListener('change', foldAll);
document.addEventListener(
  'toggle',
  ({ target }) => {
    const { open, dataset, classList } = target as HTMLDetailsElement;
    if (!narrow.matches || !classList.contains('folded')) return;
    if (open) opened.add(dataset.name ?? '');
    else opened.delete(dataset.name ?? '');
  },
  true,
);
