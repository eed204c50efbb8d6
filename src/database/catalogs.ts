/** The internal catalogs of TimescaleDB that our refresh reads: they are no interface, so every start asks whether they are as we know them. */
import type { Sql } from './client.ts';
import { MigrationRefused } from './migrations.ts';

const READ: readonly string[] = [
  'select hypertable_id, lowest_modified_value, greatest_modified_value from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log',
  'select hypertable_id, watermark from _timescaledb_catalog.continuous_aggs_invalidation_threshold',
  'select mat_hypertable_id, user_view_schema, user_view_name from _timescaledb_catalog.continuous_agg',
  'select id, schema_name, table_name from _timescaledb_catalog.hypertable',
  'select schema_name, table_name, status from _timescaledb_catalog.chunk',
];

/** Refuses a version of TimescaleDB whose catalogs are others, with the question that it did not answer. */
export async function checkCatalogs(sql: Sql): Promise<void> {
  for (const question of READ) {
    try {
      await sql.unsafe(`${question} limit 0`);
    } catch (error) {
      const [found] = await sql`select extversion as version from pg_extension where extname = 'timescaledb'`;
      throw new MigrationRefused(
        `The catalogs of TimescaleDB ${found?.version} are not those that the refresh of this version reads (${(error as Error).message}, in: ${question}). ` +
          'Without them late readings would be lost silently. Use a version of TimescaleDB that the README names, or a newer airseries.',
      );
    }
  }
}
