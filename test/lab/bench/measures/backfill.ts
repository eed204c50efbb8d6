/**
 * B17: a service in use while a year of hours is imported beside it, computed and compressed: how
 * much longer reads take than before, how many reads and pushes fail, and how old the newest value
 * is that readers see. By the real clock, because the service refreshes by it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { maintain } from '../../../../src/aggregate/refresh.ts';
import { createToken } from '../../../../src/ingest/http/tokens.ts';
import { freePort } from '../../../support/freePort.ts';
import { addressVariables, runAirseries } from '../../../support/program.ts';
import { getText } from '../load/get.ts';
import { type Job, load } from '../load/load.ts';
import { HEADER, linesOf, writeTemporary } from '../run/files.ts';
import { type Context, figure, figureRow, type Measure, type Row } from '../run/measure.ts';
import { TIME_ZONE } from '../run/network.ts';
import { BASE, type Service, startService } from '../run/service.ts';
import { bootstrap, median, seconds } from '../run/statistics.ts';
import { makeWorld } from '../run/world.ts';

const HOUR = 3_600_000;
const READS_A_SECOND = 100;
/** Reads are timed in slices, and a ratio compares the medians of slices. */
const SLICE_S = 5;

/** A device that sends each second, and a reader of what it sent, until the measure is over. */
function startSender(context: Context, { port }: Service, ingestPort: string, token: string) {
  /** `oldest` in seconds. */
  const seen = { sent: 0, failed: 0, oldest: 0 };
  let isOver = false;
  const fail = () => {
    seen.failed += 1;
  };
  const send = async () => {
    seen.sent += 1;
    const { ok } = await fetch(`http://127.0.0.1:${ingestPort}/v1/readings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify([{ sensor_id: 1, time: new Date().toISOString(), pm25: 10 }]),
    });
    if (!ok) fail();
  };
  const look = async () => {
    const { measurement_time } = JSON.parse(await getText(port, `${BASE}/station/1.json`));
    seen.oldest = Math.max(seen.oldest, (Date.now() - Date.parse(measurement_time)) / 1_000);
  };
  const running = (async () => {
    while (!isOver) await Promise.all([send().catch(fail), look().catch(fail), pause(1_000)]);
  })();
  context.after(async () => {
    isOver = true;
    await running;
  });
  return seen;
}

/** The 99th percentile of each slice, in milliseconds, until `isOver`, at least one. */
async function readUntil(job: Job, isOver: (slices: number) => boolean): Promise<number[]> {
  const p99s: number[] = [];
  do p99s.push((await load(job)).p99);
  while (!isOver(p99s.length));
  return p99s;
}

async function run(context: Context): Promise<Row[]> {
  const { quick, progress } = context;
  const stations = quick ? 20 : 100;
  const now = new Date();
  const since = Math.floor(now.getTime() / HOUR) * HOUR - 30 * 24 * HOUR;
  const pace = { from: new Date(since), to: now, every: '1 hour' };
  const { database } = await makeWorld(context, { stations }, pace);
  const lines = linesOf(stations, since, 24 * (quick ? 30 : 365), HOUR);
  const file = writeTemporary(context, 'year.csv', [HEADER, ...lines].join('\n'));
  const device = { name: 'roof', provider: 'p', stations: null, now };
  const { token } = await createToken(database.as(), device);
  const INGEST_PORT = await freePort();
  const environment = { ROLE: 'all', FIXED_NOW: '', INGEST_PORT };
  const service = await startService(context, database, environment);
  const seen = startSender(context, service, INGEST_PORT, token);
  const paths = Array.from({ length: 2 * stations }, (_, n) => {
    return `${BASE}/station/${Math.floor(n / 2) + 1}${n % 2 === 0 ? '' : '-history'}.json`;
  });
  const slice = { port: service.port, paths, connections: 8, seconds: SLICE_S };
  const job = { ...slice, rate: READS_A_SECOND };
  // so that there is a refresh in it
  const aMinute = () => readUntil(job, (slices) => slices * SLICE_S > 60);
  progress('B17 in quiet use');
  await aMinute(); // after it the values are new
  seen.oldest = 0;
  const before = median(await aMinute());
  seen.oldest = 0;
  progress('B17 importing');
  const address = { ...addressVariables(database.target), DATABASE_URL: 'postgres://' };
  const importing = runAirseries(['import', 'readings', file], { ...address, TIME_ZONE });
  let isOver = false;
  const working = seconds(async () => {
    const { code, stderr } = await importing.finished;
    if (code !== 0) throw new Error(stderr);
    await maintain(database.target, new Date());
  }).finally(() => {
    isOver = true;
  });
  const [busy, took] = await Promise.all([readUntil(job, () => isOver), working]);
  const year = `${figure(lines.length)} readings in ${figure(took)} s`;
  const ratio: Row = {
    id: 'B17',
    title: 'p99 of reads while a year is backfilled ÷ before',
    value: bootstrap(busy.map((value) => value / before)),
    unit: '',
    better: 'lower',
    goal: 3,
    detail: `${figure(median(busy))} : ${figure(before)} ms; ${year}`,
  };
  const failures = { title: 'pushes and reads of them that failed', unit: '', must: 0 };
  const age = { title: 'age of the newest value shown meanwhile, at most', unit: 's', goal: 120 };
  return [
    ratio,
    figureRow([seen.failed], { id: 'B17', ...failures, detail: `of ${seen.sent} of each` }),
    figureRow([seen.oldest], { id: 'B17', ...age }),
  ];
}

export const backfilled: Measure = { ids: ['B17'], title: 'use while a year is backfilled', run };
