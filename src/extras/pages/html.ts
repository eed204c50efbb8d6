/**
 * HTML as text that knows what is safe: whatever goes into a template is escaped, unless it came
 * from one.
 */

export type Html = { readonly text: string };

type Value = Html | string | number | null | undefined | false | readonly Value[];

/**
 * Tag of a template. Numbers are written as they are; null, undefined and false leave nothing. A
 * line that is indented goes on the line before: after or before a tag nothing stands for the
 * break, elsewhere a blank, as between attributes.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { text: unfolded(parts).reduce((text, part, n) => text + write(values[n - 1]) + part) };
}

/** Known parts by template: the same parts come again with each call. */
const known = new WeakMap<TemplateStringsArray, readonly string[]>();

function unfolded(parts: TemplateStringsArray): readonly string[] {
  const found = known.get(parts);
  if (found !== undefined) return found;
  const made = parts.map((part) =>
    part.replace(/(>?)\n +(<?)/g, (_, before, after) => before + after || ' '),
  );
  known.set(parts, made);
  return made;
}

function write(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escapeHtml(value);
  return 'text' in value ? value.text : value.map(write).join('');
}

/**
 * A table that scrolls in a box of its own, also by keys. `rows`: the cells of each, the first of
 * which names it.
 */
export const scrollingTable = (
  label: string,
  heads: readonly string[],
  rows: readonly (readonly Value[])[],
): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(([name, ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (found) => ENTITIES[found] as string);
