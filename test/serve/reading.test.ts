/**
 * How documents are read: the list of stations once for all locales and by connections of its own,
 * histories as the database writes them, what extras read, and one query for many clients. None
 * depends on the engine.
 */
import supertest from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { LOCALES, type Locale } from '../../src/contract/endpoints.ts';
import { WINDOWS } from '../../src/contract/windows.ts';
import { apiOver } from '../../src/database/apiDb.ts';
import { onConnection } from '../../src/database/client.ts';
import { openReaderPool, openWholeNetworkPool } from '../../src/database/pools.ts';
import type { Semaphore } from '../../src/database/semaphore.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { makeApp, type PageParts } from '../../src/serve/app.ts';
import { makeSiteUrls } from '../../src/serve/current.ts';
import { makeDocuments } from '../../src/serve/documents.ts';
import { NEVER } from '../../src/serve/entry.ts';
import { makeWindows, queryRegionHistory, queryStationHistory } from '../../src/serve/history.ts';
import { presentStationsList, queryNetwork } from '../../src/serve/stationsList.ts';
import * as order from '../contract/keyOrder.ts';
import { engines } from '../support/database.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { until } from '../support/patience.ts';
import { request } from '../support/request.ts';
import { NOW } from './network.ts';
import { NOWHERE, observerOf, type Served, serve, versionsOf } from './serve.ts';

let served: Served;
beforeAll(async () => {
  served = await serve(engines[0] ?? 'plain');
  return () => served.close();
});
/** All that an app needs but its database. */
const options = () => ({ clock: makeClock(NOW), siteBaseUrl: '', log: served.log });

