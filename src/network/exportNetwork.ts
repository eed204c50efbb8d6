/** The network of a database as a network file. */
import type { Sql } from '../database/client.ts';

/**
 * Importing what it returns, as JSON, changes nothing. `sql` is a pool of the owner in the
 * network's time zone.
 */
export async function exportNetwork(sql: Sql): Promise<object> {
  const [row] = await sql<[{ network: object }]>`select logic.network_file() as network`;
  return row.network;
}
