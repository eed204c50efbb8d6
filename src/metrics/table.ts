/** The catalogue as the README's table. */
import { DEFINITIONS_OF_METRICS } from './definitions.ts';

export function metricsTable(): string {
  const rows = DEFINITIONS_OF_METRICS.map(({ name, type, help, labels }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  const all = [['metric', 'type', 'labels', 'what it says'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(all[0] ?? []), rule, ...rows.map(line)].join('\n');
}
