/** Identical requests that are under way together share one query; later ones query again. */
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import type { Semaphore } from '../../src/database/semaphore.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { makeApp } from '../../src/serve/app.ts';
import type { TestDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { until } from '../support/patience.ts';
import { NOW } from './network.ts';
import { networkDatabase } from './serve.ts';

const PATH = '/en/air-quality-app/v1/station/1-history.json';

/** The query for the windows, which is sent once an hour. */
const WINDOWS = 'api.history_valid_until';

let database: TestDatabase;
let db: ReturnType<typeof openReaderPool>;
let served: Listening;
let counts: Pick<Semaphore, 'inUse' | 'waiting'>;
const queries: string[] = [];
let arrived = 0;

beforeAll(async () => {
  database = await networkDatabase('plain');
  db = openReaderPool(database.target, {
    timeZone: database.timeZone,
    max: 4,
    observer: (given) => {
      counts = given;
      const onQuery = (query: string) => query !== WINDOWS && queries.push(query);
      return { onAcquired: () => undefined, onQuery };
    },
  });
  // every request at another instant, as in production
  let ms = NOW.getTime();
  const app = makeApp({
    db,
    clock: () => {
      ms += 1;
      return makeClock(new Date(ms))();
    },
    siteBaseUrl: '',
    log: keepingLog(),
  });
  served = await listen(
    (req, res) => {
      app(req, res);
      arrived += 1;
    },
    { port: 0, variable: 'PORT' },
  );
  // the first request of a process asks if the aggregates were ever built
  await get(`/en/air-quality-app/v1/stations.json`);
});
afterAll(async () => {
  await served.close({ drainMs: 0 });
  await db.destroy();
  await database.drop();
});

const get = (path: string) => request(`http://127.0.0.1:${served.port}`).get(path);

/**
 * Sends `times` requests for each path, all of them under way before the database answers the
 * first.
 */
async function sendTogether(paths: readonly string[], times: number) {
  const end = await openTransaction(
    database.as(),
    'lock table api.station in access exclusive mode',
  );
  queries.length = 0;
  arrived = 0;
  const answers = Promise.all(
    paths.flatMap((path) => Array.from({ length: times }, () => get(path).then((res) => res))),
  );
  await until(() => arrived === paths.length * times, 'all requests have arrived');
  const statements = counts.inUse() + counts.waiting();
  await end('rollback');
  return { answers: await answers, statements };
}

it('fifty clients with the same request are answered from one statement', async () => {
  const { answers, statements } = await sendTogether([PATH], 50);
  expect(statements).toBe(1);
  expect(queries).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

it('requests for other stations, documents and languages are separate queries', async () => {
  const paths = [
    PATH,
    PATH.replace('/1-', '/2-'),
    PATH.replace('-history', ''),
    PATH.replace('/en/', '/ru/'),
  ];
  const { answers, statements } = await sendTogether(paths, 3);
  expect(statements).toBe(4);
  // a history is the same in all languages
  expect(new Set(answers.map(({ text }) => text)).size).toBe(3);
  expect(new Set(answers.map(({ headers }) => headers['content-language']))).toEqual(
    new Set(['en', 'ru']),
  );
});
