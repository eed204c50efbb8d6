/** What panels ask: SQL of schema api, or PromQL. */
import type { Json, Target } from './panel.ts';
import { CHOSEN_DATASOURCE, POSTGRES } from './variables.ts';

/** The end of the dashboard's time range: what depends on now is asked for then. */
export const AT = '$__timeTo()::timestamptz';

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

export const rows = (text: string): Target[] => [sql('table', text)];

/** The first column is the time, in ascending order; each other one is a series, or `metric` names the series of the third. */
export const series = (text: string): Target[] => [sql('time_series', text)];

type Asked = { expr: string; legend: string };

function promql(asked: readonly Asked[], how: Json): Target[] {
  return asked.map(({ expr, legend }, n) => ({
    refId: String.fromCharCode(65 + n),
    datasource: { type: 'prometheus', uid: CHOSEN_DATASOURCE },
    expr,
    legendFormat: legend,
    editorMode: 'code',
    ...how,
  }));
}

export const overTime = (...asked: Asked[]): Target[] => promql(asked, { range: true, instant: false });

export const now = (...asked: Asked[]): Target[] => promql(asked, { range: false, instant: true });
