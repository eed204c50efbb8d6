/**
 * Splits a line of CSV whose fields may be quoted. Older files of airquality.am quote every time stamp, and a parser made anew for
 * each line would cost more than all the rest of an import.
 */

/** Trimmed fields; undefined: the quotes of the line don't match up. */
export function splitQuoted(text: string): string[] | undefined {
  if (!text.includes('"')) return text.split(',').map((field) => field.trim());
  const fields: string[] = [];
  for (let at = 0; ; ) {
    let end: number;
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close < 0) return undefined;
      fields.push(
        text
          .slice(at + 1, close)
          .replaceAll('""', '"')
          .trim(),
      );
      end = close + 1;
      if (end < text.length && text[end] !== ',') return undefined;
    } else {
      const comma = text.indexOf(',', at);
      end = comma < 0 ? text.length : comma;
      const field = text.slice(at, end);
      if (field.includes('"')) return undefined;
      fields.push(field.trim());
    }
    if (end === text.length) return fields;
    at = end + 1;
  }
}

/** Two quotes in a row stand for one. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
