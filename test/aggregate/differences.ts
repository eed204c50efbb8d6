/** The audit of a test: what differs from the readings. */
import type { Sql } from '../../src/database/client.ts';
import { NOW } from '../support/clock.ts';
import type { TestDatabase } from '../support/database.ts';

const comparing = new WeakMap<TestDatabase, Sql>();

/** The buckets that differ from the readings after a refresh: none, unless there is a bug. */
export async function differences(db: TestDatabase): Promise<unknown[]> {
  await db.refresh(NOW);
  const sql = comparing.get(db) ?? db.as();
  comparing.set(db, sql);
  return [
    ...(await sql`select * from logic.differences('-infinity', 'infinity') order by 1, 2, 3`),
  ];
}
