/** What developers do on a page: copy an address or a snippet, and read the JSON beside what is shown. Without this, links open it. */
import { element } from './page.ts';

/** More of a long answer is not shown, in characters. */
const MOST_SHOWN = 100_000;
const COPIED_MS = 3_000;

for (const part of document.querySelectorAll<HTMLElement>('[data-origin]')) {
  for (const code of part.querySelectorAll('code'))
    code.textContent = (code.textContent ?? '').replaceAll(part.dataset.origin ?? '', location.origin);
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  const code = button.closest('.address')?.querySelector('code');
  const said = element('span', { role: 'status' });
  button.after(said);
  button.hidden = false;
  button.addEventListener('click', () => {
    if (code === null || code === undefined) return;
    void copy(code).then((isCopied) => {
      if (!isCopied) return;
      said.textContent = button.dataset.copied ?? '';
      setTimeout(() => said.replaceChildren(), COPIED_MS);
    });
  });
}

/** Only pages that came over TLS may write to the clipboard; elsewhere the text is at least selected. */
async function copy(code: Element): Promise<boolean> {
  getSelection()?.selectAllChildren(code);
  if (navigator.clipboard === undefined) return document.execCommand('copy');
  return await navigator.clipboard.writeText(code.textContent ?? '').then(
    () => true,
    () => false,
  );
}

for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-show]')) {
  let shown: HTMLElement | undefined;
  link.setAttribute('role', 'button');
  link.setAttribute('aria-expanded', 'false');
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in a tab of its own
    event.preventDefault();
    const isOpen = shown !== undefined;
    shown?.remove();
    shown = isOpen ? undefined : open(link);
    link.setAttribute('aria-expanded', String(!isOpen));
  });
  link.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return; // as buttons do
    event.preventDefault();
    link.click();
  });
}

/** The answer, below the line of its link. */
function open(link: HTMLAnchorElement): HTMLElement {
  const attributes = { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': link.pathname, 'aria-busy': 'true' };
  const place = element('pre', attributes, '…');
  (link.closest('.address') ?? link).after(place);
  void read(link.href).then((text) => {
    place.replaceChildren(...marked(text));
    place.removeAttribute('aria-busy');
  });
  return place;
}

async function read(url: string): Promise<string> {
  try {
    const answer = await fetch(url);
    const text = await answer.text();
    const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') ?? false;
    const shown = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
    return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}\n…` : shown;
  } catch (error) {
    return String(error);
  }
}

/** Its lines; marked are those of values that the page shows. */
function marked(text: string): (Node | string)[] {
  const shown = new Set([...document.querySelectorAll<HTMLElement>('[data-key]')].map(({ dataset }) => dataset.key));
  return text.split(/^/m).map((line) => {
    const [, key] = /^ {2}"([^"]+)": /.exec(line) ?? [];
    return shown.has(key) ? element('mark', {}, line) : line;
  });
}
