/**
 * Reads the committed dashboards, and expands queries as Grafana does before sending them:
 * variables, then macros.
 */
import { readFileSync } from 'node:fs';
import { DASHBOARDS } from '../../grafana/source/dashboards.ts';

export const GRAFANA = new URL('../../grafana/', import.meta.url);

export type Target = {
  refId: string;
  datasource: { type: string; uid: string };
  format?: 'table' | 'time_series';
  rawSql?: string;
  expr?: string;
  legendFormat?: string;
  instant?: boolean;
};
export type Step = { color: string; value: number | null };
export type Override = {
  matcher: { id: string; options: string };
  properties: { id: string; value: unknown }[];
};
export type Panel = {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { type: string; uid: string };
  targets?: Target[];
  timeFrom?: string;
  transformations?: { id: string; options: object }[];
  fieldConfig?: {
    defaults: {
      unit?: string;
      min?: number;
      noValue?: string;
      color: { mode: string };
      mappings: unknown[];
      thresholds: { steps: Step[] };
      custom: { drawStyle?: string; thresholdsStyle?: { mode: string } };
    };
    overrides: Override[];
  };
};
export type Variable = {
  type: string;
  name: string;
  label: string;
  query: string | { query: string };
  refresh?: number;
  multi?: boolean;
  options?: { text: string; value: string }[];
};
export type Dashboard = {
  uid: string;
  title: string;
  schemaVersion: number;
  time: { from: string; to: string };
  annotations: { list: { name: string; target: Target }[] };
  links: { includeVars: boolean; keepTime: boolean }[];
  templating: { list: Variable[] };
  panels: Panel[];
};

export const names = Object.keys(DASHBOARDS);

export const dashboard = (name: string): Dashboard =>
  JSON.parse(readFileSync(new URL(`dashboards/${name}.json`, GRAFANA), 'utf8'));

export const targetsOf = ({ panels }: Dashboard): { panel: Panel; target: Target }[] =>
  panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ panel, target })));

/** Panels outside the grid or over another, and rows of the grid without a panel. */
export function misplaced({ panels }: Dashboard): string[] {
  const end = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const lines = Array.from({ length: end }, (_, y) => y);
  return [
    ...panels
      .filter(({ gridPos: { x, w, h } }) => !(x >= 0 && w > 0 && x + w <= 24 && h > 0))
      .map(({ title }) => `${title} is outside the grid`),
    ...panels.flatMap(({ gridPos: a, title }, n) =>
      panels
        .slice(n + 1)
        .filter(({ gridPos: b }) => overlap(a, b))
        .map((other) => `${title} overlaps ${other.title}`),
    ),
    ...lines
      .filter((y) => !panels.some(({ gridPos }) => gridPos.y <= y && y < gridPos.y + gridPos.h))
      .map((y) => `row ${y} of the grid is empty`),
  ];
}

type Rectangle = Panel['gridPos'];

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Chosen values by variable; a list of a variable of which several can be chosen. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/**
 * `${name:sqlstring}` is quoted, a list with commas; `${name}` and `$name` are inserted as they
 * are; macros are left alone.
 */
export function interpolate(text: string, values: Values): string {
  return text.replace(
    /\$\{(\w+)(?::(\w+))?\}|\$([a-zA-Z]\w*)/g,
    (whole, braced: string | undefined, format, simple) => {
      const value = values[braced ?? simple];
      if (value === undefined) throw new Error(`no variable for ${whole}`);
      const list = [value].flat();
      return format === 'sqlstring'
        ? list.map((one) => `'${one.replaceAll("'", "''")}'`).join(',')
        : list.join('|');
    },
  );
}

export type Range = { from: Date; to: Date };

/**
 * Expands the macros in use as the data source does: up to the first closing parenthesis, so they
 * cannot be nested.
 */
export function expand(text: string, { from, to }: Range): string {
  const literal = (at: Date) => `'${at.toISOString()}'`;
  return text.replace(/\$([_a-zA-Z0-9]+)\(([^)]*)\)/g, (whole, name, argument) => {
    if (name === '__timeFrom') return literal(from);
    if (name === '__timeTo') return literal(to);
    if (name === '__timeFilter') return `${argument} BETWEEN ${literal(from)} AND ${literal(to)}`;
    throw new Error(`no macro for ${whole}`);
  });
}

const UNITS = { h: 3_600_000, d: 86_400_000, y: 365 * 86_400_000 };

/** `now-7d` of a dashboard, or `7d` of a panel. */
export function rangeOf(back: string, to: Date): Range {
  const [, n, unit] = /^(?:now-)?(\d+)([hdy])$/.exec(back) ?? [];
  if (n === undefined || unit === undefined) throw new Error(`unknown time range: ${back}`);
  return { from: new Date(to.getTime() - Number(n) * UNITS[unit as keyof typeof UNITS]), to };
}
