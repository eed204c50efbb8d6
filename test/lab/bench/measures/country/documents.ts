/**
 * S3 to S5: the list of stations and the documents of one, rendered for their requests or after the
 * data changed, and the digest below.
 */
import { makeDigest } from '../../../../../src/aggregate/digest.ts';
import { fetchRaw } from '../../load/bare.ts';
import { cityOf, citySlug } from '../../run/countryNetwork.ts';
import { type Context, figure, type Measure, type Row } from '../../run/measure.ts';
import { type Service, startService } from '../../run/service.ts';
import { percentile } from '../../run/statistics.ts';
import { NOW } from '../../run/world.ts';
import { countryRow } from './row.ts';

const API = 'air-quality-app/v1';
const WARMING = 10; // JavaScript is compiled after some calls

/** Milliseconds of a request, and the bytes of its body. Rejects unless it is answered with 200. */
export async function timed(
  { port }: Service,
  path: string,
): Promise<{ ms: number; bytes: number }> {
  const begun = performance.now();
  const { status, body } = await fetchRaw(port, path);
  const ms = performance.now() - begun;
  if (status !== 200) throw new Error(`${path}: ${status} after ${ms.toFixed(0)} ms`);
  return { ms, bytes: body.length };
}

async function withService<T>(
  context: Context,
  environment: Record<string, string>,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const { database } = await context.country();
  const service = await startService(database, environment);
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

const UNKEPT = { RESPONSE_CACHE_MB: '0' };
/** So that the digests that are made meanwhile are shown. */
const LATER = { FIXED_NOW: new Date(NOW.getTime() + 20 * 60_000).toISOString() };

/**
 * Milliseconds from a change of the data until the list shows it in these locales, asked for one
 * after the other.
 */
async function shown(
  service: Service,
  locales: readonly string[],
  change: () => Promise<unknown>,
): Promise<number> {
  const read = async (locale: string) =>
    (await fetchRaw(service.port, `/${locale}/${API}/stations.json`)).body;
  const before = await Promise.all(locales.map(read));
  await change();
  const begun = performance.now();
  for (const [n, locale] of locales.entries()) {
    while ((await read(locale)).equals(before[n] as Buffer))
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - begun;
}

/** Each round begins with a digest, as the data change; so it is measured along the way. */
async function lists(context: Context): Promise<Row[]> {
  const { database, stations, regions } = await context.country();
  const took: Record<'digest' | 'first' | 'one' | 'three', number[]> = {
    digest: [],
    first: [],
    one: [],
    three: [],
  };
  const rounds = context.quick ? 5 : 15;
  let size = 0;
  let seconds = 0;
  const digest = () => makeDigest(database.target, new Date(NOW.getTime() + ++seconds * 1_000));
  await withService(context, UNKEPT, async (service) => {
    for (let round = -2; round < rounds; round++) {
      const begun = performance.now();
      await digest();
      const digested = performance.now() - begun;
      const { ms, bytes } = await timed(service, `/en/${API}/stations.json`);
      if (round < 0) continue;
      took.digest.push(digested / 1_000);
      took.first.push(ms);
      size = bytes;
    }
  });
  for (const [name, locales] of [
    ['one', ['en']],
    ['three', ['en', 'ru', 'hy']],
  ] as const) {
    // a service of its own, since recently requested documents are rendered again
    await withService(context, LATER, async (service) => {
      for (let round = -2; round < rounds; round++) {
        const ms = await shown(service, locales, digest);
        if (round >= 0) took[name].push(ms);
      }
    });
  }
  const detail = `${(size / 1e6).toFixed(1)} MB`;
  const row = { id: 'S3', unit: 'ms', detail } as const;
  return [
    countryRow(stations, {
      ...row,
      title: 'stations.json, not kept, first locale',
      values: took.first,
      bounds: { 10000: { must: 400, goal: 150 }, 50000: { must: 1_500 } },
    }),
    countryRow(stations, {
      ...row,
      title: 'stations.json, from a change until one locale shows it',
      values: took.one,
      bounds: {},
    }),
    countryRow(stations, {
      ...row,
      title: 'stations.json, the same for all three locales',
      values: took.three,
      bounds: { 10000: { must: 600, goal: 250 } },
    }),
    countryRow(stations, {
      id: 'S4',
      title: 'digest of all regions',
      unit: 's',
      values: took.digest,
      bounds: { 10000: { must: 0.3, goal: 0.1 } },
      detail: `${regions} regions`,
    }),
  ];
}

/** Another station or city each time, from one end of the country to the other. */
async function single(context: Context): Promise<Row[]> {
  const { stations } = await context.country();
  const times = context.quick ? 20 : 60;
  const station = (turn: number) => 1 + Math.floor((turn * (stations - 1)) / (times + WARMING));
  const city = (turn: number) => citySlug(cityOf(station(turn)));
  const documents = {
    station: (turn: number) => `station/${station(turn)}.json`,
    'station history': (turn: number) => `station/${station(turn)}-history.json`,
    region: (turn: number) => `region/${city(turn)}.json`,
    'region history': (turn: number) => `region/${city(turn)}-history.json`,
  };
  return await withService(context, UNKEPT, async (service) => {
    const rows: Row[] = [];
    for (const [title, path] of Object.entries(documents)) {
      const took: number[] = [];
      for (let turn = 0; turn < times + WARMING; turn++) {
        const { ms } = await timed(service, `/en/${API}/${path(turn)}`);
        if (turn >= WARMING) took.push(ms);
      }
      const detail = `p95 ${figure(percentile(took, 95))} ms`;
      rows.push(
        countryRow(stations, {
          id: 'S5',
          title: `${title}, not kept`,
          unit: 'ms',
          values: took,
          detail,
        }),
      );
    }
    return rows;
  });
}

export const documents: readonly Measure[] = [
  { ids: ['S3', 'S4'], title: 'the list of stations and the digest', run: lists },
  { ids: ['S5'], title: 'documents of one station or region', run: single },
];
