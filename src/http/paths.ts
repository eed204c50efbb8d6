/**
 * The contract's paths as regular expressions over the path as it was sent, still encoded. Express' own patterns are laxer: they take
 * other cases and trailing slashes, and decode `%2F` and `%00` before a handler sees them.
 */
import { PARAMETERS } from '../contract/endpoints.ts';
import { LOCALES } from '../contract/locales.ts';

const PARTS: Readonly<Record<string, string>> = {
  locale: LOCALES.join('|'),
  id: PARAMETERS.id.pattern,
  slug: PARAMETERS.slug.pattern,
};

export function pathPattern(path: string): RegExp {
  const source = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${PARTS[name]})`);
  return new RegExp(`^${source}$`);
}
