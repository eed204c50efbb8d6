/**
 * No cached answer is ever wrong: two API processes, each with a response cache, share a database
 * while readings arrive, aggregates and digests are computed, the network changes and time passes.
 * After every step, each answer equals a fresh rendering; between the steps, requests and changes
 * overlap.
 */
import { createServer, type Server } from 'node:http';
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import type { Sql } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { screen } from '../../src/network/screening.ts';
import { makeApp } from '../../src/serve/app.ts';
import { type DataVersionWatch, watchDataVersion } from '../../src/serve/dataVersion.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { seeded } from '../support/random.ts';

const STEPS = 25;
const SLUGS = ['alpha', 'beta', 'gamma'];
const PATHS = [
  'hy/air-quality-app/v1/stations',
  'en/air-quality-app/v1/stations',
  ...SLUGS.flatMap((slug, index) =>
    [
      `station/${index + 1}`,
      `station/${index + 1}-history`,
      `region/${slug}`,
      `region/${slug}-history`,
    ].map((path) => `en/air-quality-app/v1/${path}`),
  ),
].map((path) => `/${path}.json`);
const log = makeLog('silent');

onEveryEngineInAll('two processes with a response cache', (engine) => {
  let here: Installation;
  let now = Date.parse('2026-11-20T09:41:00Z');
  const clock = () => new Date(now);
  let owner: Sql;
  const watches: DataVersionWatch[] = [];
  const cached: Server[] = [];
  /** Renders every answer. */
  let fresh: Server;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(SLUGS));
    owner = here.database.as();
    const { target, timeZone } = here.database;
    for (const _ of [1, 2]) {
      const db = openReaderPool(target, { timeZone, max: 4 });
      const versions = watchDataVersion({ db, clock, log, pollMs: 10 });
      watches.push(versions);
      const options = { db, clock, siteBaseUrl: '', log };
      cached.push(
        createServer(makeApp({ ...options, cache: { maxBytes: 1e7, versions } })).listen(0),
      );
      fresh ??= createServer(makeApp(options)).listen(0);
      closing.push(async () => {
        versions.close();
        await db.destroy();
      });
    }
  });
  afterAll(async () => {
    for (const server of [...cached, fresh]) await new Promise((resolve) => server.close(resolve));
    await Promise.all(closing.map((close) => close()));
    await here.close();
  });

  /** Resolves when both processes have seen the newest data version. */
  async function heard(): Promise<void> {
    const [{ version: newest } = { version: 0 }] = await owner<{ version: number }[]>`
      select data_version as version from rollup.freshness`;
    const seen = (watch: DataVersionWatch) =>
      expect.poll(() => watch.current()?.version ?? 0, { interval: 5 });
    await Promise.all(watches.map((watch) => seen(watch).toBeGreaterThanOrEqual(newest)));
  }

  const get = (server: Server, path: string) =>
    request(server).get(path).set('Accept-Encoding', 'identity');

  it(`cached answers equal a fresh rendering after each of ${STEPS} random steps`, async () => {
    const random = seeded(11);
    const { pick } = random;
    const network = citiesOfOneStation(SLUGS);
    const changes = {
      async reading() {
        const at = now - random.below(3 * 3_600_000);
        await here.accept(
          [reading(1 + random.below(3), at, { pm25: random.below(200), temperature: 12 })],
          clock(),
        );
        await here.refresh(clock());
      },
      digest: () => here.digest(clock()),
      async title() {
        const station = pick(network.stations);
        station.title = { en: `In ${random.below(1_000)}` };
        await here.importNetwork(network);
      },
      async period() {
        const station = pick(network.stations) as (typeof network.stations)[number] &
          Record<string, unknown>;
        const since = new Date(now + (random.below(120) - 60) * 60_000).toISOString();
        station[pick(['hidden', 'is_bad_thp'])] = [{ since }];
        await here.importNetwork(network);
      },
      screening: () => screen(here.database.target, clock()),
      async time() {
        now += random.below(90 * 60_000);
      },
      async someTime() {
        now += random.below(60_000);
      },
    };
    let kept = 0;
    for (let step = 0; step < STEPS; step++) {
      const change = pick(Object.keys(changes) as (keyof typeof changes)[]);
      const overlapping = Array.from({ length: 6 }, () => get(pick(cached), pick(PATHS)));
      await Promise.all([changes[change](), ...overlapping]);
      await heard();
      // a document that changed twice in a second has Last-Modified of the next second, which is
      // not sent before it has come
      now += 1_000;
      for (const path of PATHS) {
        const [expected, ...all] = await Promise.all(
          [fresh, ...cached].map((server) => get(server, path)),
        );
        for (const given of all) {
          const what = `step ${step} (${change}) ${path}`;
          expect(given.status, what).toBe(200);
          expect(given.body, what).toEqual(expected?.body);
          for (const header of ['etag', 'content-language', 'cache-control', 'content-length']) {
            expect(given.headers[header], `${what} ${header}`).toBe(expected?.headers[header]);
          }
          kept += given.headers['last-modified'] === undefined ? 0 : 1;
        }
      }
    }
    expect(kept).toBe(STEPS * PATHS.length * cached.length);
  });
});
