/**
 * Tables that a double click opens in Excel as columns of numbers and times, in the form that it has
 * in the country of a language: where a comma is the decimal mark, columns are separated by `;`.
 * Without the mark at the beginning Excel reads UTF-8 as the letters of the system. Shared with the
 * browser, so it imports nothing.
 */

export const BYTE_ORDER_MARK = '\uFEFF';

/** `rows`: numbers with a point, times of `spreadsheetTime`, and '' for what is not known. */
export function spreadsheet(
  locale: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const [separator, point] = locale === 'en' ? [',', '.'] : [';', ','];
  const quoted = heads.map((head) => `"${head.replaceAll('"', '""')}"`);
  const lines = rows.map((cells) => cells.join(separator).replaceAll('.', point));
  return `${BYTE_ORDER_MARK}${[quoted.join(separator), ...lines].join('\r\n')}\r\n`;
}

/** A local time as Excel reads it in every language: `2026-10-01 00:00`. */
export const spreadsheetTime = (timestamp: string): string =>
  timestamp.slice(0, 16).replace('T', ' ');

/** The name of a column, such as `Pressure (hPa)`. */
export const headOf = (name: string, unit: string): string =>
  unit === '' ? name : `${name} (${unit})`;