describe('the list of stations', () => {
  const path = (locale: string) => `/${locale}/air-quality-app/v1/stations.json`;

  /** The list in each locale, in turn, and how often the stations were read for it. */
  async function readLists(maxBytes: number) {
    const statements: string[] = [];
    const { target, timeZone } = served.database;
    const observer = observerOf(statements);
    const wholeNetwork = openWholeNetworkPool(target, { timeZone, observer });
    const cache = { maxBytes, versions: await versionsOf(served.db) };
    const app = makeApp({ ...options(), db: served.db, wholeNetwork, cache });
    const bodies: string[] = [];
    for (const locale of LOCALES) bodies.push((await request(app).get(path(locale))).text);
    await wholeNetwork.destroy();
    const reads = statements.filter((name) => name === 'api.station_current').length;
    return { bodies, reads };
  }

  it('the list is read once for all locales, and is the same as without the cache', async () => {
    const [kept, rendered] = [await readLists(1e7), await readLists(0)];
    expect([kept.reads, rendered.reads]).toEqual([1, LOCALES.length]);
    expect(kept.bodies).toEqual(rendered.bodies);
    expect(new Set(kept.bodies).size).toBe(LOCALES.length);
  });

  it('a provider has its title in the locale, else its general one (C6)', async () => {
    const titles = JSON.stringify({ en: 'Volunteers', ru: 'Волонтёры' });
    await served.database.as()`
      update raw.provider set title = 'Volunteers', titles = ${titles}::text::jsonb where id = 'ours'`;
    const { bodies } = await readLists(0);
    const named = bodies.map((body, n) => [LOCALES[n], JSON.parse(body).providers[0].title]);
    expect(Object.fromEntries(named)).toEqual({
      en: 'Volunteers',
      hy: 'Volunteers',
      ru: 'Волонтёры',
    });
  });

  it('the list has the data version of the older of its parts', async () => {
    const untitled = { providers: new Map(), stations: new Map(), regions: new Map() };
    const titles = Object.fromEntries(LOCALES.map((one) => [one, untitled]));
    const never = new Date(NEVER);
    const reader = {
      network: async () => ({
        ...{ providers: [], stations: [], regions: [] },
        ...{ validUntil: NOW, version: 7 },
      }),
      titles: async () => ({
        titles: titles as Record<Locale, typeof untitled>,
        validUntil: never,
        version: 6,
      }),
      providers: async () => [],
      european: async () => ({
        ...{ stations: {}, regions: {}, hour: '' },
        ...{ validUntil: never, version: 8 },
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
    const titles = { providers: new Map(), stations: new Map(), regions: new Map() };
    for (const count of [0, 1, 499, 500, 501, 1_001]) {
      const stations = Array(count).fill(row);
      const site = makeSiteUrls('');
      const pieces = presentStationsList({ ...network, stations }, titles, 'en', site);
      expect(JSON.parse([...pieces].join('')).stations).toHaveLength(count);
    }
  });

  it('the list has connections of its own: other documents are answered while it has none', async () => {
    const wholeNetwork = openReaderPool(NOWHERE, { timeZone: 'UTC' });
    const app = makeApp({ ...options(), db: served.db, wholeNetwork });
    expect((await request(app).get(path('en'))).status).toBe(503);
    const region = await request(app).get('/en/air-quality-app/v1/region/alpha.json');
    expect(region.status).toBe(200);
    await wholeNetwork.destroy();
  });
});

describe('a history', () => {
  const KEYS = {
    station: { hour: order.STATION_HOUR, day: order.STATION_DAY, month: order.STATION_DAY },
    region: { hour: order.REGION_HOUR, day: order.REGION_DAY, month: order.REGION_DAY },
  };
  const VIEWS = { hour: 'hourly', day: 'daily', month: 'monthly' };
  const read = async (id: number | string) => {
    const db = apiOver(served.database.as('airseries_reader'));
    const windows = await makeWindows(db)(NOW);
    const history =
      typeof id === 'number'
        ? await queryStationHistory(db, windows, id)
        : await queryRegionHistory(db, windows, id);
    return { windows, history };
  };

  /** The point by definition: each key is a column, and a range is the pair of two columns. */
  function pointOf(bucket: Record<string, unknown>, keys: readonly string[]): object {
    const value = (key: string) => {
      if (!key.startsWith('range_')) return bucket[key];
      const pair = [bucket[key.replace('range', 'min')], bucket[key.replace('range', 'max')]];
      return pair.includes(null) ? null : pair;
    };
    return Object.fromEntries(keys.map((key) => [key, value(key)]));
  }

  it.each([1, 2, 'alpha', 'beta-old'])(
    'the history of %s has the values of the views, in the order of time (H1, H2, H3)',
    async (id) => {
      const subject = typeof id === 'number' ? 'station' : 'region';
      const { windows, history } = await read(id);
      for (const { key, unit } of WINDOWS) {
        const buckets = await served.database.as('airseries_reader').unsafe(
          `select * from api.${subject}_${VIEWS[unit]} where ${subject === 'station' ? 'station_id' : 'region_slug'} = $1
              and timestamp >= $2 and timestamp < $3 order by timestamp`,
          [id, windows.bounds[`since_${key}`], windows.bounds[`until_${key}`]],
        );
        const points = JSON.parse(history?.[key] ?? '');
        expect(points).toEqual(buckets.map((bucket) => pointOf(bucket, KEYS[subject][unit])));
      }
      expect(history?.['2y']).not.toBe('[]');
    },
  );

  it('a history has the data version that it was read at, and the instant at which its windows move', async () => {
    const { current } = await versionsOf(served.db);
    for (const id of [1, 'alpha'])
      expect((await read(id)).history).toMatchObject({
        data_version: current()?.version,
        valid_until: '2026-11-20T14:00:00+04:00',
      });
  });

  it.each(['station_history($1, 1)', "region_history($1, 'alpha')"])(
    'the function api.%s computes the windows once, not for every bucket',
    async (call) => {
      const { target, timeZone } = served.database;
      const calls = await onConnection(target, { timeZone }, async (superuser) => {
        await superuser.unsafe("set track_functions = 'all'; begin").simple();
        await superuser.unsafe(`select * from api.${call}`, [NOW]);
        const [row] = await superuser`
          select sum(calls)::int as calls from pg_stat_xact_user_functions where funcname in ('bucket_start', 'bucket_add')`;
        return row?.calls;
      });
      // a start and an end of five windows, each for the question and for its bounds
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThanOrEqual(40);
    },
  );
});

describe('what extras read', () => {
  const KIND = { type: 'application/json; charset=utf-8', headers: [] };
  const LIST = '/ru/air-quality-app/v1/stations.json';
  let parts: PageParts;
  let app: ReturnType<typeof makeApp>;
  const queries: string[] = [];
  beforeAll(async () => {
    const { target, timeZone } = served.database;
    const db = openReaderPool(target, { timeZone, max: 2, observer: observerOf(queries) });
    app = makeApp({
      ...options(),
      db,
      cache: { maxBytes: 1e7, versions: await versionsOf(served.db) },
      routes: [
        (router, given) => {
          parts = given;
          router.get('/made', async (req, res) => {
            await given.compose(req, res, '/made', async (read) => {
              const { stations } = await read<{ stations: unknown[] }>(LIST);
              return { locale: 'en', text: JSON.stringify(stations.length), kind: KIND };
            });
          });
        },
      ],
    });
    return () => db.destroy();
  });

  it.each([
    LIST,
    '/en/air-quality-app/v1/station/1-history.json',
    '/en/explore/v1/region/alpha/now.json',
    '/en/explore/v1/station/1/readings/2026-11-20T09%3A00%3A00Z.json',
  ])('%s is read as it is sent, and asked of the database once', async (path) => {
    const read = await parts.read(path);
    const before = queries.length;
    expect((await request(app).get(path)).body).toEqual(read);
    expect(await parts.read(path)).toEqual(read);
    expect(queries).toHaveLength(before);
  });

  it.each([
    '/en/air-quality-app/v1/station/99.json',
    '/en/explore/v1/station/99999999999/now.json',
    '/en/explore/v1/nothing.json',
  ])('what is not there, such as %s, rejects with the problem', async (path) => {
    const { status, body } = await request(app).get(path);
    await expect(parts.read(path)).rejects.toMatchObject({ status, message: body.detail });
    expect(status).toBe(404);
  });

  it('what is made of documents is kept as long as they hold', async () => {
    const made = await supertest(app).get('/made');
    const { headers } = await request(app).get(LIST);
    expect(made.body).toBeGreaterThan(0);
    expect(made.headers['cache-control']).toBe(headers['cache-control']);
    const before = queries.length;
    expect((await supertest(app).get('/made')).headers.etag).toBe(made.headers.etag);
    expect(queries).toHaveLength(before);
  });
});

describe('identical requests that are under way together', () => {
  const PATH = '/en/air-quality-app/v1/station/1-history.json';
  /** The query for the windows, which is sent once an hour. */
  const ONCE_AN_HOUR = 'api.history_valid_until';
  const queries: string[] = [];
  let here: Listening;
  let counts: Pick<Semaphore, 'inUse' | 'waiting'>;
  let arrived = 0;
  const get = (path: string) => supertest(`http://127.0.0.1:${here.port}`).get(path);

  beforeAll(async () => {
    const { target, timeZone } = served.database;
    const db = openReaderPool(target, {
      ...{ timeZone, max: 4 },
      observer: (given) => {
        counts = given;
        return observerOf(queries)();
      },
    });
    // every request at another instant, as in production
    let ms = NOW.getTime();
    const app = makeApp({ ...options(), db, clock: () => new Date(ms++) });
    here = await listen(
      (req, res) => {
        app(req, res);
        arrived += 1;
      },
      { port: 0, variable: 'PORT' },
    );
    // the first request of a process asks if the aggregates were ever built
    await get('/en/air-quality-app/v1/stations.json');
    return async () => {
      await here.close({ drainMs: 0 });
      await db.destroy();
    };
  });

  /** Sends each path so often, all of them before the database answers the first. */
  async function sendTogether(paths: readonly string[], count: number) {
    const lock = 'lock table api.station in access exclusive mode';
    const end = await openTransaction(served.database.as(), lock);
    queries.length = 0;
    arrived = 0;
    const all = paths.flatMap((path) => Array<string>(count).fill(path));
    const answers = Promise.all(all.map((path) => get(path).then((res) => res)));
    await until(() => arrived === all.length, 'all requests have arrived');
    const statements = counts.inUse() + counts.waiting();
    await end('rollback');
    return { answers: await answers, statements };
  }

  it('twenty clients with the same request are answered from one statement', async () => {
    const { answers, statements } = await sendTogether([PATH], 20);
    expect([statements, queries.filter((name) => name !== ONCE_AN_HOUR).length]).toEqual([1, 1]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('requests for other stations, documents and languages are separate queries', async () => {
    const [station, document] = [PATH.replace('/1-', '/2-'), PATH.replace('-history', '')];
    const paths = [PATH, station, document, PATH.replace('/en/', '/ru/')];
    const { answers, statements } = await sendTogether(paths, 3);
    expect(statements).toBe(4);
    // a history is the same in all languages
    expect(new Set(answers.map(({ text }) => text)).size).toBe(3);
    const languages = answers.map(({ headers }) => headers['content-language']);
    expect(new Set(languages)).toEqual(new Set(['en', 'ru']));
  });
});
