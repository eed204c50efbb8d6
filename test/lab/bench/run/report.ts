/** The table of one run: Markdown that is readable in a terminal as well. */
import { figure, type Row } from './measure.ts';
import type { Interval } from './statistics.ts';

/**
 * A control that differs from itself by more than this tells that the machine was too noisy for a
 * verdict.
 */
const NOISE = 0.05;

/** `goal`, `must`, `missed`, `report` without a bound, or no verdict. */
function verdict({ value, control, better, must, goal }: Row): string {
  if (must === undefined && goal === undefined) return 'report';
  if (Number.isNaN(value.median)) return 'not measured';
  if (control !== undefined && isNoisy(control)) return 'noisy, no verdict';
  const reaches = (bound: number) =>
    better === 'higher' ? value.median >= bound : value.median <= bound;
  if (goal !== undefined && reaches(goal)) return 'goal';
  if (must === undefined) return 'missed';
  return reaches(must) ? 'must' : 'MISSED';
}

/** The reference must agree with itself, and its interval must be narrow enough to say so. */
const isNoisy = ({ median, low, high }: Interval) =>
  Math.abs(median - 1) > NOISE || low > 1 + NOISE || high < 1 - NOISE || high - low > 6 * NOISE;

const COLUMNS = ['', 'measure', 'figure', '95 %', 'must', 'goal', 'verdict', 'control'];

function cells(row: Row): string[] {
  const interval = ({ low, high }: Interval) =>
    low === high || Number.isNaN(low) ? '' : `${figure(low)}–${figure(high)}`;
  const bound = (limit: number | undefined) =>
    limit === undefined ? '' : `${row.better === 'higher' ? '≥' : '≤'} ${figure(limit)}`;
  return [
    row.id,
    row.title,
    `${figure(row.value.median)} ${row.unit}`.trim(),
    interval(row.value),
    bound(row.must),
    bound(row.goal),
    verdict(row),
    row.control === undefined ? '' : interval(row.control),
    row.detail.replaceAll('|', '\\|'),
  ];
}

/** The last column names the processor, so that no table is copied without it. */
export function report(
  rows: readonly Row[],
  heading: readonly string[],
  processor: string,
): string {
  const lines = [[...COLUMNS, `measured on ${processor}`], ...rows.map(cells)];
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  const [columns = '', ...rest] = lines.map(
    (line) => `| ${line.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const list = heading.map((text) => `- ${text}`);
  return ['# Benchmark', '', ...list, '', columns, rule, ...rest, ''].join('\n');
}
