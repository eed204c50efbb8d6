/**
 * A client reads through one process over two replicas that lag in turns, and each page says which state of the network it shows. Whatever it has
 * seen, it never sees an older one after it; and once both replicas have caught up, every page shows the newest.
 */
import { createServer } from 'node:http';
import { expect } from 'vitest';
import { makeApp } from '../../src/api/app.ts';
import { splitHosts } from '../../src/config.ts';
import { onConnection, type Sql } from '../../src/database/client.ts';
import { makeHosts } from '../../src/database/hosts.ts';
import { type Api, openReaderPool } from '../../src/database/pools.ts';
import { watchDataVersion } from '../../src/documents/dataVersion.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { refresh } from '../../src/rollups/refresh.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { keepingLog } from '../ingest/support.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { seeded } from '../support/random.ts';
import type { Cluster } from '../support/replicas.ts';
import { httpGet, until } from '../support/service.ts';

export const BASE = '/en/air-quality-app/v1';
const SLUGS = ['alpha', 'beta', 'gamma'];
const STATIONS = SLUGS.map((_, index) => `${BASE}/station/${index + 1}.json`);
export const PATHS = [...STATIONS, `${BASE}/stations.json`];
const CLIENTS = 4;

/** Everything is called by this number. */
const network = (state: number) => {
  const made = citiesOfOneStation(SLUGS);
  return { ...made, stations: made.stations.map((one) => ({ ...one, title: { en: `state ${state}` } })) };
};

const silent = keepingLog();

export async function prepare(url: string): Promise<void> {
  const now = new Date();
  await migrate(url, { now, log: silent });
  await onConnection(url, { role: 'airseries_owner' }, (sql) => publish(sql, 0));
  await refresh(url, now);
}

/** Publishes the state of this number. */
export async function publish(sql: Sql, state: number): Promise<void> {
  await importNetwork(sql, JSON.stringify(network(state)), { log: silent });
}

/** The states that a body shows: of one station, or of all. */
export const statesOf = (body: string) => [
  ...new Set([...body.matchAll(/"title":"state (\d+)"/g)].map(([, state]) => Number(state))),
];

type Outcome = {
  reads: number;
  moves: number;
  aged: number;
  unavailable: number;
  stepsBack: string[];
  stale: string[];
};

/**
 * In each round the replica that is read from stands still while the network changes; a minute later by the clock it is left for the other.
 * Clients read all the time.
 */
export async function readOverReplicas(cluster: Cluster, rounds: number, readsPerRound: number): Promise<Outcome> {
  const { primary, replicas, caughtUp } = cluster;
  const random = seeded(7);
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const log = keepingLog();
  const hosts = makeHosts(splitHosts(`postgres://airseries@${replicas.map(({ host }) => host).join(',')}/airseries`));
  const db = openReaderPool<Api>(hosts, { timeZone: 'UTC', max: 4 });
  const versions = watchDataVersion({ db, target: hosts, clock, log, pollMs: 10 });
  // half of the clients read what is kept, and half what is rendered for each, so that a host is asked each time
  const servers = [1e7, 0].map((maxBytes) =>
    createServer(makeApp({ db, clock, siteBaseUrl: '', log, cache: { maxBytes, versions } })).listen(0),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  const outcome: Outcome = { reads: 0, moves: 0, aged: 0, unavailable: 0, stepsBack: [], stale: [] };

  const isNewest = async () => {
    const [row] = await primary.sql()`select data_version as version from rollup.freshness`;
    return versions.current() === row?.version;
  };
  const seen = new Map<string, number>();
  const seenByClient = Array.from({ length: CLIENTS }, () => 0);
  const read = async (client: number, path: string): Promise<number[]> => {
    const { status, headers, body } = await httpGet(ports[client % ports.length] ?? 0, path);
    outcome.reads += 1;
    if (status === 503) outcome.unavailable += 1;
    else expect(status).toBe(200);
    if (headers.age !== undefined) outcome.aged += 1;
    const states = status === 200 ? statesOf(body) : [];
    const before = seenByClient[client] ?? 0;
    // what is sent with its age is known to be old
    if (headers.age === undefined && states.some((state) => state < before)) {
      outcome.stepsBack.push(`client ${client} saw ${states} of ${path} after ${before}`);
    }
    if (headers.age === undefined) seenByClient[client] = Math.max(before, ...states);
    if (states.some((state) => state < (seen.get(`${client} ${path}`) ?? 0))) {
      outcome.stepsBack.push(`client ${client} saw ${states} of ${path} again`);
    }
    seen.set(`${client} ${path}`, Math.max(seen.get(`${client} ${path}`) ?? 0, ...states));
    return states;
  };
  const client = async (index: number, reads: number) => {
    for (let n = 0; n < reads; n++) await read(index, random.pick(PATHS));
  };

  const readAll = (reads: number) =>
    Promise.all(seenByClient.map((_, index) => client(index, Math.floor(reads / CLIENTS))));

  for (let round = 1; round <= rounds; round++) {
    const present = hosts.chosen;
    const lagging = replicas.find(({ host }) => host === present.name) as (typeof replicas)[number];
    await lagging.pause();
    const reading = readAll(readsPerRound / 2);
    await publish(primary.sql(), round);
    await caughtUp(replicas.filter((one) => one !== lagging));
    await reading;
    ahead += 60_000;
    await Promise.all([
      readAll(readsPerRound / 2),
      until(() => hosts.chosen !== present, 'the other replica is read from'),
    ]);
    await lagging.resume();
    await caughtUp();
    await until(isNewest, 'the process knows the newest version');
    for (const path of PATHS) {
      const states = await read(0, path);
      if (states.join() !== String(round)) outcome.stale.push(`${path} shows ${states} in round ${round}`);
    }
  }
  outcome.moves = log.lines.filter(({ message }) => message === 'reading from another database host').length;
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await versions.close();
  await db.destroy();
  return outcome;
}
