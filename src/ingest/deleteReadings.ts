/** Takes the readings of one sensor out of a period, for good. The aggregates follow at the next refresh. */
import type { Sql } from '../database/client.ts';
import { InputError } from '../inputError.ts';

/** Half-open: from `from` up to, not including, `to`. `sql` is a pool of the owner. Returns how many were deleted. */
export async function deleteReadings(
  sql: Sql,
  { sensor, from, to }: { sensor: number; from: Date; to: Date },
): Promise<number> {
  if (!(from < to))
    throw new InputError('--from, --to', 'the period ends before it begins', 'Give the earlier time first.');
  const [known] = await sql`select from raw.sensor where id = ${sensor}`;
  if (known === undefined) {
    throw new InputError(
      `sensor ${sensor}`,
      'no sensor of the network has this number',
      'See raw.sensor for those there are.',
    );
  }
  const deleted = await sql`
    delete from raw.readings where sensor_id = ${sensor} and measured_at >= ${from} and measured_at < ${to}`;
  return deleted.count;
}
