/**
 * The relation that stores a level's rows, to write into it behind the service's back, which the
 * service never does.
 */
import type { Sql } from '../../src/database/client.ts';

export async function storageOf(sql: Sql, level: string): Promise<string> {
  const [engine] = await sql`select engine from raw.installation`;
  if (engine?.engine === 'plain') return `rollup.${level}`;
  const [row] = await sql<{ storage: string }[]>`
    select format('%I.%I', materialization_hypertable_schema, materialization_hypertable_name) as storage
    from timescaledb_information.continuous_aggregates where view_schema = 'rollup' and view_name = ${level}`;
  return row?.storage as string;
}

/** Writes into it; `%s` in the statement stands for its name. */
export async function tamper(sql: Sql, level: string, statement: string) {
  return await sql.unsafe(statement.replaceAll('%s', await storageOf(sql, level)));
}
