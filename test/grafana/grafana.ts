/**
 * Queries a database as Grafana does: as the reader role, which may read schema api only, with
 * chained variables and expanded macros. Looks at what comes back, and at what a plan reads.
 */
import { expect } from 'vitest';
import { connect, type Sql } from '../../src/database/client.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  type Dashboard,
  expand,
  interpolate,
  type Panel,
  type Range,
  rangeOf,
  type Target,
  targetsOf,
  type Values,
} from './dashboards.ts';

export type Query = { what: string; panel: Pick<Panel, 'title' | 'timeFrom'>; target: Target };
export type Rows = Awaited<ReturnType<Sql['unsafe']>>;

/** PostgreSQL types by OID: all that Grafana gets from our queries. */
export const TYPES: Readonly<Record<number, string>> = {
  16: 'bool',
  23: 'int4',
  25: 'text',
  701: 'float8',
  1184: 'timestamptz',
};

export async function openGrafana(db: TestDatabase, timeZone = 'UTC'): Promise<Sql> {
  const sql = connect(db.target, { role: 'airseries_reader', max: 1, timeZone });
  await sql`set search_path = "$user", public`;
  await sql`set default_transaction_read_only = on`;
  return sql;
}

/** The queries of a dashboard's annotations and panels. */
export const queriesOf = ({ title, annotations, ...board }: Dashboard): Query[] =>
  [
    ...annotations.list.map(({ name, target }) => ({ panel: { title: name }, target })),
    ...targetsOf({ title, annotations, ...board }),
  ].map((query) => ({ ...query, what: `${title}: ${query.panel.title}` }));

/** The text of a query at an instant; `range`: another one than the panel's, or the dashboard's. */
export const textOf = (
  { panel, target }: Omit<Query, 'what'>,
  { time }: Dashboard,
  values: Values,
  at: Date,
  range: Range = rangeOf(panel.timeFrom ?? time.from, at),
): string => expand(interpolate(target.rawSql ?? '', values), range);

/**
 * The values of all variables for the given choices; each variable is queried with the values of
 * those before it, and must have what is chosen among its options.
 */
export async function resolve(
  sql: Sql,
  { templating, time }: Dashboard,
  chosen: Values,
  at: Date,
): Promise<Values> {
  const values: Record<string, string | readonly string[]> = { datasource: 'airseries' };
  for (const { name, type, query, options: given, multi } of templating.list) {
    if (type === 'custom') values[name] = chosen[name] ?? given?.[0]?.value ?? '';
    if (type !== 'query' || typeof query !== 'string') continue;
    const options = await sql.unsafe(expand(interpolate(query, values), rangeOf(time.from, at)));
    expect(options.columns.map((column) => column.name).sort(), name).toEqual([
      '__text',
      '__value',
    ]);
    expect(
      options.every((row) => row.__text && typeof row.__value === 'string'),
      name,
    ).toBe(true);
    const all = options.map((row): string => row.__value);
    const wanted = [chosen[name] ?? (multi ? all : all.slice(0, 1))].flat().map(String);
    expect(all, name).toEqual(expect.arrayContaining(wanted));
    values[name] = multi ? wanted : (wanted[0] ?? '');
  }
  return values;
}

/** Fails for a type that Grafana might not understand. */
export function expectTypes(what: string, rows: Rows): void {
  for (const { name, type } of rows.columns)
    expect(Object.keys(TYPES), `${what}: ${name}`).toContain(String(type));
}

/**
 * A time first, ascending and once for each series; then numbers, and the labels of lines that are
 * compared.
 */
export function expectSeries(what: string, rows: Rows): void {
  const [time, ...others] = rows.columns.map(({ name, type }) => ({ name, type: TYPES[type] }));
  expect(time, what).toEqual({ name: 'time', type: 'timestamptz' });
  expect(
    others.filter(
      ({ name, type }) =>
        !['int4', 'float8'].includes(type ?? '') && !['line', 'name'].includes(name),
    ),
    what,
  ).toEqual([]);
  const times = rows.map((row) => Date.parse(row.time));
  expect(times, what).toEqual([...times].sort((a, b) => a - b));
  const keys = rows.map((row) => `${row.time} ${row.line ?? ''}`);
  expect(new Set(keys).size, what).toBe(keys.length);
}

/** The tables, views and aggregates that a query reads. */
export async function relationsOf(
  sql: Sql,
  owners: ReadonlyMap<string, string>,
  text: string,
): Promise<string[]> {
  const [row] = await sql.unsafe(`explain (format json) ${text}`);
  const found = [...JSON.stringify(row).matchAll(/"Relation Name":\s*"([^"]+)"/g)];
  return [...new Set(found.map(([, name = '']) => owners.get(name) ?? name))].sort();
}

/** Maps chunks and hypertables to their aggregate or table. */
export async function relationOwners(db: TestDatabase): Promise<Map<string, string>> {
  if (db.engine === 'plain') return new Map();
  const rows = await db.superuser()<{ name: string; owner: string }[]>`
    with hypertable as (
      select hypertable_name as name, hypertable_name as owner from timescaledb_information.hypertables
      union
      select materialization_hypertable_name, view_name from timescaledb_information.continuous_aggregates
    )
    select name, owner from hypertable
    union all
    select c.chunk_name, coalesce(a.view_name, c.hypertable_name) from timescaledb_information.chunks c
    left join timescaledb_information.continuous_aggregates a on a.materialization_hypertable_name = c.hypertable_name`;
  return new Map(rows.map(({ name, owner }) => [name, owner]));
}
