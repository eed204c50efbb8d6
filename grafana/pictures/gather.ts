/** Runs the queries of a dashboard as Grafana does, and puts their rows into columns. */
import postgres from 'postgres';
import {
  type Dashboard,
  dashboard,
  expand,
  interpolate,
  type Panel,
  rangeOf,
  type Values,
} from '../../test/grafana/dashboards.ts';
import { type Column, metrics } from './metrics.ts';

export type Drawn = Panel & { frames: Column[][]; from: number; to: number };
export type Page = { title: string; timeZone: string; panels: Drawn[] };

/** Types of columns by the OID of PostgreSQL's. */
const TYPES: Readonly<Record<number, Column['type']>> = {
  16: 'boolean',
  23: 'number',
  25: 'string',
  701: 'number',
  1184: 'time',
};

/**
 * `chosen`: values of variables, of which others take their first option; `back`: another range
 * than the dashboard's own.
 */
export type Asked = { chosen?: Values; back?: string };

/**
 * The dashboard of this name with the results of its queries at this moment; without the address of
 * a Prometheus its panels are empty.
 */
export async function gather(
  name: string,
  { chosen = {}, back }: Asked,
  prometheus?: string,
): Promise<Page> {
  const sql = postgres({
    max: 1,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { TimeZone: 'UTC' },
  });
  try {
    const board = dashboard(name);
    const now = new Date();
    const [installation] = await sql`select time_zone from api.installation`;
    const values = await choose(sql, board, chosen, now);
    const texts: Record<string, string> = {};
    for (const { name: variable, options = [] } of board.templating.list) {
      texts[variable] =
        options.find(({ value }) => value === values[variable])?.text ?? String(values[variable]);
    }
    const panels: Drawn[] = [];
    for (const panel of board.panels) {
      const range = rangeOf(back ?? panel.timeFrom ?? board.time.from, now);
      const frames: Column[][] = [];
      for (const target of panel.targets ?? []) {
        if (target.expr !== undefined)
          frames.push(...(prometheus ? await metrics(prometheus, target, range) : []));
        if (target.rawSql === undefined) continue;
        const rows = await sql.unsafe(expand(interpolate(target.rawSql, values), range));
        frames.push(...frame(rows, target.format));
      }
      const title = panel.title.replace(
        /\$\{(\w+):text\}/g,
        (_, variable) => texts[variable] ?? '',
      );
      panels.push({ ...panel, title, frames, from: range.from.getTime(), to: range.to.getTime() });
    }
    return { title: board.title, timeZone: String(installation?.time_zone), panels };
  } finally {
    await sql.end();
  }
}

async function choose(
  sql: postgres.Sql,
  board: Dashboard,
  chosen: Values,
  now: Date,
): Promise<Values> {
  const values: Record<string, string | readonly string[]> = { datasource: '' };
  for (const { name, type, query, options = [], multi } of board.templating.list) {
    if (type === 'custom') values[name] = chosen[name] ?? options[0]?.value ?? '';
    if (type !== 'query' || typeof query !== 'string') continue;
    const rows = await sql.unsafe(
      expand(interpolate(query, values), rangeOf(board.time.from, now)),
    );
    const all = rows.map((row) => String(row.__value));
    values[name] = chosen[name] ?? (multi ? all : (all[0] ?? ''));
  }
  return values;
}

type Rows = Awaited<ReturnType<postgres.Sql['unsafe']>>;

/**
 * A table as it is; a series for each set of values of the columns with text, which are its labels,
 * as the data source makes them.
 */
function frame(rows: Rows, format: string | undefined): Column[][] {
  const kindOf = (type: number): Column['type'] => TYPES[type] ?? 'string';
  const texts =
    format === 'time_series' ? rows.columns.filter(({ type }) => kindOf(type) === 'string') : [];
  const labelsOf = (row: postgres.Row) =>
    Object.fromEntries(texts.map(({ name }) => [name, String(row[name])]));
  const series = new Map<string, postgres.Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(labelsOf(row));
    series.set(key, [...(series.get(key) ?? []), row]);
  }
  return [...(series.size === 0 ? [['{}', []] as const] : series)].map(([labels, of]) =>
    rows.columns
      .filter(({ name }) => !texts.some((text) => text.name === name))
      .map(({ name, type }) => {
        const kind = kindOf(type);
        const values = of.map((row) =>
          kind === 'time' && row[name] !== null ? Date.parse(String(row[name])) : row[name],
        );
        return {
          name,
          type: kind,
          values,
          ...(kind === 'time' ? {} : { labels: JSON.parse(labels) }),
        };
      }),
  );
}
