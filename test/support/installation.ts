/**
 * An installation under test, used only through its interfaces: networks and readings are imported,
 * and the API answers as of any instant. Tests written against it do not depend on how anything is
 * stored.
 */
import { createServer } from 'node:http';
import type { Response } from 'supertest';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { makeLog } from '../../src/base/log.ts';
import type { ApiDb } from '../../src/database/apiDb.ts';
import type { Sql } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import { type Accepted, acceptReadings } from '../../src/ingest/store/accept.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { makeApp } from '../../src/serve/app.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { PROVIDER_KEYS, SOURCE_FORMS } from './network.ts';
import { request } from './request.ts';

export type Values = ReadingInput['values'];
/** A body without a type: contract tests check it. */
export type Body = Response['body'];

export type Installation = {
  database: TestDatabase;
  /**
   * The body at a path below `/en/air-quality-app/v1/`, or at a path that begins with a slash, as
   * of an instant.
   */
  get(path: string, at: Date): Promise<Body>;
  /** Accepts readings as ingest does, at an instant after the newest of them. */
  accept(readings: readonly ReadingInput[], now?: Date): Promise<Accepted>;
  refresh(now: Date): Promise<void>;
  digest(at: Date): Promise<Date>;
  importNetwork(network: object): Promise<void>;
  /** A connection as the reader role. */
  published: Sql;
  /** The pool that the API reads with. */
  db: ApiDb;
  close(): Promise<void>;
};

const LONG_AFTER = new Date('2035-01-01T00:00:00Z');
const BATCH = 5_000;

export async function install(
  engine: Engine,
  network: object,
  timeZone = 'Asia/Yerevan',
): Promise<Installation> {
  const database = await testDatabase(engine, timeZone);
  const owner = database.as();
  const ingest = database.as('airseries_ingest');
  const db = openReaderPool(database.target, { timeZone, max: 4 });
  let now = LONG_AFTER;
  const app = makeApp({ db, clock: () => now, siteBaseUrl: '', log: makeLog('silent') });
  // one server for all requests; otherwise each would open its own
  const server = createServer(app).listen(0);
  const installation: Installation = {
    database,
    async get(path, at) {
      now = at;
      const { status, body } = await request(server).get(
        path.startsWith('/') ? path : `/en/air-quality-app/v1/${path}`,
      );
      if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    async accept(readings, at = LONG_AFTER) {
      let last: Accepted | undefined;
      for (let first = 0; first === 0 || first < readings.length; first += BATCH) {
        last = await acceptReadings(ingest, readings.slice(first, first + BATCH), {
          now: at,
          source: 'test',
        });
      }
      return last as Accepted;
    },
    refresh: (at) => database.refresh(at),
    async digest(at) {
      await database.refresh(at); // as the worker does before it
      return await makeDigest(database.target, at);
    },
    async importNetwork(file) {
      await importNetwork(owner, JSON.stringify(file), {
        log: makeLog('silent'),
        providerKeys: PROVIDER_KEYS,
        sources: SOURCE_FORMS,
      });
    },
    published: database.as('airseries_reader'),
    db,
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await db.destroy();
      await database.drop();
    },
  };
  await installation.importNetwork(network);
  return installation;
}

/** `at`: milliseconds, an instant, or ISO 8601. */
export function reading(
  sensorId: number,
  at: number | Date | string,
  values: Values,
): ReadingInput {
  const measuredAt = typeof at === 'string' ? at : new Date(at).toISOString();
  return {
    sensorId,
    measuredAt,
    values,
    text: JSON.stringify({ sensorId, measuredAt, ...values }),
  };
}

/**
 * A network of one city for each slug, each with one station and one sensor, numbered from 1 in
 * order.
 */
export function citiesOfOneStation(
  slugs: readonly string[],
  { timeZone = 'Asia/Yerevan', staleAfter = '3 hours' } = {},
) {
  return {
    time_zone: timeZone,
    providers: [{ id: 'us', title: 'Us', stale_after: staleAfter }],
    regions: slugs.map((slug) => ({ slug, kind: 'city', title: { en: slug } })),
    stations: slugs.map((slug, index) => ({
      id: index + 1,
      provider: 'us',
      title: { en: `In ${slug}` },
      latitude: 40 + index / 10,
      longitude: 44,
      screening: false,
      regions: [slug],
      sensors: [{ id: index + 1 }],
    })),
  };
}
