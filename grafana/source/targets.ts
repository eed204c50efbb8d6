/** Queries of panels: SQL on schema api, or PromQL. */
import type { Json, Target } from './panel.ts';
import { CHOSEN_DATASOURCE, CHOSEN_PROMETHEUS, POSTGRES } from './variables.ts';

function sql(format: 'table' | 'time_series', text: string): Target {
  return {
    refId: 'A',
    datasource: { type: POSTGRES, uid: CHOSEN_DATASOURCE },
    format,
    rawQuery: true,
    editorMode: 'code',
    rawSql: text.trim(),
  };
}

export const query = (text: string): Target => sql('table', text);

export const rows = (text: string): Target[] => [query(text)];

/**
 * The first column is the time, ascending; every other column is a series, unless a column `metric`
 * names the series of each row.
 */
export const series = (text: string): Target[] => [sql('time_series', text)];

type Query = { expr: string; legend: string };

function promql(queries: readonly Query[], how: Json): Target[] {
  return queries.map(({ expr, legend }, n) => ({
    refId: String.fromCharCode(65 + n),
    datasource: { type: 'prometheus', uid: CHOSEN_PROMETHEUS },
    expr,
    legendFormat: legend,
    editorMode: 'code',
    ...how,
  }));
}

export const overTime = (...queries: Query[]): Target[] =>
  promql(queries, { range: true, instant: false });

export const now = (...queries: Query[]): Target[] =>
  promql(queries, { range: false, instant: true });
