/** Variables of dashboards: data source, language, station, region, process. */
import { LOCALES, type Locale } from '../../src/contract/endpoints.ts';
import type { Variable } from './grafanaTypes.ts';
import { AT, LOCALE, quoted, shownCity } from './subject.ts';

export const POSTGRES = 'grafana-postgresql-datasource';

/** Uids of the data sources in provisioning/datasources, selected by default. */
export const UIDS = { [POSTGRES]: 'airseries', prometheus: 'airseries-prometheus' } as const;

/**
 * Two names, because links between dashboards carry variables along, and the one kind of data
 * source is no choice for the other.
 */
const VARIABLE = { [POSTGRES]: 'datasource', prometheus: 'prometheus_datasource' } as const;

export function datasource(type: keyof typeof UIDS): Variable {
  return {
    type: 'datasource',
    name: VARIABLE[type],
    label: type === POSTGRES ? 'Data source' : 'Prometheus data source',
    query: type,
    current: { text: UIDS[type], value: UIDS[type] },
    refresh: 1,
    hide: 0,
    includeAll: false,
    multi: false,
  } satisfies Variable;
}

/** The data sources, as panels and variables refer to them. */
export const CHOSEN_DATASOURCE = `$\{${VARIABLE[POSTGRES]}}`;
export const CHOSEN_PROMETHEUS = `$\{${VARIABLE.prometheus}}`;

/** A variable with the given options, the first of which is chosen at first. */
export function choice(
  name: string,
  label: string,
  options: readonly (readonly [text: string, value: string])[],
) {
  return {
    type: 'custom',
    name,
    label,
    query: options.map(([text, value]) => `${text} : ${value}`).join(', '),
    current: { text: options[0]?.[0] ?? '', value: options[0]?.[1] ?? '' },
    options: options.map(([text, value], n) => ({ text, value, selected: n === 0 })),
    hide: 0,
    includeAll: false,
    multi: false,
  } as const satisfies Variable;
}

/** What each calls itself. */
const LANGUAGES: Readonly<Record<Locale, string>> = { en: 'English', ru: 'Русский', hy: 'Հայերեն' };

/**
 * The language of names: an argument of functions in schema api, and a column of the views of
 * titles.
 */
export const locale = choice(
  'locale',
  'Names in',
  LOCALES.map((code) => [LANGUAGES[code], code]),
);

/** A variable whose options an SQL query returns, as __text and __value. */
export function chosen(name: string, label: string, sql: string) {
  return {
    type: 'query',
    name,
    label,
    datasource: { type: POSTGRES, uid: CHOSEN_DATASOURCE },
    query: sql,
    refresh: 2, // also when the time range changes
    sort: 0,
    hide: 0,
    includeAll: false,
    multi: false,
  } as const satisfies Variable;
}

/**
 * Stations with their titles at the end of the time range; those of a hidden city, or of none,
 * under `-` (C8).
 */
const STATIONS = `from api.station_current(${AT}, locale => ${LOCALE}) s
${shownCity('s')}`;

export const cityOfStations = chosen(
  'city',
  'City',
  `select distinct coalesce(shown.slug, '-') as __value, case when shown.slug is not null then s.city else '-' end as __text
${STATIONS} order by 2`,
);

/** What the variable of stations can be. */
export const STATIONS_OF_CITY = `select s.id::text as __value, s.title as __text
${STATIONS} where coalesce(shown.slug, '-') = ${quoted('city')} order by 2`;

/** As `chosen`, but several can be selected; at first all. */
export const severalChosen = (name: string, label: string, sql: string) =>
  ({
    ...chosen(name, label, sql),
    includeAll: true,
    multi: true,
    current: { text: ['All'], value: ['$__all'] },
  }) as const satisfies Variable;

/**
 * A variable with the values of a Prometheus label; several can be selected. "All" is the list of
 * them: a pattern such as `.+` would also match strangers.
 */
export function labelValues(name: string, label: string, query: string) {
  return {
    type: 'query',
    name,
    label,
    datasource: { type: 'prometheus', uid: CHOSEN_PROMETHEUS },
    query: { query, refId: 'PrometheusVariableQueryEditor-VariableQuery', qryType: 1 },
    refresh: 2,
    sort: 1,
    hide: 0,
    includeAll: true,
    multi: true,
    current: { text: ['All'], value: ['$__all'] },
  } as const satisfies Variable;
}
