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
import { BASE, type Service, startService, UNKEPT } from '../run/service.ts';
import { seconds } from '../run/statistics.ts';
import { NOW } from '../run/world.ts';

type Bounds = { must: number; goal?: number };

/** By title and number of stations: networks of other sizes are reported only. */
const BOUNDS: Record<string, Record<number, Bounds>> = {
  'network file, new': { 10000: { must: 3 } },
  'network file, again without a change': { 10000: { must: 3, goal: 1 } },
  'first build': { 10000: { must: 120, goal: 60 } },
  'stations.json, not kept, first locale': {
    10000: { must: 400, goal: 150 },
    50000: { must: 1_500 },
  },
  'stations.json, from a change until all locales show it': { 10000: { must: 600, goal: 250 } },
  'digest of all regions': { 10000: { must: 0.3, goal: 0.1 } },
  '/metrics, everything collected': { 10000: { must: 0.2, goal: 0.1 } },
  'screening of eight days': { 10000: { must: 30 } },
  'a minute of 2 readings a station': { 10000: { must: 3.5, goal: 2 }, 50000: { must: 30 } },
  // it shows with the next refresh, which begins every minute
  'a late reading of yesterday': { 10000: { must: 60, goal: 2 } },
  'a late reading of last month': { 10000: { must: 60, goal: 2 } },
  'late readings of 1 % over 24 hours': { 10000: { must: 3, goal: 1 }, 50000: { must: 120 } },
};

export function countryRow(
  stations: number,
  values: readonly number[],
  row: Parameters<typeof figureRow>[1],
): Row {
  return figureRow(values, { ...row, ...BOUNDS[row.title]?.[stations] });
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
  return [
    countryRow(stations, [networkImport], { ...row, title: 'network file, new' }),
    countryRow(stations, [again], { ...row, title: 'network file, again without a change' }),
  ];
}

async function building(context: Context): Promise<Row[]> {
  const { stations, firstBuild } = await context.country();
  const { readings, seconds: took } = firstBuild;
  const detail = `${figure(readings / 1e6)} M readings, ${figure(readings / took)} a second`;
  return [countryRow(stations, [took], { id: 'S2', title: 'first build', unit: 's', detail })];
}

const listOf = (locale: string) => `/${locale}/air-quality-app/v1/stations.json`;
/** So that the digests that are made meanwhile are shown. */
const LATER = { FIXED_NOW: new Date(NOW.getTime() + 20 * 60_000).toISOString() };

/** Seconds from a change of the data until the list shows it in all locales, one by one. */
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
  let later = 0;
  const digest = () => makeDigest(database.target, new Date(NOW.getTime() + ++later * 1_000));
  const unkept = await startService(context, database, UNKEPT);
  const read = () => getText(unkept.port, listOf('en'));
  for (let round = -2; round < rounds; round++) {
    const digested = await seconds(digest);
    const took = await seconds(read);
    if (round < 0) continue;
    digests.push(digested);
    first.push(took * 1_000);
  }
  const detail = `${(Buffer.byteLength(await read()) / 1e6).toFixed(1)} MB`;
  await unkept.close();
  const service = await startService(context, database, LATER);
  for (let round = -2; round < rounds; round++) {
    const took = await shown(service, digest);
    if (round >= 0) all.push(took * 1_000);
  }
  const row = { id: 'S3', unit: 'ms', detail };
  const title = 'stations.json, from a change until all locales show it';
  const below = { id: 'S4', title: 'digest of all regions', detail: `${regions} regions` };
  return [
    countryRow(stations, first, { ...row, title: 'stations.json, not kept, first locale' }),
    countryRow(stations, all, { ...row, title }),
    countryRow(stations, digests, { ...below, unit: 's' }),
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
  const { port } = await startService(context, database, UNKEPT);
  const rows: Row[] = [];
  for (const [title, path] of Object.entries(documents)) {
    const took: number[] = [];
    for (let turn = 0; turn < times + WARMING; turn++) {
      const ms = 1_000 * (await seconds(() => getText(port, `${BASE}/${path(turn)}`)));
      if (turn >= WARMING) took.push(ms);
    }
    rows.push(countryRow(stations, took, { id: 'S5', title: `${title}, not kept`, unit: 'ms' }));
  }
  return rows;
}

/** A first scrape, when everything is collected. Rejects where a collector failed. */
async function metrics(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const took: number[] = [];
  for (let round = 0; round < (context.quick ? 1 : 3); round++) {
    const { adminPort, close } = await startService(context, database);
    let text = '';
    const scrape = async () => {
      text = await getText(adminPort, '/metrics');
    };
    took.push(await seconds(scrape));
    const failed = /^airseries_database_collector_success\{collector="(\w+)"\} 0$/m.exec(text);
    if (failed !== null) throw new Error(`not collected: ${failed[1]}`);
    await close();
  }
  const title = '/metrics, everything collected';
  return [countryRow(stations, took, { id: 'S6', unit: 's', title })];
}

async function memory(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const { port, pid } = await startService(context, database);
  for (const locale of [...LOCALES, ...LOCALES, ...LOCALES]) {
    await getText(port, listOf(locale));
    await get(port, listOf(locale), { 'Accept-Encoding': 'gzip' });
  }
  const detail = 'resident, after the list in three locales, plain and compressed, three times';
  const row = { id: 'S7', title: 'memory of the service', unit: 'MiB', detail };
  return [countryRow(stations, [memoryOf(pid, 'VmRSS')], row)];
}

/** Of the hours of the last eight days (C5, C9), as a job does every ten minutes. */
async function screening(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const took: number[] = [];
  for (const _ of [1, 2, 3]) took.push(await seconds(() => screen(database.target, NOW)));
  const row = { id: 'S10', title: 'screening of eight days', unit: 's' };
  return [countryRow(stations, took, row)];
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
