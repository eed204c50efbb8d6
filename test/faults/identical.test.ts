/** What many clients ask at the same moment is asked of the database once, and asked again when it is asked for again. */
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeApp } from '../../src/api/app.ts';
import { makeClock } from '../../src/clock.ts';
import { type Api, openReads } from '../../src/database/pools.ts';
import type { Semaphore } from '../../src/database/waiting.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { insertNetwork, NOW } from '../api/network.ts';
import { recordingLog } from '../api/serve.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { until } from '../support/service.ts';

const PATH = '/en/air-quality-app/v1/station/1-history.json';

let database: TestDatabase;
let db: ReturnType<typeof openReads<Api>>;
let served: Listening;
let counts: Pick<Semaphore, 'inUse' | 'waiting'>;
const asked: string[] = [];
let arrived = 0;

beforeAll(async () => {
  database = await testDatabase('plain');
  await insertNetwork(database.as());
  db = openReads<Api>(database.target, {
    timeZone: database.timeZone,
    max: 4,
    observer: (given) => {
      counts = given;
      return (query) => asked.push(query);
    },
  });
  // each millisecond another instant, as in life
  let ms = NOW.getTime();
  const app = makeApp({ db, clock: () => makeClock(new Date(ms++))(), siteBaseUrl: '', log: recordingLog() });
  served = await listen(
    (req, res) => {
      app(req, res);
      arrived += 1;
    },
    { port: 0, variable: 'PORT' },
  );
});
afterAll(async () => {
  await served.close({ drainMs: 0 });
  await db.destroy();
  await database.drop();
});

const get = (path: string) => request(`http://127.0.0.1:${served.port}`).get(path);

/** So many requests of each path, all under way before the database answers the first. */
async function askTogether(paths: readonly string[], times: number) {
  const blocker = database.as();
  await blocker`select`; // the driver never reserves a connection that it has yet to open
  const connection = await blocker.reserve();
  await connection`begin`;
  await connection`lock table api.station in access exclusive mode`;
  [asked.length, arrived] = [0, 0];
  const answers = Promise.all(
    paths.flatMap((path) => Array.from({ length: times }, () => get(path).then((res) => res))),
  );
  await until(() => arrived === paths.length * times, 'all requests have arrived');
  const statements = counts.inUse() + counts.waiting();
  await connection`rollback`;
  connection.release();
  return { answers: await answers, statements };
}

it('50 clients who want the same have it from one statement', async () => {
  const { answers, statements } = await askTogether([PATH], 50);
  expect(statements).toBe(1);
  expect(asked).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

it('other stations, windows and languages are other questions', async () => {
  const paths = [PATH, PATH.replace('/1-', '/2-'), PATH.replace('-history', ''), PATH.replace('/en/', '/ru/')];
  const { answers, statements } = await askTogether(paths, 3);
  expect(statements).toBe(4);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(3); // a history says the same in all languages
  expect(new Set(answers.map(({ headers }) => headers['content-language']))).toEqual(new Set(['en', 'ru']));
});

it('the query string makes no other question, and a failure is shared too', async () => {
  const nowhere = PATH.replace('/1-', '/999-');
  const { answers, statements } = await askTogether([nowhere, `${nowhere}?x`], 3);
  expect(statements).toBe(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
});

it('nothing is kept: who asks afterwards is told what is so then', async () => {
  asked.length = 0;
  for (let n = 0; n < 3; n++) expect((await get(PATH)).status).toBe(200);
  expect(asked).toHaveLength(3);
});
