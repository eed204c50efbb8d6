/**
 * Queries of the Infinity data source on the public API: an address, where the rows are in the
 * answer, and their columns. Its backend parser reads GJSON paths, in which a dot of a key is
 * escaped, and returns columns in the order of the alphabet.
 */
import type { Variable } from './grafanaTypes.ts';
import type { Json, Target } from './panel.ts';

export const INFINITY = 'yesoreyeram-infinity-datasource';
const VARIABLE = 'infinity_datasource';
const DATASOURCE = { type: INFINITY, uid: `$\{${VARIABLE}}` };

/** Where the service is: the one thing that a reader sets. */
const ADDRESS = 'address';
const EXAMPLE_ADDRESS = 'http://localhost:8080';

/** Below the address, in the chosen language. */
export const CURRENT = 'air-quality-app/v1';
export const EXPLORE = 'explore/v1';

export type Type = 'string' | 'number' | 'timestamp';
/** By its name in the panel: the key in the answer. */
type Columns = Readonly<Record<string, string | readonly [key: string, type: Type]>>;

const columnsOf = (columns: Columns, written: (key: string) => string) =>
  Object.entries(columns).map(([text, column]) => {
    const [key, type] = typeof column === 'string' ? [column, 'number' as const] : column;
    return { selector: written(key), text, type };
  });

const request = (path: string): Json => ({
  source: 'url',
  url: `$\{${ADDRESS}}/$\{locale}/${path}`,
  url_options: { method: 'GET' },
  parser: 'backend',
  format: 'table',
});

function json(path: string, root: string, columns: Columns): Json {
  const escaped = columnsOf(columns, (key) => key.replaceAll('.', '\\.'));
  return { type: 'json', ...request(path), root_selector: root, columns: escaped };
}

function csv(path: string, columns: Columns): Json {
  const plain = columnsOf(columns, (key) => key);
  return { type: 'csv', ...request(path), root_selector: '', columns: plain };
}

const targets = (...queries: readonly Json[]): Target[] =>
  queries.map((query, n) => ({
    refId: String.fromCharCode(65 + n),
    datasource: DATASOURCE,
    ...query,
  }));

export const rows = (path: string, root: string, columns: Columns): Target[] =>
  targets(json(path, root, columns));

/** The start of a bucket: every series over time has it. */
const TIME = { time: ['timestamp', 'timestamp'] } as const;

export const series = (path: string, root: string, columns: Columns): Target[] =>
  rows(path, root, { ...TIME, ...columns });

/** The one year or the two years that the time range touches, up to a range of a year. */
export const days = (subject: string, columns: Columns): Target[] =>
  targets(
    ...['From', 'To'].map((end) =>
      json(`${EXPLORE}/${subject}/days/$\{__time${end}:date:YYYY}.json`, 'days', {
        ...TIME,
        ...columns,
      }),
    ),
  );

/**
 * From a date to a date, of UTC: the macro knows no other zone. East of it, the local day that has
 * just begun is missing there, so that the last 24 hours are added. `columns`: parameters, each
 * with its key in the CSV file and in the history.
 */
export function hours(
  subject: string,
  columns: Readonly<Record<string, readonly [csv: string, history: string]>>,
): Target[] {
  const keys = (n: 0 | 1) =>
    Object.fromEntries(Object.entries(columns).map(([name, both]) => [name, both[n]]));
  const dates = ['From', 'To'].map((end) => `$\{__time${end}:date:YYYY-MM-DD}`).join('/');
  return targets(
    csv(`${EXPLORE}/${subject}/hours/${dates}.csv`, { ...TIME, ...keys(0) }),
    json(`${CURRENT}/${subject}-history.json`, '24h', { ...TIME, ...keys(1) }),
  );
}

/** Several answers become one table, in which rows that are the same stand once. */
export const MERGED = [{ id: 'merge', options: {} }] as const;

/** The order of a table's columns. */
export const inOrder = (...names: readonly string[]) =>
  [
    {
      id: 'organize',
      options: { indexByName: Object.fromEntries(names.map((name, n) => [name, n])) },
    },
  ] as const;

/** Without a choice, Grafana takes the default one of its kind, or the first. */
export const infinityDatasource = {
  type: 'datasource',
  name: VARIABLE,
  label: 'Infinity data source',
  query: INFINITY,
  refresh: 1,
  hide: 0,
  includeAll: false,
  multi: false,
} as const satisfies Variable;

export const address = {
  type: 'textbox',
  name: ADDRESS,
  label: 'Address of the service',
  query: EXAMPLE_ADDRESS,
  current: { text: EXAMPLE_ADDRESS, value: EXAMPLE_ADDRESS },
  options: [{ text: EXAMPLE_ADDRESS, value: EXAMPLE_ADDRESS, selected: true }],
  hide: 0,
  includeAll: false,
  multi: false,
} as const satisfies Variable;

/** A variable with the rows of an answer to choose from, by their titles. */
export function listed(name: string, label: string, root: string, key: string) {
  const columns = { __text: ['title', 'string'], __value: [key, 'string'] } as const;
  const [infinityQuery] = rows(`${CURRENT}/stations.json`, root, columns);
  return {
    type: 'query',
    name,
    label,
    datasource: DATASOURCE,
    query: { refId: 'variable', queryType: 'infinity', infinityQuery: infinityQuery ?? {} },
    refresh: 1,
    sort: 1, // by the alphabet
    hide: 0,
    includeAll: false,
    multi: false,
  } as const satisfies Variable;
}
