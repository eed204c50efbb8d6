/** Tables for people: columns of text, aligned. */

type Cell = string | number | null;

/** A table with a line of headings; numbers are aligned to the right, null is a dash. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const text = rows.map((row) => row.map((cell) => (cell === null || cell === '' ? '–' : String(cell))));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...text.map((row) => (row[column] ?? '').length)),
  );
  const isNumber = headings.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [headings, ...text].map(line).join('\n');
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `2026-11-20T13:00:00+04:00` with how long ago that was: `2026-11-20 13:00:00 (3 h ago)`. Null is `never`. */
export function ago(time: string | null, now: Date): string {
  if (time === null) return 'never';
  const seconds = Math.round((now.getTime() - Date.parse(time)) / 1_000);
  const [size, unit] = UNITS.find(([size]) => Math.abs(seconds) >= size) ?? UNITS[3];
  const count = Math.floor(Math.abs(seconds) / size);
  return `${time.slice(0, 10)} ${time.slice(11, 19)} (${seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`})`;
}
