import type { Sql } from '../../src/database/client.ts';

/** Does work while every answer with an air quality index fails, by a fault that is neither an outage nor another version's. `sql` owns the database. */
export async function withBrokenAqi<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const [aqi] = await sql`select pg_get_functiondef('rollup.aqi'::regproc) as definition`;
  await sql`create or replace function rollup.aqi(pm25 float8, pm10 float8) returns int language sql immutable return 1 / 0`;
  try {
    return await work();
  } finally {
    await sql.unsafe(aqi?.definition);
  }
}
