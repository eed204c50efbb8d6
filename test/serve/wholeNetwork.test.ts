/**
 * The list of stations, whose cost grows with the network: read once for all locales, by
 * connections of its own.
 */
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { LOCALES, type Locale } from '../../src/contract/endpoints.ts';
import { openReaderPool, openWholeNetworkPool } from '../../src/database/pools.ts';
import { makeApp } from '../../src/serve/app.ts';
import { makeSiteUrls } from '../../src/serve/current.ts';
import { makeDocuments } from '../../src/serve/documents.ts';
import { NEVER } from '../../src/serve/entry.ts';
import { presentStationsList, queryNetwork } from '../../src/serve/stationsList.ts';
import { engines } from '../support/database.ts';
import { NOW } from './network.ts';
import { type Served, serve, versionsOf } from './serve.ts';

const NOWHERE = { host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' };

let served: Served;
beforeAll(async () => {
  served = await serve(engines[0] ?? 'plain');
});
afterAll(() => served.close());

const path = (locale: string) => `/${locale}/air-quality-app/v1/stations.json`;

/** The list in each locale, in turn, and the names of the statements that were needed for it. */
async function readLists(maxBytes: number) {
  const statements: string[] = [];
  const { target, timeZone } = served.database;
  const observer = () => ({
    onAcquired: () => undefined,
    onQuery: (name: string) => void statements.push(name),
  });
  const wholeNetwork = openWholeNetworkPool(target, { timeZone, observer });
  const cache = { maxBytes, versions: await versionsOf(served.db) };
  const options = {
    db: served.db,
    clock: makeClock(NOW),
    siteBaseUrl: 'https://air.example',
    log: served.log,
    cache,
  };
  const app = makeApp({ ...options, wholeNetwork });
  const bodies: string[] = [];
  for (const locale of LOCALES) bodies.push((await request(app).get(path(locale))).text);
  await wholeNetwork.destroy();
  return { bodies, ofStations: statements.filter((name) => name === 'api.station_current').length };
}

describe('the list of stations', () => {
  it('the list is read once for all locales, and is the same as without the cache', async () => {
    const kept = await readLists(1e7);
    const rendered = await readLists(0);
    expect([kept.ofStations, rendered.ofStations]).toEqual([1, LOCALES.length]);
    expect(kept.bodies).toEqual(rendered.bodies);
    expect(new Set(kept.bodies).size).toBe(LOCALES.length);
  });

  it('a provider has its title in the locale, else its general one (C6)', async () => {
    const sql = served.database.as('airseries_owner');
    const titles = { en: 'Volunteers', ru: 'Волонтёры' };
    await sql`update raw.provider set title = 'Volunteers', titles = ${JSON.stringify(titles)}::text::jsonb where id = 'ours'`;
    const { bodies } = await readLists(0);
    const named = bodies.map((body) => JSON.parse(body).providers[0].title);
    expect(Object.fromEntries(LOCALES.map((locale, index) => [locale, named[index]]))).toEqual({
      en: 'Volunteers',
      hy: 'Volunteers',
      ru: 'Волонтёры',
    });
  });

  it('the list has the data version of the older of its parts', async () => {
    const nothing = { providers: [], stations: [], regions: [] };
    const untitled = { providers: new Map(), stations: new Map(), regions: new Map() };
    const reader = {
      network: async () => ({ ...nothing, validUntil: NOW, version: 7 }),
      titles: async () => ({
        titles: Object.fromEntries(LOCALES.map((locale) => [locale, untitled])) as Record<
          Locale,
          typeof untitled
        >,
        validUntil: new Date(NEVER),
        version: 6,
      }),
      providers: async () => [],
      european: async () => ({
        stations: {},
        regions: {},
        hour: '',
        validUntil: new Date(NEVER),
        version: 8,
      }),
    };
    const site = makeSiteUrls('');
    const { stations } = makeDocuments({ db: served.db, reader, clock: makeClock(NOW), site });
    expect(await stations({ locale: 'en', id: 0, slug: '' })).toMatchObject({
      validUntil: NOW,
      version: 6,
    });
  });

  it('the list is valid JSON, however many stations it has', async () => {
    const network = await queryNetwork(served.db, NOW);
    const [row] = network.stations.filter((one) => one.is_listed);
    for (const count of [0, 1, 499, 500, 501, 1_001]) {
      const stations = Array(count).fill(row);
      const titles = { providers: new Map(), stations: new Map(), regions: new Map() };
      const text = [
        ...presentStationsList({ ...network, stations }, titles, 'en', makeSiteUrls('')),
      ].join('');
      expect(JSON.parse(text).stations).toHaveLength(count);
    }
  });

  it('the list has connections of its own: other documents are answered while it has none', async () => {
    const wholeNetwork = openReaderPool(NOWHERE, { timeZone: 'UTC' });
    const app = makeApp({
      db: served.db,
      wholeNetwork,
      clock: makeClock(NOW),
      siteBaseUrl: '',
      log: served.log,
    });
    expect((await request(app).get(path('en'))).status).toBe(503);
    expect((await request(app).get('/en/air-quality-app/v1/region/town.json')).status).not.toBe(
      503,
    );
    await wholeNetwork.destroy();
  });
});
