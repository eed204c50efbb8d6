/** How busy a pool of database connections is, and how long the database takes. */
import type { PoolWatch } from '../database/queryPool.ts';
import type { Metrics } from './registry.ts';

export function watchPool(metrics: Metrics, pool: string): PoolWatch {
  return ({ inUse, waiting }) => {
    metrics.onScrape(async () => {
      metrics.set('airseries_database_pool_in_use', { pool }, inUse());
      metrics.set('airseries_database_pool_waiting', { pool }, waiting());
    });
    return (query, seconds) => metrics.observe('airseries_database_query_duration_seconds', { query }, seconds);
  };
}
