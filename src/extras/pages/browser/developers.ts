/**
 * Puts this service's origin into the addresses and snippets for developers, and lets buttons copy
 * them.
 */
import { html } from '../html.ts';
import { toElement } from './page.ts';

const COPIED_MS = 3_000;

for (const part of document.querySelectorAll('[data-origin]')) part.textContent = location.origin;

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  const code = button.closest('.address')?.querySelector('code');
  const said = toElement(html`<span role="status"></span>`);
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

/** Only pages that came over TLS may write to the clipboard; elsewhere the selection is copied. */
async function copy(code: Element): Promise<boolean> {
  getSelection()?.selectAllChildren(code);
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return true;
  } catch {
    return document.execCommand('copy');
  }
}
