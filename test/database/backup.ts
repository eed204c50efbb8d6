/** An installation that is filled, backed up, damaged, restored and compared. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { onConnection } from '../../src/database/client.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { deleteReadings } from '../../src/ingest/store/deleteReadings.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { start } from '../../src/service.ts';
import { NOW } from '../support/clock.ts';
import { freePort } from '../support/freePort.ts';
import { beginRequest, httpGet } from '../support/http.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { patient } from '../support/patience.ts';

export const TIMEOUT_MS = patient(240_000);
const ZONE = 'Asia/Yerevan';
export const log = makeLog('silent');
const clock = () => NOW;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const PATHS = ['stations', ...[1, 2].flatMap((id) => [`station/${id}`, `station/${id}-history`])]
  .concat(['town', 'village'].flatMap((slug) => [`region/${slug}`, `region/${slug}-history`]))
  .map((path) => `/en/air-quality-app/v1/${path}.json`);

/** The block of commands of a page that begins so. */
export function words(beginning: string, page = 'src/database/README.md'): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const found = blocks.find((block) => block.startsWith(beginning));
  if (found === undefined) throw new Error(`no commands begin with ${beginning}`);
  return found;
}

/** An installation: how the service is told of its database, and where that is while it runs. */
export type Place = {
  config: Partial<Config>;
  open(): Promise<{ target: DatabaseAddress; close(): Promise<void> }>;
};

type Ports = { api: number; ingest: number };

/** The service while `work` runs; its jobs run only when it starts, and no body is kept. */
async function serve<T>({ config }: Place, work: (ports: Ports) => Promise<T>): Promise<T> {
  const [port, adminPort, ingestPort] = [
    Number(await freePort()),
    Number(await freePort()),
    Number(await freePort()),
  ];
  const settings = readConfig({ DEMO: 'off', INGEST_RATE: '1000000', RESPONSE_CACHE_MB: '0' });
  const service = start(
    { ...settings, port, adminPort, ingestPort, ...config },
    { clock, log, schedule: () => async () => undefined },
  );
  try {
    await service.ready;
    return await work({ api: port, ingest: ingestPort });
  } finally {
    await service.stop(0);
  }
}

const bodies = ({ api }: Ports) => Promise.all(PATHS.map((path) => bodyOf(api, path)));

/** Asks again after a 503, as clients do: the machine may be busy with other tests. */
async function bodyOf(port: number, path: string): Promise<string> {
  for (;;) {
    const { status, body } = await httpGet(port, path);
    if (status === 200) return body;
    expect(status).toBe(503);
  }
}

/** Resolves to the status. */
async function push(
  port: number,
  token: string,
  ages: readonly number[],
  value: number,
): Promise<number> {
  const readings = ages.flatMap((age, n) =>
    [1, 2].map((id) => ({
      sensor_id: id,
      time: new Date(NOW.getTime() - age),
      pm25: value + (n % 40) + id,
    })),
  );
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const begun = beginRequest(port, { method: 'POST', path: '/v1/readings', headers });
  return (await begun.finish(JSON.stringify(readings))).status;
}

const nothing = async () => undefined;
const series = (count: number, step: number) => Array.from({ length: count }, (_, n) => n * step);

type Filled = { token: string; before: string[] };

/**
 * A network with readings of two years, and its bodies. `halfway` is called before the readings of
 * the last days arrive, `after` after that.
 */
export async function fill(
  place: Place,
  {
    halfway = nothing,
    after = nothing,
  }: Partial<Record<'halfway' | 'after', () => Promise<void>>> = {},
): Promise<Filled> {
  const { target, close } = await place.open();
  await onConnection(target, {}, async (sql) => {
    await sql`alter system set fsync = off`; // nothing here need survive a power cut
    await sql`select pg_reload_conf()`;
  });
  await migrate(target, { timeZone: ZONE, now: NOW, log });
  const token = await onConnection(
    target,
    { role: 'airseries_owner', timeZone: ZONE },
    async (owner) => {
      await importNetwork(owner, JSON.stringify(citiesOfOneStation(['town', 'village'])), { log });
      return (await createToken(owner, { name: 'feed', provider: 'us', stations: null, now: NOW }))
        .token;
    },
  );
  const before = await serve(place, async (ports) => {
    expect(await push(ports.ingest, token, series(24, 30 * DAY_MS), 10)).toBe(200);
    await halfway();
    expect(await push(ports.ingest, token, series(200, HOUR_MS), 30)).toBe(200);
    await refresh(target, () => NOW);
    await makeDigest(target, NOW);
    const read = await bodies(ports);
    await after();
    return read;
  });
  await close();
  return { token, before };
}

export async function makeMistake(place: Place): Promise<void> {
  const { target, close } = await place.open();
  const period = { sensor: 1, from: new Date('2026-10-01'), to: new Date('2026-12-01') };
  const deleted = await onConnection(target, { role: 'airseries_owner' }, (sql) =>
    deleteReadings(sql, period),
  );
  expect(deleted).toBeGreaterThan(200);
  await close();
}

const differing = async (target: DatabaseAddress) =>
  (await audit(target, { clock: () => NOW, from: new Date('2024-11-01'), timeZone: ZONE })).found;

/** What every restored database must do. */
export async function keepsItsPromise(place: Place, { token, before }: Filled): Promise<void> {
  const { target, close } = await place.open();
  await serve(place, async (ports) => {
    expect(await bodies(ports)).toEqual(before);
    expect(await differing(target)).toEqual([]);
    expect(await push(ports.ingest, token, series(100, HOUR_MS), 50)).toBe(200);
    await refresh(target, () => NOW);
    await makeDigest(target, NOW);
    const after = await bodies(ports);
    expect(after.filter((body, n) => body !== before[n])).toHaveLength(PATHS.length);
    expect(await differing(target)).toEqual([]);
  });
  await close();
}
