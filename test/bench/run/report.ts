/** The table of one run: in the terminal, and as Markdown for the build folder. */
import { figure, type Row } from './measure.ts';
import type { Interval } from './statistics.ts';

/**
 * A control that differs from itself by more than this tells that the machine was too noisy for a
 * verdict.
 */
const NOISE = 0.05;

/** `goal`, `must`, `missed`, `report` where nothing is demanded, or that there is none. */
function verdict({ value, control, better, must, goal }: Row): string {
  if (control !== undefined && isNoisy(control)) return 'noisy, no verdict';
  if (must === undefined) return 'report';
  const reaches = (bound: number) =>
    better === 'higher' ? value.median >= bound : value.median <= bound;
  if (goal !== undefined && reaches(goal)) return 'goal';
  return reaches(must) ? 'must' : 'MISSED';
}

/** The reference must agree with itself, and its interval must be narrow enough to say so. */
const isNoisy = ({ median, low, high }: Interval) =>
  Math.abs(median - 1) > NOISE || low > 1 + NOISE || high < 1 - NOISE || high - low > 6 * NOISE;

const COLUMNS = ['', 'measure', 'figure', '95 %', 'must', 'goal', 'verdict', 'control', 'measured'];

function cells(row: Row): string[] {
  const { value, control, unit } = row;
  const interval = ({ low, high }: Interval) =>
    low === high ? '' : `${figure(low)}–${figure(high)}`;
  const bound = (limit: number | undefined) =>
    limit === undefined ? '' : `${row.better === 'higher' ? '≥' : '≤'} ${figure(limit)}`;
  return [
    row.id,
    row.stations === undefined
      ? row.title
      : `${row.title}, ${row.stations.toLocaleString('en')} stations`,
    `${figure(value.median)} ${unit}`.trim(),
    interval(value),
    bound(row.must),
    bound(row.goal),
    verdict(row),
    control === undefined ? '' : interval(control),
    row.detail,
  ];
}

/** The rows as a table with aligned columns. */
export function terminalTable(rows: readonly Row[]): string {
  const lines = [COLUMNS, ...rows.map(cells)];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The same as Markdown, below what it was measured on. */
export function markdown(rows: readonly Row[], heading: readonly string[]): string {
  const line = (all: readonly string[]) =>
    `| ${all.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '# Benchmark',
    '',
    ...heading.map((text) => `- ${text}`),
    '',
    line(COLUMNS),
    line(COLUMNS.map(() => '---')),
    ...rows.map((row) => line(cells(row))),
    '',
  ].join('\n');
}
