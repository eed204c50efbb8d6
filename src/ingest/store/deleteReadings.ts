/** Deletes the readings of one sensor in a period, for good. */

import { InputError } from '../../base/inputError.ts';
import { AIRSERIES } from '../../base/shell.ts';
import type { Sql } from '../../database/client.ts';

/**
 * Deletes from `from` up to, not including, `to`, and returns how many readings that were. `sql` is
 * a pool of the owner. The aggregates follow at the next refresh. Rejects with InputError for an
 * unknown sensor or an empty period.
 */
export async function deleteReadings(
  sql: Sql,
  { sensor, from, to }: { sensor: number; from: Date; to: Date },
): Promise<number> {
  if (!(from < to))
    throw new InputError(
      '--from, --to',
      'the period ends before it begins',
      'Give the earlier time first.',
    );
  const [existing] = await sql`select from raw.sensor where id = ${sensor}`;
  if (existing === undefined) {
    throw new InputError(
      `sensor ${sensor}`,
      'no sensor of the network has this number',
      `${AIRSERIES} status --all lists those there are.`,
    );
  }
  const [row] = await sql<[{ deleted: number }]>`
    select logic.delete_readings(${sensor}, ${from}, ${to})::int as deleted`;
  return row.deleted;
}
