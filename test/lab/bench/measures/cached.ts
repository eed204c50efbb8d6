/**
 * B1, B2, B3, B11: documents that are kept, next to a bare server that sends the same bytes and
 * headers.
 */
import { fetchRaw, startBare } from '../load/bare.ts';
import { type Case, CONNECTIONS, type Rates, rateRows, ratesOf } from '../load/rates.ts';
import type { Context, Measure, Row } from '../run/measure.ts';
import { ratioRow } from '../run/measure.ts';
import { compare } from '../run/rounds.ts';
import { BASE, type Service, startService } from '../run/service.ts';
import { daysAgo, makeWorld, NOW } from '../run/world.ts';
import { makeDigestsAndTime } from './digest.ts';

/** Requests a second of a kept document, ours and bare. */
async function throughput(
  context: Context,
  service: Service,
  { path, headers = {}, status = 200 }: Case,
): Promise<Rates> {
  const bare = await startBare(await warmed(service, path, headers));
  try {
    return await ratesOf(context, { ours: service, reference: bare }, { path, headers, status });
  } finally {
    bare.close();
  }
}

/**
 * The response once everything about it is prepared: the document is rendered, and its coding made.
 */
async function warmed(service: Service, path: string, headers: Record<string, string>) {
  await fetchRaw(service.port, path, headers);
  return await fetchRaw(service.port, path, headers);
}

/** The 99th percentile of the response time at 500 requests a second, ours ÷ bare. */
async function latency(context: Context, service: Service, path: string) {
  const headers = { 'Accept-Encoding': 'gzip' };
  const bare = await startBare(await warmed(service, path, headers));
  const seconds = context.quick ? 2 : 4;
  const variant = (port: number) => async () => {
    const job = { port, paths: [path], headers, connections: CONNECTIONS, seconds, rate: 500 };
    const { p99, least } = await context.generator.run(job);
    return { value: p99, least };
  };
  try {
    return await compare({
      ours: variant(service.port),
      reference: variant(bare.port),
      rounds: context.quick ? 3 : 9,
    });
  } finally {
    bare.close();
  }
}

const GZIP = { 'Accept-Encoding': 'gzip' };

async function history(context: Context): Promise<Row[]> {
  const { database } = await context.town();
  const service = await startService(database);
  const path = `${BASE}/station/1-history.json`;
  const found: Row[] = [];
  try {
    if (context.wants('B1')) {
      for (const [coding, headers] of [
        ['identity', {}],
        ['gzip', GZIP],
      ] as const) {
        context.progress(`B1 cached history, ${coding}`);
        const comparison = await throughput(context, service, { path, headers });
        const title = `cached history ÷ bare node:http, ${coding}`;
        found.push(...rateRows(comparison, { id: 'B1', title, must: 1 / 1.4, goal: 1 / 1.3 }));
      }
    }
    if (context.wants('B2')) {
      context.progress('B2 304');
      const { headers } = await warmed(service, path, {});
      const etag = headers[headers.indexOf('ETag') + 1] as string;
      const comparison = await throughput(context, service, {
        path,
        headers: { 'If-None-Match': etag },
        status: 304,
      });
      found.push(
        ...rateRows(comparison, {
          id: 'B2',
          title: '304 ÷ bare 304',
          must: 1 / 1.4,
          goal: 1 / 1.25,
        }),
      );
    }
    if (context.wants('B3')) {
      context.progress('B3 p99 at 500 requests/s');
      const comparison = await latency(context, service, path);
      const title = 'p99 at 500 requests/s, cached ÷ bare, gzip';
      found.push(
        ratioRow(comparison, { id: 'B3', title, unit: 'ms', better: 'lower', must: 2, goal: 1.3 }),
      );
    }
  } finally {
    await service.close();
  }
  return found;
}

/** 500 stations with readings of two days, which their list shows. */
async function stationsList(context: Context): Promise<Row[]> {
  context.progress('B11 stations.json with 500 stations');
  const pace = { from: daysAgo(2), to: NOW, every: '20 minutes' };
  const shape = { stations: 500, cityOf: (id: number) => `city-${'abcde'[id % 5]}` };
  const { database } = await makeWorld(context.targets, context.engine, shape, [pace]);
  const service = await startService(database);
  const path = `${BASE}/stations.json`;
  const found: Row[] = [];
  try {
    for (const [coding, headers] of [
      ['identity', {}],
      ['gzip', GZIP],
    ] as const) {
      const comparison = await throughput(context, service, { path, headers });
      const title = `stations.json, 500 stations, cached ÷ bare, ${coding}`;
      found.push(...rateRows(comparison, { id: 'B11', title, must: 0.7, goal: 0.9 }));
    }
    found.push(await makeDigestsAndTime(context, database));
  } finally {
    await service.close();
    await database.drop();
  }
  return found;
}

export const cached: Measure = {
  ids: ['B1', 'B2', 'B3', 'B11'],
  title: 'kept documents next to a bare server',
  async run(context) {
    const ofHistory = ['B1', 'B2', 'B3'].some(context.wants) ? await history(context) : [];
    return [...ofHistory, ...(context.wants('B11') ? await stationsList(context) : [])];
  },
};
