/** The table of one run: in the terminal, and as Markdown for the build folder. */
import { figure, type Row } from './measure.ts';
import type { Interval } from './statistics.ts';

/**
 * A control that differs from itself by more than this tells that the machine was too noisy for a
 * verdict.
 */
const NOISE = 0.05;

/**
 * `goal`, `must`, `missed`, `report` without a bound, or no verdict: where medians are too noisy,
 * the least times judge, unless they too differ from themselves.
 */
function verdict(row: Row): string {
  const { value, control, least, better, must, goal } = row;
  if (must === undefined && goal === undefined) return 'report';
  const isByLeast = control !== undefined && isNoisy(control);
  if (isByLeast && (least === undefined || !(Math.abs(least.control - 1) <= NOISE)))
    return 'noisy, no verdict';
  const figureOf = isByLeast ? leastRatio(row) : value.median;
  const reaches = (bound: number) => (better === 'higher' ? figureOf >= bound : figureOf <= bound);
  const by = isByLeast ? ', by the least' : '';
  if (goal !== undefined && reaches(goal)) return `goal${by}`;
  if (must === undefined) return `missed${by}`;
  return reaches(must) ? `must${by}` : `MISSED${by}`;
}

/** The reference must agree with itself, and its interval must be narrow enough to say so. */
const isNoisy = ({ median, low, high }: Interval) =>
  Math.abs(median - 1) > NOISE || low > 1 + NOISE || high < 1 - NOISE || high - low > 6 * NOISE;

/** The same ratio as the one beside it: of times, or of the rates that they allow. */
function leastRatio({ unit, isOfRates, least }: Row): number {
  if (least === undefined || unit !== '') return Number.NaN;
  const { ours, reference } = least;
  return isOfRates === true ? reference / ours : ours / reference;
}

const COLUMNS = [
  ...['', 'measure', 'figure', '95 %', 'must', 'goal', 'verdict', 'control'],
  ...['by the least time', 'least times, µs'],
];

/** The last column names the processor, so that no table is copied without it. */
const headings = (processor: string) => [...COLUMNS, `measured on ${processor}`];

function cells(row: Row): string[] {
  const { value, control, least, unit } = row;
  const interval = ({ low, high }: Interval) =>
    low === high ? '' : `${figure(low)}–${figure(high)}`;
  const bound = (limit: number | undefined) =>
    limit === undefined ? '' : `${row.better === 'higher' ? '≥' : '≤'} ${figure(limit)}`;
  const micro = (milliseconds: number) => figure(milliseconds * 1_000);
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
    least === undefined ? '' : figure(leastRatio(row)),
    least === undefined ? '' : `${micro(least.ours)} : ${micro(least.reference)}`,
    row.detail,
  ];
}

/** The rows as a table with aligned columns. */
export function terminalTable(rows: readonly Row[], processor: string): string {
  const lines = [headings(processor), ...rows.map(cells)];
  const widths = headings(processor).map((_, column) =>
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

/** The same as Markdown, below the machine that it was measured on. */
export function markdown(
  rows: readonly Row[],
  heading: readonly string[],
  processor: string,
): string {
  const line = (all: readonly string[]) =>
    `| ${all.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '# Benchmark',
    '',
    ...heading.map((text) => `- ${text}`),
    '',
    line(headings(processor)),
    line(headings(processor).map(() => '---')),
    ...rows.map((row) => line(cells(row))),
    '',
  ].join('\n');
}
