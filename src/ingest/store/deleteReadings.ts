/** Deletes the readings of one sensor in a period, for good. */

import { InputError } from '../../base/inputError.ts';
import type { Sql } from '../../database/client.ts';
import { requireElement } from './requireElement.ts';

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
  await requireElement(sql, 'sensor', String(sensor));
  const [row] = await sql<[{ deleted: number }]>`
    select logic.delete_readings(${sensor}, ${from}, ${to})::int as deleted`;
  return row.deleted;
}
