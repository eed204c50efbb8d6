/** The real ingestion app over a real database with two providers, and tokens for it. */
import type { Express } from 'express';
import request from 'supertest';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { openIngestPool } from '../../../src/database/pools.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import type { ReadingFormats } from '../../../src/ingest/formats.ts';
import { makeIngestApp } from '../../../src/ingest/http/app.ts';
import { createToken } from '../../../src/ingest/http/tokens.ts';
import type { observeIngest } from '../../../src/metrics/recorders.ts';
import type { Engine } from '../../../src/schema/aggregates.ts';
import { NOW } from '../../support/clock.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import { ENGINE, empty } from '../support.ts';

export type Pushing = {
  app: Express;
  database: TestDatabase;
  owner: Sql;
  writes: QueryPool;
  log: ReturnType<typeof keepingLog>;
  /** Covers all stations of `us`. */
  token: string;
  makeToken(name: string, provider?: string, stations?: number[] | null): Promise<string>;
  /** Another app over the same database, with counts of its own. */
  another(options: {
    rate?: number;
    bodyMs?: number;
    writes?: QueryPool;
    clock?: () => Date;
    formats?: ReadingFormats;
    observer?: ReturnType<typeof observeIngest>;
  }): Express;
  close(): Promise<void>;
};

export async function openPushing(engine: Engine, network: object = NETWORK): Promise<Pushing> {
  const database = await testDatabase(engine);
  const owner = database.as();
  await bringIn(owner, network);
  const writes = openIngestPool(database.target, { timeZone: database.timeZone, max: 2 });
  const log = keepingLog();
  const makeToken: Pushing['makeToken'] = async (name, provider = 'us', stations = null) =>
    (await createToken(owner, { name, provider, stations, now: NOW })).token;
  const another: Pushing['another'] = (options) =>
    makeIngestApp({
      formats: READING_FORMATS,
      writes,
      clock: () => NOW,
      timeZone: database.timeZone,
      log,
      rate: 1_000_000,
      ...options,
    });
  return {
    app: another({}),
    database,
    owner,
    writes,
    log,
    token: await makeToken('feed'),
    makeToken,
    another,
    async close() {
      await writes.close();
      await database.drop();
    },
  };
}

/** The app of the tests of a file or a suite; without readings before each. */
export function usePushing(network: object = NETWORK, engine: Engine = ENGINE): Pushing {
  const here = {} as Pushing;
  beforeAll(async () => void Object.assign(here, await openPushing(engine, network)));
  beforeEach(() => empty(here.owner));
  afterAll(() => here.close());
  return here;
}

export function send(
  app: Express,
  token: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
) {
  return request(app)
    .post('/v1/readings')
    .set({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers })
    .serialize((bytes: unknown) => bytes as string) // unchanged, whatever the type says
    .send(body as string);
}

export function push(
  app: Express,
  token: string,
  body: string | object,
  headers: Record<string, string> = {},
) {
  return request(app)
    .post('/v1/push/airrohr')
    .set({ 'Content-Type': 'application/json', ...headers })
    .auth('', token)
    .send(typeof body === 'string' ? body : JSON.stringify(body));
}

const station = (id: number, sensors: object[], provider = 'us') => ({
  ...{ id, provider, title: { en: `Station ${id}` } },
  ...{ latitude: 40, longitude: 44, regions: ['town'], sensors },
});

/**
 * Sensors 1 and 2 are one device at station 1; 3 and 4 one at station 2, with a correction; 5 and 6
 * at station 3 have no device.
 */
const NETWORK = {
  time_zone: 'Asia/Yerevan',
  providers: [
    { id: 'us', title: 'Us' },
    { id: 'them', title: 'Them' },
  ],
  regions: [{ slug: 'town', kind: 'city', title: { en: 'Town' } }],
  stations: [
    station(1, [
      { id: 1, kind: 'SDS011', device: 'esp8266-12345678' },
      { id: 2, kind: 'BME280', device: 'esp8266-12345678' },
    ]),
    station(2, [
      { id: 3, kind: 'PMS5003', device: 'esp8266-2', correction: 'epa-2021' },
      { id: 4, kind: 'DHT22', device: 'esp8266-2' },
    ]),
    station(3, [
      { id: 5, kind: 'SPS30' },
      { id: 6, kind: 'SHT31' },
      { id: 7, device: 'esp8266-elsewhere' },
    ]),
    station(9, [{ id: 9, kind: 'SDS011', device: 'esp8266-9' }], 'them'),
  ],
};
