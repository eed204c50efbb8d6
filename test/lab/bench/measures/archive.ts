/**
 * B18: what the archive costs: its first build, a night that finds nothing new, and one with a late
 * reading, as the command makes it; and all hours of one station over HTTP, from the archive and as
 * CSV.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet';
import { makeLog } from '../../../../src/base/log.ts';
import { openReaderPool, openWholeNetworkPool } from '../../../../src/database/pools.ts';
import { makeApp } from '../../../../src/serve/app.ts';
import { addressVariables, runAirseries } from '../../../support/program.ts';
import { seconds } from '../run/country.ts';
import { type Context, figure, type Measure, type Row } from '../run/measure.ts';
import { bootstrap } from '../run/statistics.ts';
import { daysAgo, NOW, TIME_ZONE, type World } from '../run/world.ts';

const DAY = 86_400_000;
const ROUNDS = 5;

async function run(context: Context): Promise<Row[]> {
  const world = await context.town();
  const { target } = world.database;
  const folder = mkdtempSync(join(tmpdir(), 'airseries-bench-archive-'));
  const archive = (now: Date) =>
    seconds(async () => {
      const environment = {
        ...addressVariables(target),
        DATABASE_URL: 'postgres://',
        FIXED_NOW: now.toISOString(),
      };
      const { code, stderr } = await runAirseries(['archive', folder], environment).finished;
      if (code !== 0) throw new Error(stderr);
    });
  try {
    const first = await archive(NOW);
    const nothing: number[] = [];
    const late: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      nothing.push(await archive(new Date(NOW.getTime() + round * 60_000)));
      await world.database.superuser()`
        update raw.readings set pm25 = pm25 + 1
        where sensor_id = 1 and measured_at = ${new Date(daysAgo(40).getTime() - round * DAY)}`;
      late.push(await archive(new Date(NOW.getTime() + round * 60_000 + 1_000)));
    }
    const row = { id: 'B18', unit: '', better: 'lower' } as const;
    const detail = (of: readonly number[]) =>
      `${figure(bootstrap(of).median)} : ${figure(first)} s, of which the command's start and refresh are a part`;
    return [
      {
        ...row,
        title: 'the archive, first build',
        value: bootstrap([first]),
        unit: 's',
        detail: `${world.stations} stations`,
      },
      {
        ...row,
        title: 'a night without changes : first build',
        value: bootstrap(nothing.map((n) => n / first)),
        detail: detail(nothing),
      },
      {
        ...row,
        title: 'a night with a late reading : first build',
        value: bootstrap(late.map((n) => n / first)),
        detail: detail(late),
      },
      await overHttp(world, folder),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All hours of one station: every file of the archive by ranges, and CSV, 400 days a request. */
async function overHttp({ database: { target } }: World, folder: string): Promise<Row> {
  const db = openReaderPool(target, { timeZone: TIME_ZONE });
  const wholeNetwork = openWholeNetworkPool(target, { timeZone: TIME_ZONE });
  const app = makeApp({
    db,
    wholeNetwork,
    clock: () => NOW,
    siteBaseUrl: '',
    log: makeLog('error'),
  });
  let requests = 0;
  const files = express().use((_req, _res, next) => {
    requests += 1;
    next();
  });
  const server = files.use(express.static(folder)).use(app).listen(0);
  const base = `http://localhost:${(server.address() as AddressInfo).port}`;
  const months = readdirSync(join(folder, 'hours'));
  const fromArchive = async () => {
    let rows = 0;
    for (const name of months) {
      const file = await asyncBufferFromUrl({ url: `${base}/hours/${name}` });
      rows += (await parquetReadObjects({ file, filter: { station_id: { $eq: 1 } } })).length;
    }
    return rows;
  };
  const asCsv = async () => {
    const [first = '', last = ''] = [months[0], months.at(-1)].map((name) => name?.slice(0, 7));
    let from = Date.parse(`${first}-01`);
    const end = Date.UTC(Number(last.slice(0, 4)), Number(last.slice(5)), 0);
    let rows = 0;
    for (; from <= end; from += 400 * DAY) {
      const period = [from, Math.min(from + 399 * DAY, end)].map((at) =>
        new Date(at).toISOString().slice(0, 10),
      );
      const response = await fetch(`${base}/en/explore/v1/station/1/hours/${period.join('/')}.csv`);
      rows += (await response.text()).trimEnd().split('\n').length - 1;
    }
    return rows;
  };
  try {
    const ratios: number[] = [];
    let detail = '';
    for (let round = 0; round < ROUNDS; round++) {
      const rows = [0, 0];
      requests = 0;
      const ours = await seconds(async () => (rows[0] = await fromArchive()));
      const ranges = requests;
      const csv = await seconds(async () => (rows[1] = await asCsv()));
      if (rows[0] !== rows[1]) throw new Error(`${rows[0]} rows in the archive, ${rows[1]} as CSV`);
      ratios.push(ours / csv);
      detail = `${figure(ours)} : ${figure(csv)} s, ${rows[0]} hours; ${ranges} requests to ${months.length} files, ${requests - ranges} for CSV`;
    }
    const title = 'all hours of one station over HTTP, archive : CSV';
    return { id: 'B18', title, value: bootstrap(ratios), unit: '', detail, better: 'lower' };
  } finally {
    server.closeAllConnections();
    server.close();
    await Promise.all([db.destroy(), wholeNetwork.destroy()]);
  }
}

export const archive: Measure = { ids: ['B18'], title: 'the archive', run };
