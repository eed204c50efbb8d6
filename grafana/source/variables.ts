/** Variables of dashboards: data source, language, station, region, process. */
import type { Json } from './panel.ts';

export const POSTGRES = 'grafana-postgresql-datasource';

/** Uids of the data sources in provisioning/datasources, selected by default. */
export const UIDS = { [POSTGRES]: 'airseries', prometheus: 'airseries-prometheus' } as const;

export function datasource(type: keyof typeof UIDS): Json {
  return {
    type: 'datasource',
    name: 'datasource',
    label: 'Data source',
    query: type,
    current: { text: UIDS[type], value: UIDS[type] },
    refresh: 1,
    hide: 0,
    includeAll: false,
    multi: false,
  };
}

/** The data source, as panels and variables refer to it. */
export const CHOSEN_DATASOURCE = `$\{datasource}`;

/** The language of names: an argument of functions in schema api, and a column of the views of titles. */
export const locale: Json = {
  type: 'custom',
  name: 'locale',
  label: 'Names in',
  query: 'English : en, Русский : ru, Հայերեն : hy',
  current: { text: 'English', value: 'en' },
  options: [
    { text: 'English', value: 'en', selected: true },
    { text: 'Русский', value: 'ru', selected: false },
    { text: 'Հայերեն', value: 'hy', selected: false },
  ],
  hide: 0,
  includeAll: false,
  multi: false,
};

/** A variable whose options an SQL query returns, as __text and __value. */
export function chosen(name: string, label: string, sql: string): Json {
  return {
    type: 'query',
    name,
    label,
    datasource: { type: POSTGRES, uid: CHOSEN_DATASOURCE },
    query: sql,
    definition: sql,
    refresh: 2, // also when the time range changes
    sort: 0,
    hide: 0,
    includeAll: false,
    multi: false,
    current: {},
  };
}

/** A variable with the values of a Prometheus label; several can be selected. */
export function labelValues(name: string, label: string, query: string): Json {
  return {
    type: 'query',
    name,
    label,
    datasource: { type: 'prometheus', uid: CHOSEN_DATASOURCE },
    query: { query, refId: 'PrometheusVariableQueryEditor-VariableQuery', qryType: 1 },
    definition: query,
    refresh: 2,
    sort: 1,
    hide: 0,
    includeAll: true,
    allValue: '.+',
    multi: true,
    current: { text: ['All'], value: ['$__all'] },
  };
}
