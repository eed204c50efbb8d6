/**
 * S1 to S7 and S10: what a country costs: its network file, the first build, the list of stations
 * and other documents, the digest below, metrics, memory and screening. Documents are rendered for
 * their requests, or after the data changed.
 */
import { makeDigest, refreshAndDigest } from '../../../../src/aggregate/digest.ts';
import { makeLog } from '../../../../src/base/log.ts';
import { LOCALES } from '../../../../src/contract/endpoints.ts';
import { importNetwork } from '../../../../src/network/importNetwork.ts';
import { screen } from '../../../../src/network/screening.ts';
import { get, getText } from '../load/get.ts';
import { memoryOf } from '../load/system.ts';
import { STATIONS_OF_A_CITY } from '../run/country.ts';
import { type Context, figure, figureRow, type Measure, type Row } from '../run/measure.ts';
import { citySlug } from '../run/network.ts';
import { BASE, type Service, UNKEPT, withService } from '../run/service.ts';
import { percentile, seconds } from '../run/statistics.ts';
import { NOW } from '../run/world.ts';

type Bounds = { must: number; goal?: number };

/** Bounds by number of stations: networks of other sizes are reported only. */
export function countryRow(
  stations: number,
  values: readonly number[],
  { bounds, ...row }: Parameters<typeof figureRow>[1] & { bounds?: Record<number, Bounds> },
): Row {
  return figureRow(values, { ...row, ...bounds?.[stations] });
}

/** As the command does it, with the refresh and the digest after it. */
async function importing(context: Context): Promise<Row[]> {
  const { database, stations, regions, networkFile, networkImport } = await context.country();
  const again = await seconds(async () => {
    await importNetwork(database.as(), networkFile, { log: makeLog('silent') });
    await refreshAndDigest(database.target, () => NOW);
  });
  const detail = `${(networkFile.length / 1e6).toFixed(1)} MB, ${regions} regions`;
  const row = { id: 'S1', unit: 's', detail };
  const [fresh, same] = [{ 10000: { must: 3 } }, { 10000: { must: 3, goal: 1 } }];
  const title = 'network file, again without a change';
  return [
    countryRow(stations, [networkImport], { ...row, title: 'network file, new', bounds: fresh }),
    countryRow(stations, [again], { ...row, title, bounds: same }),
  ];
}

async function building(context: Context): Promise<Row[]> {
  const { stations, firstBuild } = await context.country();
  const { readings, seconds: took } = firstBuild;
  const detail = `${figure(readings / 1e6)} M readings, ${figure(readings / took)} a second`;
  const bounds = { 10000: { must: 120, goal: 60 } };
  return [
    countryRow(stations, [took], { id: 'S2', title: 'first build', unit: 's', bounds, detail }),
  ];
}

const listOf = (locale: string) => `/${locale}/air-quality-app/v1/stations.json`;
/** So that the digests that are made meanwhile are shown. */
const LATER = { FIXED_NOW: new Date(NOW.getTime() + 20 * 60_000).toISOString() };

