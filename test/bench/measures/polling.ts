/**
 * B14: hours of a day with polling clients, readings, refreshes and digests: which requests had to wait for the database. Time passes as it
 * does while anything is being done, and is skipped while nothing is: so a minute's work takes its own time, and a day does not.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeApp } from '../../../src/api/app.ts';
import { type Api, openReaderPool } from '../../../src/database/pools.ts';
import { watchDataVersion } from '../../../src/documents/dataVersion.ts';
import { makeLog } from '../../../src/log.ts';
import { makeDigest } from '../../../src/rollups/digest.ts';
import { refresh } from '../../../src/rollups/refresh.ts';
import { seeded } from '../../support/random.ts';
import { fetchRaw } from '../load/bare.ts';
import type { Context, Measure, Row } from '../run/measure.ts';
import { BASE } from '../run/service.ts';
import { addReadings, daysAgo, makeWorld, NOW, TIME_ZONE } from '../run/world.ts';

const MINUTE = 60_000;
/** A widget asks every five minutes, each at its own second. */
const POLL_MS = 5 * MINUTE;
const STATIONS = 200;
/** After a change this much passes at its own pace. */
const WATCHED_MS = 3_000;

type Client = { path: string; next: number; etag?: string | undefined };

/** Half of them look at a history, the popular stations far more often than others, and each fifth at the list. */
function makeClients(count: number): Client[] {
  const random = seeded(14);
  return Array.from({ length: count }, (_, n) => {
    const id = 1 + Math.floor(STATIONS * random.next() ** 3);
    const history = random.below(2) === 0 ? '-history' : '';
    const subject = n % 4 === 0 ? 'region/town' : `station/${id}`;
    const path = n % 5 === 0 ? 'stations.json' : `${subject}${history}.json`;
    return { path: `${BASE}/${path}`, next: NOW.getTime() + random.next() * POLL_MS };
  });
}

async function run(context: Context): Promise<Row[]> {
  const minutes = context.quick ? 10 : 90;
  const clients = makeClients(1_000);
  const pace = { from: daysAgo(context.quick ? 8 : 60), to: NOW, every: '1 hour' };
  const { database } = await makeWorld(context.targets, context.engine, { stations: STATIONS }, [pace]);
  const [log, owner] = [makeLog('error'), database.superuser()];
  let skipped = NOW.getTime() - performance.now();
  const now = () => performance.now() + skipped;
  const clock = () => new Date(now());
  const db = openReaderPool<Api>(database.target, { timeZone: TIME_ZONE });
  const versions = watchDataVersion({ db, target: database.target, clock, log });
  const app = makeApp({ db, clock, siteBaseUrl: '', log, cache: { maxBytes: 64 * 2 ** 20, versions } });
  const counts = { requests: 0, waited: 0, cold: 0 };
  const seen = new Set<string>();
  const server = createServer((req, res) => {
    app(req, res);
    // what the cache has is answered before this returns
    const waited = !res.writableEnded;
    counts.requests += 1;
    if (waited && !seen.has(req.url ?? '')) counts.cold += 1;
    else if (waited) counts.waited += 1;
    seen.add(req.url ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const ask = async (client: Client) => {
    const headers: Record<string, string> = client.etag === undefined ? {} : { 'If-None-Match': client.etag };
    const { status, headers: sent } = await fetchRaw(port, client.path, headers);
    if (status !== 200 && status !== 304) throw new Error(`${client.path} answered ${status}`);
    client.etag = sent[sent.indexOf('ETag') + 1];
  };
  /** All requests due until then; the time between is waited for, or skipped. */
  const until = async (end: number, isSkipping: boolean) => {
    const due = clients.filter(({ next }) => next < end).sort((a, b) => a.next - b.next);
    const underWay: Promise<void>[] = [];
    for (const client of due) {
      const wait = client.next - now();
      if (wait > 0 && isSkipping) skipped += wait;
      else if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      underWay.push(ask(client));
      client.next += POLL_MS;
      if (isSkipping) await underWay.at(-1);
    }
    await Promise.all(underWay);
    if (isSkipping) skipped += Math.max(0, end - now());
    else await new Promise((resolve) => setTimeout(resolve, Math.max(0, end - now())));
  };
  /** As in the service: readings came in meanwhile, each minute is refreshed, each fifth has a digest. */
  const work = async (minute: number) => {
    const to = clock();
    const of = (minute % 5) + 1;
    await addReadings(owner, (STATIONS / 5) * of, { from: new Date(to.getTime() - 1_000), to, every: '1 hour' });
    await refresh(database.target, clock());
    if (minute % 5 === 0) await makeDigest(database.target, clock());
  };
  try {
    for (let minute = 1; minute <= minutes; minute++) {
      const begins = NOW.getTime() + minute * MINUTE;
      await until(begins, true);
      const working = work(minute);
      await until(begins + WATCHED_MS, false);
      await working;
      if (minute % 10 === 0) context.progress(`B14 ${minute} of ${minutes} minutes: ${JSON.stringify(counts)}`);
    }
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await versions.close();
    await db.destroy();
    await database.drop();
  }
  const share = (100 * counts.waited) / counts.requests;
  const { requests, waited, cold } = counts;
  return [
    {
      id: 'B14',
      title: 'polling clients that wait for the database',
      value: { median: share, low: share, high: share },
      unit: '%',
      better: 'lower',
      must: 1,
      goal: 0.1,
      detail: `${waited} of ${requests} requests in ${minutes} minutes; ${cold} more were the first for their document`,
    },
  ];
}

export const polling: Measure = { ids: ['B14'], title: 'a day of polling clients', run };
