/** HTML as text that knows what is safe: whatever goes into a template is escaped, unless it came from one. */

export type Html = { readonly text: string };

type Value = Html | string | number | null | undefined | false | readonly Value[];

/** Tag of a template. Numbers are written as they are; null, undefined and false leave nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { text: parts.reduce((text, part, n) => `${text}${write(values[n - 1])}${part}`) };
}

function write(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escapeHtml(value);
  return 'text' in value ? value.text : value.map(write).join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (found) => ENTITIES[found] as string);
