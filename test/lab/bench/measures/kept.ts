/**
 * B1, B2, B11, B14: documents that are kept, next to servers that send the same bytes: a bare one,
 * Fastify and Express; and the list of stations after a digest.
 */
import { makeDigest } from '../../../../src/aggregate/digest.ts';
import { get, getText, type Response } from '../load/get.ts';
import { load } from '../load/load.ts';
import { type Kind, startPrepared } from '../load/prepared.ts';
import { cpuSeconds } from '../load/system.ts';
import { type Context, figureRow, type Measure, type Row, ratioRow } from '../run/measure.ts';
import { compare } from '../run/rounds.ts';
import { BASE, type Service, startService, UNKEPT } from '../run/service.ts';
import { seconds } from '../run/statistics.ts';
import { daysAgo, makeWorld, NOW } from '../run/world.ts';

const HISTORY = `${BASE}/station/1-history.json`;
const CODINGS = { identity: {}, gzip: { 'Accept-Encoding': 'gzip' } };

type Headers = Record<string, string>;
type Compared = { kind: Kind; path: string; headers: Headers };
type Case = Compared & Pick<Row, 'id' | 'title' | 'must' | 'goal'>;

/** Two rows: requests a second, and requests per second of the servers' own processor time. */
async function against({ quick, progress }: Context, service: Service, one: Case): Promise<Row[]> {
  const { kind, path, headers, ...judged } = one;
  progress(`${one.id} ${one.title}`);
  const response = await prepared(service, path, headers);
  const peer = await startPrepared(kind, response);
  const job = { paths: [path], headers, status: response.status, connections: 32, seconds: 1 };
  const variant = ({ port, pid }: Pick<Service, 'port' | 'pid'>) => {
    return async () => {
      const before = cpuSeconds(pid);
      const { requests, perSecond } = await load({ ...job, port });
      return { perSecond, perCpuSecond: requests / (cpuSeconds(pid) - before) };
    };
  };
  const [ours, reference] = [variant(service), variant(peer)];
  await ours(); // both compile what they use often
  await reference();
  const { perSecond, perCpuSecond } = await compare({ ours, reference }, quick ? 3 : 15);
  peer.close();
  const byCpu = { title: `${one.title}, by CPU time`, unit: 'requests per CPU second' };
  return [
    ratioRow(perSecond, { ...judged, better: 'higher', unit: 'requests/s' }),
    ratioRow(perCpuSecond, { ...judged, better: 'higher', ...byCpu }),
  ];
}

/** The response once everything is prepared: the document is rendered, and its coding made. */
async function prepared({ port }: Service, path: string, headers: Headers): Promise<Response> {
  await get(port, path, headers);
  return await get(port, path, headers);
}

/** A case for each coding. */
function ofCodings({ title, ...one }: Omit<Case, 'headers'>): Case[] {
  const named = (coding: string) => ({ ...one, title: `${title}, ${coding}` });
  return Object.entries(CODINGS).map(([coding, headers]) => ({ ...named(coding), headers }));
}

async function all(context: Context, service: Service, cases: readonly Case[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of cases) rows.push(...(await against(context, service, one)));
  return rows;
}

async function histories(context: Context): Promise<Row[]> {
  const { database } = await context.town();
  const service = await startService(context, database);
  const { headers } = await prepared(service, HISTORY, {});
  const etag = headers[headers.indexOf('ETag') + 1] as string;
  const of = { path: HISTORY, kind: 'bare' } as const;
  const toExpress = { id: 'B14', path: HISTORY, kind: 'express', goal: 1 } as const;
  const unchanged = { id: 'B2', title: '304 ÷ bare 304', headers: { 'If-None-Match': etag } };
  const cases: Case[] = [
    ...ofCodings({ ...of, id: 'B1', title: 'history ÷ bare', must: 1 / 1.4, goal: 1 / 1.3 }),
    { ...of, ...unchanged, must: 1 / 1.4, goal: 1 / 1.25 },
    ...ofCodings({ ...toExpress, title: 'history ÷ Express, a Buffer' }),
  ];
  const wanted = cases.filter(({ id }) => context.wants(id));
  return await all(context, service, wanted);
}

/** 500 stations with readings of two days, which their list shows; kept, and after a digest. */
async function list(context: Context): Promise<Row[]> {
  const pace = { from: daysAgo(2), to: NOW, every: '20 minutes' };
  const { database } = await makeWorld(context, { stations: 500, stationsOfACity: 100 }, pace);
  const title = 'stations.json, 500 stations';
  const of = { id: 'B11', path: `${BASE}/stations.json`, kind: 'bare' } as const;
  const cases = ofCodings({ ...of, title: `${title} ÷ bare`, must: 0.7, goal: 0.9 });
  const kept = await startService(context, database);
  const rows = await all(context, kept, cases);
  await kept.close();
  const { port } = await startService(context, database, UNKEPT);
  const took: number[] = [];
  for (let round = -2; round < (context.quick ? 5 : 20); round++) {
    // it leaves the database's caches as it always does
    await makeDigest(database.target, new Date(NOW.getTime() + round));
    const ms = 1_000 * (await seconds(() => getText(port, of.path)));
    if (round >= 0) took.push(ms);
  }
  const rendered = { id: 'B11', title: `${title}, rendered after a digest` };
  return [...rows, figureRow(took, { ...rendered, unit: 'ms', must: 150, goal: 50 })];
}

export const kept: readonly Measure[] = [
  { ids: ['B1', 'B2', 'B14'], title: 'a kept history next to other servers', run: histories },
  { ids: ['B11'], title: 'the list of 500 stations', run: list },
];