/** Seconds from a change of the data until the list shows it in all locales, one after the other. */
async function shown({ port }: Service, change: () => Promise<unknown>): Promise<number> {
  const before = await Promise.all(LOCALES.map((locale) => getText(port, listOf(locale))));
  await change();
  return await seconds(async () => {
    for (const [n, locale] of LOCALES.entries()) {
      while ((await getText(port, listOf(locale))) === before[n])
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
}

/** Each round begins with a digest, as the data change; so it is measured along the way. */
async function lists(context: Context): Promise<Row[]> {
  const { database, stations, regions } = await context.country();
  const [digests, first, all]: [number[], number[], number[]] = [[], [], []];
  const rounds = context.quick ? 5 : 15;
  let [size, later] = [0, 0];
  const digest = () => makeDigest(database.target, new Date(NOW.getTime() + ++later * 1_000));
  await withService(database, UNKEPT, async ({ port }) => {
    for (let round = -2; round < rounds; round++) {
      const digested = await seconds(digest);
      const took = await seconds(async () => {
        size = Buffer.byteLength(await getText(port, listOf('en')));
      });
      if (round < 0) continue;
      digests.push(digested);
      first.push(took * 1_000);
    }
  });
  await withService(database, LATER, async (service) => {
    for (let round = -2; round < rounds; round++) {
      const took = await shown(service, digest);
      if (round >= 0) all.push(took * 1_000);
    }
  });
  const row = { id: 'S3', unit: 'ms', detail: `${(size / 1e6).toFixed(1)} MB` };
  return [
    countryRow(stations, first, {
      ...row,
      title: 'stations.json, not kept, first locale',
      bounds: { 10000: { must: 400, goal: 150 }, 50000: { must: 1_500 } },
    }),
    countryRow(stations, all, {
      ...row,
      title: 'stations.json, from a change until all three locales show it',
      bounds: { 10000: { must: 600, goal: 250 } },
    }),
    countryRow(stations, digests, {
      id: 'S4',
      title: 'digest of all regions',
      unit: 's',
      bounds: { 10000: { must: 0.3, goal: 0.1 } },
      detail: `${regions} regions`,
    }),
  ];
}

const WARMING = 10; // JavaScript is compiled after some calls

/** Another station or city each time, from one end of the country to the other. */
async function single(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const times = context.quick ? 20 : 60;
  const station = (turn: number) => 1 + Math.floor((turn * (stations - 1)) / (times + WARMING));
  const city = (turn: number) => citySlug(Math.ceil(station(turn) / STATIONS_OF_A_CITY));
  const documents = {
    station: (turn: number) => `station/${station(turn)}.json`,
    'station history': (turn: number) => `station/${station(turn)}-history.json`,
    region: (turn: number) => `region/${city(turn)}.json`,
    'region history': (turn: number) => `region/${city(turn)}-history.json`,
  };
  return await withService(database, UNKEPT, async ({ port }) => {
    const rows: Row[] = [];
    for (const [title, path] of Object.entries(documents)) {
      const took: number[] = [];
      for (let turn = 0; turn < times + WARMING; turn++) {
        const ms = 1_000 * (await seconds(() => getText(port, `${BASE}/${path(turn)}`)));
        if (turn >= WARMING) took.push(ms);
      }
      const detail = `p95 ${figure(percentile(took, 95))} ms`;
      const row = { id: 'S5', title: `${title}, not kept`, unit: 'ms', detail };
      rows.push(countryRow(stations, took, row));
    }
    return rows;
  });
}

/** A first scrape, when everything is collected. Rejects where a collector failed. */
async function metrics(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const took: number[] = [];
  for (let round = 0; round < (context.quick ? 1 : 3); round++) {
    await withService(database, {}, async ({ adminPort }) => {
      let text = '';
      const scrape = async () => {
        text = await getText(adminPort, '/metrics');
      };
      took.push(await seconds(scrape));
      const failed = /^airseries_database_collector_success\{collector="(\w+)"\} 0$/m.exec(text);
      if (failed !== null) throw new Error(`not collected: ${failed[1]}`);
    });
  }
  const title = '/metrics, everything collected';
  const bounds = { 10000: { must: 0.2, goal: 0.1 } };
  return [countryRow(stations, took, { id: 'S6', unit: 's', title, bounds })];
}

async function memory(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  return await withService(database, {}, async ({ port, pid }) => {
    for (const locale of [...LOCALES, ...LOCALES, ...LOCALES]) {
      await getText(port, listOf(locale));
      await get(port, listOf(locale), { 'Accept-Encoding': 'gzip' });
    }
    const detail = 'resident, after the list in three locales, plain and compressed, three times';
    const row = { id: 'S7', title: 'memory of the service', unit: 'MiB', detail };
    return [countryRow(stations, [memoryOf(pid, 'VmRSS')], row)];
  });
}

/** Of the hours of the last eight days (C5, C9), as a job does every ten minutes. */
async function screening(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const took: number[] = [];
  for (const _ of [1, 2, 3]) took.push(await seconds(() => screen(database.target, NOW)));
  const row = { id: 'S10', title: 'screening of eight days', unit: 's' };
  return [countryRow(stations, took, { ...row, bounds: { 10000: { must: 30 } } })];
}

export const country: readonly Measure[] = [
  { ids: ['S1'], title: 'the network file', run: importing },
  { ids: ['S2'], title: 'the first build', run: building },
  { ids: ['S3', 'S4'], title: 'the list of stations and the digest', run: lists },
  { ids: ['S5'], title: 'documents of one station or region', run: single },
  { ids: ['S6'], title: 'metrics', run: metrics },
  { ids: ['S7'], title: 'memory', run: memory },
  { ids: ['S10'], title: 'screening', run: screening },
];
