/**
 * B17: a service in use while a year of hours is imported beside it, computed and compressed: how
 * much longer reads take than before, how many reads and pushes fail, and how old the newest value
 * is that readers see. By the real clock, because the service refreshes by it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { maintain } from '../../../../src/aggregate/refresh.ts';
import { createToken } from '../../../../src/ingest/http/tokens.ts';
import { freePort } from '../../../support/freePort.ts';
import { httpGet } from '../../../support/http.ts';
import { addressVariables, runProgram } from '../../../support/program.ts';
import { type Context, figure, type Measure, type Row } from '../run/measure.ts';
import { BASE, type Service, startService } from '../run/service.ts';
import { bootstrap, median } from '../run/statistics.ts';
import { makeWorld, TIME_ZONE, type World } from '../run/world.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const READS_A_SECOND = 100;
/** Reads are timed in slices, and a ratio compares the medians of slices. */
const SLICE_S = 5;
const PROGRAM = new URL('../../../../dist/cli.js', import.meta.url).pathname;

type Use = { p50: number[]; p99: number[]; reads: number };

/** A device that sends each second, and a reader of what it sent. */
function startSender({ port }: Service, ingestPort: string, token: string) {
  let [isOver, sent, failed, oldest] = [false, 0, 0, 0];
  const send = async () => {
    const answer = await fetch(`http://127.0.0.1:${ingestPort}/v1/readings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify([{ sensor_id: 1, time: new Date().toISOString(), pm25: sent % 100 }]),
    }).catch(() => undefined);
    sent += 1;
    if (answer?.status !== 200) failed += 1;
  };
  const look = async () => {
    const { status, body } = await httpGet(port, `${BASE}/station/1.json`);
    if (status !== 200) failed += 1;
    else oldest = Math.max(oldest, Date.now() - Date.parse(JSON.parse(body).measurement_time));
  };
  const running = (async () => {
    while (!isOver) {
      await Promise.all([send(), look(), pause(1_000)]);
    }
  })();
  return {
    /** Seconds, since the last call. */
    oldest() {
      const seconds = oldest / 1_000;
      oldest = 0;
      return seconds;
    },
    counts: () => ({ sent, failed }),
    async end() {
      isOver = true;
      await running;
    },
  };
}

/** Reads until `isOver`, at least one slice. */
async function readUntil(
  { generator }: Context,
  { port }: Service,
  stations: number,
  isOver: () => boolean,
): Promise<Use> {
  const documents = Array.from({ length: stations }, (_, n) => [
    `${BASE}/station/${n + 1}.json`,
    `${BASE}/station/${n + 1}-history.json`,
  ]);
  const use: Use = { p50: [], p99: [], reads: 0 };
  do {
    const job = { port, paths: documents.flat(), connections: 8, seconds: SLICE_S };
    const { p50, p99, requests } = await generator.run({ ...job, rate: READS_A_SECOND });
    use.p50.push(p50);
    use.p99.push(p99);
    use.reads += requests;
  } while (!isOver());
  return use;
}

/** A year of hours before `until`, as a file; returns how many readings it has. */
function writeYear(file: string, stations: number, until: number, days: number): number {
  const lines = ['sensor_id,time,pm25,pm10,temperature,humidity,pressure'];
  for (let at = until - days * DAY; at < until; at += HOUR) {
    const time = new Date(at).toISOString();
    const n = at / HOUR;
    for (let sensor = 1; sensor <= stations; sensor++) {
      const values = [
        (n + sensor) % 60,
        (n + sensor) % 80,
        n % 30,
        40 + (n % 50),
        90_000 + (n % 90),
      ];
      lines.push(`${sensor},${time},${values.join(',')}`);
    }
  }
  writeFileSync(file, lines.join('\n'));
  return lines.length - 1;
}

async function backfill(context: Context, { database, stations }: World, since: number) {
  const ingestPort = await freePort();
  const owner = database.as();
  const { token } = await createToken(owner, {
    name: 'roof',
    provider: 'p',
    stations: null,
    now: new Date(),
  });
  const folder = mkdtempSync(join(tmpdir(), 'airseries-bench-'));
  const file = join(folder, 'year.csv');
  const readings = writeYear(file, stations, since, context.quick ? 30 : 365);
  const environment = { ROLE: 'all', FIXED_NOW: '', INGEST_PORT: ingestPort };
  const service = await startService(database, environment);
  const sender = startSender(service, ingestPort, token);
  try {
    // a minute each, so that there is a refresh in it; after the first one the values are new
    const aMinute = () => {
      const began = performance.now();
      return () => performance.now() - began > 65_000;
    };
    context.progress('B17 in quiet use');
    await readUntil(context, service, stations, aMinute());
    sender.oldest();
    const quiet = await readUntil(context, service, stations, aMinute());
    const oldestBefore = sender.oldest();
    context.progress(`B17 importing ${readings} readings`);
    const importing = runProgram([process.execPath, PROGRAM, 'import', 'readings', file], {
      environment: { ...addressVariables(database.target), DATABASE_URL: 'postgres://', TIME_ZONE },
    });
    const begun = performance.now();
    let isOver = false;
    const working = (async () => {
      const { code, stderr } = await importing.finished;
      if (code !== 0) throw new Error(stderr);
      await maintain(database.target, new Date());
    })().finally(() => {
      isOver = true;
    });
    const [busy] = await Promise.all([
      readUntil(context, service, stations, () => isOver),
      working,
    ]);
    const seconds = (performance.now() - begun) / 1_000;
    return {
      quiet,
      busy,
      readings,
      seconds,
      oldestBefore,
      oldest: sender.oldest(),
      ...sender.counts(),
    };
  } finally {
    await sender.end();
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

async function run(context: Context): Promise<Row[]> {
  const stations = context.quick ? 20 : 100;
  context.progress(`B17 setting up ${stations} stations`);
  const now = new Date();
  const since = Math.floor(now.getTime() / HOUR) * HOUR - 30 * DAY;
  const pace = { from: new Date(since), to: now, every: '1 hour' };
  const world = await makeWorld(context.targets, context.engine, { stations }, [pace]);
  try {
    const { quiet, busy, readings, seconds, oldestBefore, oldest, sent, failed } = await backfill(
      context,
      world,
      since,
    );
    const year = `${figure(readings)} readings in ${figure(seconds)} s`;
    const ratio = (of: 'p50' | 'p99') =>
      bootstrap(busy[of].map((value) => value / median(quiet[of])));
    const sides = (of: 'p50' | 'p99') =>
      `${figure(median(busy[of]))} : ${figure(median(quiet[of]))} ms`;
    const judged = { id: 'B17', unit: '', better: 'lower' } as const;
    return [
      {
        ...judged,
        title: 'p99 of reads while a year is backfilled ÷ before',
        value: ratio('p99'),
        goal: 3,
        detail: `${sides('p99')}; ${year}`,
      },
      {
        ...judged,
        title: 'p50 of reads while a year is backfilled ÷ before',
        value: ratio('p50'),
        detail: sides('p50'),
      },
      {
        ...judged,
        title: 'reads and pushes that failed meanwhile',
        value: bootstrap([failed]),
        must: 0,
        detail: `of ${figure(busy.reads)} reads at ${READS_A_SECOND} a second and ${sent} pushes`,
      },
      {
        ...judged,
        title: 'age of the newest value shown meanwhile, at most',
        value: bootstrap([oldest]),
        unit: 's',
        goal: 120,
        detail: `${figure(oldestBefore)} s before`,
      },
    ];
  } finally {
    await world.database.drop();
  }
}

export const backfilled: Measure = { ids: ['B17'], title: 'use while a year is backfilled', run };
