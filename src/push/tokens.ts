/**
 * Who may send readings. A token is `airs_<id>_<secret>`: the id finds its row, and of the secret the database holds only the hash.
 * It is 59 characters long, because the password field of the airRohr firmware takes no more than 64.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sql } from '../database/client.ts';
import type { QueryPool } from '../database/queryPool.ts';
import type { Scope } from '../ingest/accept.ts';
import { InputError } from '../inputError.ts';

const TOKEN = /^airs_([0-9a-f]{10})_([\w-]{43})$/;

/** Whom a token that was presented belongs to, and what it may speak for. */
export type Sender = { id: string; name: string; scope: Scope };

type NewToken = { name: string; provider: string; stations: readonly number[] | null; now: Date };

/** `sql` is a pool of the owner. The token is in the result and nowhere else. */
export async function createToken(sql: Sql, { name, provider, stations, now }: NewToken) {
  await checkScope(sql, { provider, stations });
  const id = randomBytes(5).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  const numbers = stations === null ? null : [...new Set(stations)].sort((a, b) => a - b);
  const [made] = await sql`
    insert into raw.token (id, sha256, name, provider_id, stations, created_at)
    values (${id}, ${hashOf(secret)}, ${name}, ${provider}, ${numbers && `{${numbers}}`}::text::int[], ${now})
    on conflict (name) do nothing
    returning id`;
  if (made === undefined) {
    throw new InputError(
      `token ${name}`,
      'there is one of this name already',
      'Choose another: a revoked one keeps its name too, because old records carry it.',
    );
  }
  return { name, provider, stations: numbers, token: `airs_${id}_${secret}` };
}

async function checkScope(sql: Sql, { provider, stations }: Scope): Promise<void> {
  const [known] = await sql`select from raw.provider where id = ${provider}`;
  if (known === undefined) {
    const all = await sql<{ id: string }[]>`select id from raw.provider order by id`;
    const there = all.length === 0 ? 'Import a network first.' : `There are: ${all.map(({ id }) => id).join(', ')}.`;
    throw new InputError('--provider', `the network has no provider ${provider}`, there);
  }
  if (stations === null) return;
  const own = await sql<{ id: number }[]>`select id from raw.station where provider_id = ${provider}`;
  const strange = stations.filter((station) => !own.some(({ id }) => id === station));
  if (strange.length > 0) {
    throw new InputError(
      '--stations',
      `${provider} has no station ${strange.join(', ')}`,
      'Name stations of that provider only, or leave --stations out for all that it has.',
    );
  }
}

export type ListedToken = {
  name: string;
  provider: string;
  stations: number[] | null;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
};

/** `sql` is a pool of the owner. */
export async function listTokens(sql: Sql): Promise<ListedToken[]> {
  return await sql<ListedToken[]>`
    select name, provider_id as provider, stations, created_at, last_used_at, revoked_at from raw.token order by created_at, name`;
}

/** `sql` is a pool of the owner. From the next request on it is refused. */
export async function revokeToken(sql: Sql, name: string, now: Date): Promise<void> {
  const [revoked] =
    await sql`update raw.token set revoked_at = ${now} where name = ${name} and revoked_at is null returning id`;
  if (revoked !== undefined) return;
  const [known] = await sql`select from raw.token where name = ${name}`;
  const what = known === undefined ? 'there is no token of this name' : 'it is revoked already';
  throw new InputError(`token ${name}`, what, 'See token list.');
}

type Row = { sha256: Uint8Array; name: string; provider_id: string; stations: number[] | null; is_noted: boolean };

/** Whether anybody may send at all. `pool` is a pool in the role airseries_ingest. */
export async function hasTokens(pool: QueryPool): Promise<boolean> {
  return (await pool.query('select from raw.token where revoked_at is null limit 1', [])).length > 0;
}

/**
 * Undefined for anything but a token in force. `pool` is a pool in the role airseries_ingest; rejects with Unavailable where it does.
 * The use is noted once a minute: more often would be a write for every request.
 */
export async function findToken(pool: QueryPool, presented: string, now: Date): Promise<Sender | undefined> {
  const [, id, secret] = TOKEN.exec(presented) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const at = now.toISOString();
  const [row] = (await pool.query(
    `select sha256, name, provider_id, stations,
       coalesce(last_used_at > $2::text::timestamptz - interval '1 minute', false) as is_noted
     from raw.token where id = $1 and revoked_at is null`,
    [id, at],
  )) as Row[];
  // as much work for an id that does not exist as for one that does
  const same = timingSafeEqual(hashOf(secret), row?.sha256 ?? NOBODY);
  if (row === undefined || !same) return undefined;
  if (!row.is_noted) {
    await pool.query('update raw.token set last_used_at = $2::text::timestamptz where id = $1', [id, at]);
  }
  return { id, name: row.name, scope: { provider: row.provider_id, stations: row.stations } };
}

const NOBODY = Buffer.alloc(32);

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
