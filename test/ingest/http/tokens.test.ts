import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openIngestPool } from '../../../src/database/pools.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import {
  createToken,
  findToken,
  hasTokens,
  listTokens,
  revokeToken,
} from '../../../src/ingest/http/tokens.ts';
import { removeElement } from '../../../src/network/removeElement.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import { useTown } from '../support.ts';

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

onEveryEngineInAll('tokens', (engine) => {
  const town = useTown(engine);
  let writes: QueryPool;
  beforeAll(async () => {
    await town.owner`insert into raw.provider (id, title) values ('them', 'Them')`;
    writes = openIngestPool(town.db.target, { timeZone: town.db.timeZone });
    return () => writes.close();
  });
  beforeEach(() => town.owner`truncate raw.token`);
  const create = (name: string, stations: number[] | null = null, provider = 'us') =>
    createToken(town.owner, { name, provider, stations, now: NOW });

  test('a new token is shown once and stored as a hash', async () => {
    const made = await create('feed', [2, 1, 2]);
    expect(made).toEqual({
      name: 'feed',
      provider: 'us',
      stations: [1, 2],
      token: expect.any(String),
    });
    expect(made.token).toMatch(/^airs_[0-9a-f]{10}_[\w-]{43}$/);
    expect(made.token.length).toBeLessThan(64);
    const [, id = '', secret = ''] = /^airs_([^_]+)_(.+)$/.exec(made.token) ?? [];
    const [row] = await town.owner`select * from raw.token`;
    expect(row).toMatchObject({
      id,
      sha256: createHash('sha256').update(secret).digest(),
      name: 'feed',
      revoked_at: null,
    });
    expect(JSON.stringify([row, await listTokens(town.owner)])).not.toContain(secret);
  });

  test('a token is found with its scope, and only if it matches exactly', async () => {
    const all = await create('all');
    const one = await create('one', [2]);
    expect(await findToken(writes, all.token, NOW)).toMatchObject({
      name: 'all',
      scope: { provider: 'us', stations: null },
    });
    expect(await findToken(writes, one.token, NOW)).toMatchObject({
      name: 'one',
      scope: { provider: 'us', stations: [2] },
    });
    const mixed = all.token.slice(0, 16) + one.token.slice(16);
    for (const wrong of [
      '',
      'airs',
      mixed,
      ` ${all.token}`,
      `${all.token}\n`,
      all.token.toUpperCase(),
      'x'.repeat(1e6),
    ]) {
      expect(await findToken(writes, wrong, NOW)).toBeUndefined();
    }
  });

  test('a token records its last use, once a minute', async () => {
    const { token } = await create('feed');
    const used = async (at: Date) => {
      await findToken(writes, token, at);
      return (await listTokens(town.owner))[0]?.last_used_at;
    };
    expect((await listTokens(town.owner))[0]?.last_used_at).toBeNull();
    expect(await used(NOW)).toBe('2026-11-20T16:00:00+04:00');
    expect(await used(later(59))).toBe('2026-11-20T16:00:00+04:00');
    expect(await used(later(60))).toBe('2026-11-20T16:01:00+04:00');
    await findToken(writes, `${token.slice(0, -2)}__`, later(600));
    expect((await listTokens(town.owner))[0]?.last_used_at).toBe('2026-11-20T16:01:00+04:00');
  });

  test('a token is refused from the moment it is revoked', async () => {
    const { token } = await create('feed');
    expect(await hasTokens(writes)).toBe(true);
    await revokeToken(town.owner, 'feed', later(5));
    expect(await findToken(writes, token, later(6))).toBeUndefined();
    expect(await hasTokens(writes)).toBe(false);
    expect(await listTokens(town.owner)).toEqual([
      {
        name: 'feed',
        provider: 'us',
        stations: null,
        created_at: '2026-11-20T16:00:00+04:00',
        last_used_at: null,
        revoked_at: '2026-11-20T16:00:05+04:00',
      },
    ]);
    await expect(revokeToken(town.owner, 'feed', NOW)).rejects.toThrow(
      'token feed: it is revoked already. See token list.',
    );
    await expect(revokeToken(town.owner, 'food', NOW)).rejects.toThrow(
      'token food: there is no token of this name.',
    );
    await expect(create('feed')).rejects.toThrow(/one of this name already\. Choose another/);
  });

  test('a provider can be removed once its tokens are revoked, and not before', async () => {
    await town.owner`insert into raw.provider (id, title) values ('old', 'Old')`;
    await create('feed', null, 'old');
    const remove = () => removeElement(town.owner, 'provider', 'old', false);
    await expect(remove()).rejects.toThrow('provider old: tokens feed are in force.');
    await revokeToken(town.owner, 'feed', later(5));
    expect(await remove()).toMatchObject({ providers: 1 });
    expect(await listTokens(town.owner)).toEqual([]);
  });

  test('a token is not created for an unknown provider or station', async () => {
    await expect(create('x', null, 'nobody')).rejects.toThrow(
      '--provider: the network has no provider nobody. There are: them, us.',
    );
    await expect(create('x', [1, 77, 78])).rejects.toThrow('--stations: us has no station 77, 78.');
    await expect(create('x', [1], 'them')).rejects.toThrow('--stations: them has no station 1.');
    expect(await listTokens(town.owner)).toEqual([]);
  });
});
