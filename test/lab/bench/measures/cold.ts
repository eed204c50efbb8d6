/**
 * B4, B5: histories rendered from the database, next to the query alone, and to the same computed
 * from the readings.
 */
import { isDeepStrictEqual } from 'node:util';
import { connect, type Sql } from '../../../../src/database/client.ts';
import { fetchRaw } from '../load/bare.ts';
import { type Context, type Measure, type Row, ratioRow } from '../run/measure.ts';
import { compare, type Variant } from '../run/rounds.ts';
import { BASE, startService } from '../run/service.ts';
import { median } from '../run/statistics.ts';
import { NOW, TIME_ZONE } from '../run/world.ts';
import { fromReadings } from './readings.ts';

const UNCACHED = { RESPONSE_CACHE_MB: '0' };

/** Median milliseconds of a task that clients do one after the other, all at once. */
function timed(
  task: () => Promise<unknown>,
  { clients, times }: { clients: number; times: number },
): Variant {
  return async () => {
    const took: number[] = [];
    const client = async () => {
      for (let turn = 0; turn < times; turn++) {
        const begun = performance.now();
        await task();
        took.push(performance.now() - begun);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return { value: median(took), least: Math.min(...took) };
  };
}

/** The same by the load generator, which is a process of its own as the service is. */
function requested(
  context: Context,
  port: number,
  path: string,
  { clients }: { clients: number },
): Variant {
  const seconds = context.quick ? 0.5 : 2;
  return async () => {
    const job = { port, paths: [path], connections: clients, seconds };
    const { p50, least } = await context.generator.run(job);
    return { value: p50, least };
  };
}

/**
 * B4: the documents of all windows, through HTTP and by the fastest query for them over the same
 * driver.
 */
async function againstSql(context: Context): Promise<Row[]> {
  const { database } = await context.town();
  const service = await startService(database, UNCACHED);
  const rows: Row[] = [];
  try {
    for (const clients of [1, 8]) {
      context.progress(`B4 cold history with ${clients} clients`);
      const sql = connect(database.target, {
        role: 'airseries_reader',
        timeZone: TIME_ZONE,
        max: clients,
      });
      const query = await fastestQuery(sql);
      const http = requested(context, service.port, `${BASE}/station/1-history.json`, { clients });
      const alone = timed(query, { clients, times: context.quick ? 20 : 150 });
      for (let warming = 0; warming < (context.quick ? 0 : 5); warming++) {
        await http(); // JavaScript is compiled after some thousand calls
        await alone();
      }
      const compared = await compare({
        ours: http,
        reference: alone,
        rounds: context.quick ? 3 : 9,
      });
      await sql.end();
      const title = `cold station history ÷ its SQL, ${clients} client${clients === 1 ? '' : 's'}`;
      rows.push(
        ratioRow(compared, { id: 'B4', title, unit: 'ms', better: 'lower', must: 1.5, goal: 1.2 }),
      );
      if (clients > 1) continue;
      const value = { median: compared.ours, low: compared.ours, high: compared.ours };
      const detail = 'p50 through HTTP';
      rows.push({
        id: 'B4',
        title: 'cold station history, 1 client',
        value,
        unit: 'ms',
        better: 'lower',
        must: 3,
        detail,
      });
    }
  } finally {
    await service.close();
  }
  return rows;
}

/** The history of station 1 as the service asks for it once it knows the bounds. */
async function fastestQuery(sql: Sql): Promise<() => Promise<unknown>> {
  const [bounds = {}] = await sql`select * from api.history_bounds(${NOW})`;
  const named = Object.keys(bounds).map((name, n) => `${name} => $${n + 1}`);
  const text = `select * from api.station_history_json(only_station => 1, ${named.join(', ')})`;
  return () => sql.unsafe(text, Object.values(bounds), { prepare: true });
}

/** B5: the same document computed from the readings for each request. */
async function againstReadings(context: Context): Promise<Row[]> {
  const { database, readings } = await context.town();
  const service = await startService(database, UNCACHED);
  const sql = connect(database.target, { timeZone: TIME_ZONE, max: 1 });
  const rows: Row[] = [];
  const cases = [
    { title: 'station', path: 'station/1-history.json', stations: [1], must: 5, goal: 10 },
    {
      title: 'region of 20',
      path: 'region/town-history.json',
      stations: range(20),
      must: 40,
      goal: 100,
    },
  ];
  try {
    for (const { title, path, stations, must, goal } of cases) {
      context.progress(`B5 from readings: ${title}`);
      const raw = () => fromReadings(sql, stations, stations.length > 1);
      const ours = JSON.parse(String((await fetchRaw(service.port, `${BASE}/${path}`)).body));
      checkSame(ours, await raw(), title);
      const compared = await compare({
        ours: timed(raw, { clients: 1, times: 1 }),
        reference: requested(context, service.port, `${BASE}/${path}`, { clients: 1 }),
        rounds: context.quick ? 3 : 7,
      });
      const row = ratioRow(compared, {
        id: 'B5',
        title: `from readings ÷ ours, ${title}`,
        unit: 'ms',
        better: 'higher',
        must,
        goal,
      });
      rows.push({ ...row, detail: `${row.detail}, ${readings.toLocaleString('en')} readings` });
    }
  } finally {
    await sql.end();
    await service.close();
  }
  return rows;
}

/** Throws where the answers of two ways differ, with the first place and the two values. */
export function checkSame(
  ours: Record<string, object[]>,
  theirs: Record<string, object[]>,
  what: string,
): void {
  for (const [window, points] of Object.entries(ours)) {
    const others = theirs[window] ?? [];
    if (others.length !== points.length) {
      throw new Error(`${what}: ${window} has ${points.length} points and ${others.length}`);
    }
    for (const [index, point] of points.entries())
      checkSamePoint(point, others[index] ?? {}, `${what}: ${window}[${index}]`);
  }
}

/**
 * Numbers may differ by one in their last digit: means are added up in another order, and a tie is
 * rounded either way.
 */
function checkSamePoint(left: object, right: object, place: string): void {
  const [values, others] = [new Map(Object.entries(left)), new Map(Object.entries(right))];
  for (const name of new Set([...values.keys(), ...others.keys()])) {
    const [own, other] = [values.get(name), others.get(name)];
    if (isClose(own, other)) continue;
    throw new Error(`${place}.${name} is ${JSON.stringify(own)} and ${JSON.stringify(other)}`);
  }
}

function isClose(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, index) => isClose(each, b[index]));
  if (typeof a !== 'number' || typeof b !== 'number') return isDeepStrictEqual(a, b);
  const decimals = Math.max(...[a, b].map((value) => String(value).split('.')[1]?.length ?? 0));
  return Math.abs(a - b) < 1.001 * 10 ** -decimals;
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** One each, so that a failure of one leaves the others. */
export const cold: readonly Measure[] = [
  { ids: ['B4'], title: 'documents rendered for their request', run: againstSql },
  { ids: ['B5'], title: 'the same from readings', run: againstReadings },
];
