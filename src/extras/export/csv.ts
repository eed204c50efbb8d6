/** Lines of the CSV files (RFC 4180, but LF). */

/** One field per column; null is an empty field. */
export type Row = readonly (string | number | null)[];

/** A line of CSV with its line end. */
export function csvLine(row: Row): string {
  return `${row.map(field).join(',')}\n`;
}

function field(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
