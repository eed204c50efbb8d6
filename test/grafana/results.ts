/**
 * Looks at results of queries: their types, what a series must be, and which relations a plan
 * reads.
 */
import { expect } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import type { TestDatabase } from '../support/database.ts';

/** PostgreSQL types by OID. */
export const TYPES: Readonly<Record<number, string>> = {
  16: 'bool',
  23: 'int4',
  25: 'text',
  701: 'float8',
  1184: 'timestamptz',
};

/**
 * A time first, ascending and once for each series; then numbers, and the labels of lines that are
 * compared.
 */
export function expectSeries(what: string, rows: Awaited<ReturnType<Sql['unsafe']>>): void {
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
