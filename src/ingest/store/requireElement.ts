/** Refuses an element that the network does not have, in the same words for every command. */
import { InputError } from '../../base/inputError.ts';
import type { Sql } from '../../database/client.ts';

type Transaction = Parameters<Parameters<Sql['begin']>[1]>[0];
type Kind = 'station' | 'sensor' | 'region' | 'provider';

/** Rejects with InputError if there is no such element; `id` is the slug of a region. */
export async function requireElement(
  sql: Sql | Transaction,
  kind: Kind,
  id: string,
): Promise<void> {
  const key = kind === 'region' ? sql`slug` : sql`id`;
  const [found] = await sql`select from ${sql(`raw.${kind}`)} where ${key}::text = ${id}`;
  if (found !== undefined) return;
  throw new InputError(
    `${kind} ${id}`,
    `the network has no such ${kind}`,
    'network export lists what there is.',
  );
}
