/**
 * Creates, lists, finds and revokes tokens. A token is `airs_<id>_<secret>`: the id finds its row,
 * which has only a hash of the secret. It is 59 characters long, because the password field of the
 * airRohr firmware takes no more than 64.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { InputError } from '../../base/inputError.ts';
import { arrayLiteral } from '../../database/arrays.ts';
import type { Sql } from '../../database/client.ts';
import type { QueryPool } from '../../database/queryPool.ts';
import type { Scope } from '../store/accept.ts';

/** The owner of a token, and what it is authorized for. `id` is the token's. */
type Sender = { id: string; name: string; scope: Scope };

/** Who sent the request that is being answered. Only behind makeAuthenticate. */
export function senderOf(res: Response): Sender {
  return res.locals.sender as Sender;
}

/** `stations`: the ids it is scoped to; null: all stations of the provider. */
type NewToken = { name: string; provider: string; stations: readonly number[] | null; now: Date };

/**
 * Creates a token, which is in the result and stored nowhere. `sql` is a pool of the owner. Rejects
 * with InputError for a name that is taken, an unknown provider, or stations of another.
 */
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
      'Choose another: revoked tokens keep their names, because old records refer to them.',
    );
  }
  return { name, provider, stations: numbers, token: `airs_${id}_${secret}` };
}

async function checkScope(sql: Sql, { provider, stations }: Scope): Promise<void> {
  const [existing] = await sql`select from raw.provider where id = ${provider}`;
  if (existing === undefined) {
    const all = await sql<{ id: string }[]>`select id from raw.provider order by id`;
    const remedy =
      all.length === 0
        ? 'Import a network first.'
        : `There are: ${all.map(({ id }) => id).join(', ')}.`;
    throw new InputError('--provider', `the network has no provider ${provider}`, remedy);
  }
  if (stations === null) return;
  const own = await sql<
    { id: number }[]
  >`select id from raw.station where provider_id = ${provider}`;
  const unknown = stations.filter((station) => !own.some(({ id }) => id === station));
  if (unknown.length > 0) {
    throw new InputError(
      '--stations',
      `${provider} has no station ${unknown.join(', ')}`,
      'Name stations of that provider only, or leave --stations out for all that it has.',
    );
  }
}

/** A token as `token list` prints it; `stations` null: all of the provider's. */
type ListedToken = {
  name: string;
  provider: string;
  stations: number[] | null;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
};

/** All tokens, revoked ones too, oldest first. `sql` is a pool of the owner. */
export async function listTokens(sql: Sql): Promise<ListedToken[]> {
  return await sql<ListedToken[]>`
    select name, provider_id as provider, stations, created_at, last_used_at, revoked_at from raw.token order by created_at, name`;
}

/**
 * Revokes a token; the next request that carries it is refused. `sql` is a pool of the owner.
 * Rejects with InputError if there is no such token in force.
 */
export async function revokeToken(sql: Sql, name: string, now: Date): Promise<void> {
  const [revoked] =
    await sql`update raw.token set revoked_at = ${now} where name = ${name} and revoked_at is null returning id`;
  if (revoked !== undefined) return;
  const [existing] = await sql`select from raw.token where name = ${name}`;
  const what = existing === undefined ? 'there is no token of this name' : 'it is revoked already';
  throw new InputError(`token ${name}`, what, 'See token list.');
}

/**
 * True if there is a token that was not revoked. `pool` is one in the role airseries_ingest;
 * rejects with Unavailable where it does.
 */
export async function hasTokens(pool: QueryPool): Promise<boolean> {
  return (
    (await pool.query('select from raw.token where revoked_at is null limit 1', [])).length > 0
  );
}

const TOKEN = /^airs_([0-9a-f]{10})_([\w-]{43})$/;

type Row = {
  sha256: Uint8Array;
  name: string;
  provider_id: string;
  stations: number[] | null;
  is_noted: boolean;
};

/**
 * The sender of a valid token, undefined for anything else. `pool` is one in the role
 * airseries_ingest; rejects with Unavailable where it does. The last use is recorded once a minute:
 * more often would mean a write for every request.
 */
export async function findToken(
  pool: QueryPool,
  presented: string,
  now: Date,
): Promise<Sender | undefined> {
  const [, id, secret] = TOKEN.exec(presented) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const at = now.toISOString();
  const [row] = (await pool.query(
    `select sha256, name, provider_id, stations,
       coalesce(last_used_at > $2::text::timestamptz - interval '1 minute', false) as is_noted
     from raw.token where id = $1 and revoked_at is null`,
    [id, at],
  )) as Row[];
  // an id that does not exist takes as much work as one that does
  const same = timingSafeEqual(hashOf(secret), row?.sha256 ?? NO_HASH);
  if (row === undefined || !same) return undefined;
  if (!row.is_noted) {
    await pool.query('update raw.token set last_used_at = $2::text::timestamptz where id = $1', [
      id,
      at,
    ]);
  }
  return { id, name: row.name, scope: { provider: row.provider_id, stations: row.stations } };
}

const NO_HASH = Buffer.alloc(32);

/** How long presented tokens are gathered for one look-up. */
const GATHER_MS = 100;

type Gathered = { ids: Set<string>; hashes: Promise<Map<string, Uint8Array>> };

/**
 * Returns a function that resolves to whether a token is valid. Tokens that are presented within
 * 100 ms are looked up together, one look-up after the other: a flood of wrong ones costs the
 * database no more than ten statements a second, of as many ids as there are connections. Rejects
 * with Unavailable where `pool` does.
 */
export function makeTokenCheck(pool: QueryPool): (presented: string) => Promise<boolean> {
  let gathering: Gathered | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  const gather = (): Gathered => {
    const ids = new Set<string>();
    const lookUp = async () => {
      await previous.catch(() => undefined);
      await delay(GATHER_MS);
      gathering = undefined;
      const rows = (await pool.query(
        'select id, sha256 from raw.token where id = any ($1::text::text[]) and revoked_at is null',
        [arrayLiteral([...ids])],
      )) as Pick<Row & { id: string }, 'id' | 'sha256'>[];
      return new Map(rows.map(({ id, sha256 }) => [id, sha256]));
    };
    const hashes = lookUp();
    previous = hashes;
    return { ids, hashes };
  };
  return async (presented) => {
    const [, id, secret] = TOKEN.exec(presented) ?? [];
    if (id === undefined || secret === undefined) return false;
    gathering ??= gather();
    gathering.ids.add(id);
    const hashes = await gathering.hashes;
    return timingSafeEqual(hashOf(secret), hashes.get(id) ?? NO_HASH);
  };
}

/** The hash that the database stores instead of a token's secret. */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
