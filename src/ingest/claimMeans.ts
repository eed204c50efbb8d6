/** Hours and days of the same sensor would count twice: a file of the other kind is refused, before anything of it is stored. */
import { arrayLiteral, type Sql } from '../database/client.ts';
import { InputError } from '../inputError.ts';
import type { Means } from './formats/lines.ts';
import { type ReadingInput, readSensorId } from './validate.ts';

const PLURAL = { hour: 'hours', day: 'days' } as const;
const SHOWN = 5;

/**
 * Notes that means of the sensors of these readings are imported. `claimed` are those noted before from the same source. Rejects with
 * InputError, which names `source`, if a sensor has means of the other length.
 */
export async function claimMeans(
  sql: Sql,
  readings: readonly ReadingInput[],
  { means, claimed, source }: { means: Means; claimed: Set<number>; source: string },
): Promise<void> {
  const ids = new Set<number>();
  for (const { sensorId } of readings) {
    const id = readSensorId(sensorId);
    if (id !== undefined && !claimed.has(id)) ids.add(id);
  }
  if (ids.size === 0) return;
  const [row] = await sql<[{ conflicting: number[] }]>`
    select to_jsonb(logic.claim_means(${arrayLiteral([...ids])}::text::int[], ${means})) as conflicting`;
  const { conflicting } = row;
  if (conflicting.length === 0) {
    for (const id of ids) claimed.add(id);
    return;
  }
  const other = PLURAL[means === 'hour' ? 'day' : 'hour'];
  const more = conflicting.length > SHOWN ? ` and ${conflicting.length - SHOWN} more` : '';
  const which = `${conflicting.length === 1 ? 'sensor' : 'sensors'} ${conflicting.slice(0, SHOWN).join(', ')}${more}`;
  throw new InputError(
    source,
    `it contains ${PLURAL[means]} of ${which}, of which ${other} were imported before, and both together would count twice`,
    `Import either hours or days of a sensor. To replace the ${other}, delete them first: ` +
      `npm run -s cli -- delete readings --sensor ${conflicting[0]} --from 2000-01-01 --to 2100-01-01`,
  );
}
