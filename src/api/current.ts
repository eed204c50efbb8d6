/** Current values: of one station, of one region, and of all of them in the stations list. Each is a query and its presentation. */
import { sql } from 'kysely';
import type { z } from 'zod';
import { city, district, type Provider, provider, type Region, type Station, station } from '../contract/current.ts';
import { LOCALES, type Locale } from '../contract/endpoints.ts';
import type { ApiDb, ApiRow } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';

const pickStation = picker(station);
const pickCity = picker(city);
const pickDistrict = picker(district);
const pickProvider = picker(provider);

/** Columns whose type the catalog doesn't know. */
type StationWords = Pick<Station, 'status' | 'wind_direction'>;
type StationRow = Omit<ApiRow<'station_current'>, keyof StationWords> & StationWords & Version;
/** What depends on the locale. */
type Titled = 'title' | 'city' | 'district';
type UntitledRow = Omit<StationRow, Titled>;

/** The data version that the row was read at (see `documents.ts`). */
type Version = { data_version: number | null };

/** Stations at an instant, hidden or not: one of them, or all. */
function fromStations(db: ApiDb, args: { at: Date; locale: Locale; only_station?: number }) {
  return db
    .selectFrom(apiRows('station_current', args).as('station'))
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .select('freshness.data_version');
}

/** Undefined where there is no such station. */
export async function queryStation(db: ApiDb, at: Date, locale: Locale, id: number): Promise<StationRow | undefined> {
  const one = fromStations(db, { at, locale, only_station: id });
  return await one.selectAll('station').$narrowType<StationWords>().executeTakeFirst();
}

/** The response of `station/{id}.json`, and the element of `stations[]`. */
export function presentStation(
  row: UntitledRow,
  { title, city, district }: Pick<StationRow, Titled>,
  locale: Locale,
  site: SiteUrls,
): Station {
  return pickStation(row, { title, city, district, lux: null, url: site.station(locale, row.id) });
}

type RegionRow = ApiRow<'region_current'> & Version;

/** Cities and districts at an instant, with their WHO figures: one of them, or all. */
function selectRegions(db: ApiDb, args: { at: Date; locale: Locale; only_region?: string }) {
  return db
    .selectFrom(apiRows('region_current', args).as('region'))
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .selectAll('region')
    .select('freshness.data_version');
}

/** Undefined where there is no such region. */
export async function queryRegion(db: ApiDb, at: Date, locale: Locale, slug: string): Promise<RegionRow | undefined> {
  return await selectRegions(db, { at, locale, only_region: slug }).executeTakeFirst();
}

/** The response of `region/{slug}.json`, and the element of `regions[]`: city and district differ in their keys. */
export function presentRegion(row: RegionRow, locale: Locale, site: SiteUrls): Region {
  const { slug, city: cityTitle, city_slug } = row;
  if (row.kind === 'city' || city_slug === null || cityTitle === null) {
    return pickCity(row, { url: site.city(locale, slug), is_hidden: row.is_hidden ?? false });
  }
  return pickDistrict(row, { city: cityTitle, city_slug, url: site.district(locale, city_slug, slug) });
}

/** All providers, stations (hidden ones too: they may appear with time) and regions, each in the order of the response. Stations without titles. */
export type Network = { providers: ProviderRow[]; stations: UntitledRow[]; regions: RegionRow[] };

type ProviderRow = Provider & Version;

export async function queryProviders(db: ApiDb): Promise<ProviderRow[]> {
  return await db
    .selectFrom('api.provider')
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .selectAll('api.provider')
    .select('freshness.data_version')
    .orderBy(sql`id collate "C"`)
    .execute();
}

const UNTITLED = [...Object.keys(station.shape), 'is_listed', 'valid_until'].filter(
  (key) => !['title', 'city', 'district', 'lux', 'url'].includes(key),
);

export async function queryNetwork(db: ApiDb, at: Date): Promise<Network> {
  const [providers, stations, regions] = await Promise.all([
    queryProviders(db),
    fromStations(db, { at, locale: 'en' })
      .select(UNTITLED.map((key) => sql`${sql.id('station', key)}`.as(key)))
      .$castTo<UntitledRow>()
      .orderBy('id')
      .execute(),
    selectRegions(db, { at, locale: 'en' }).orderBy('kind').orderBy(sql`slug collate "C"`).execute(),
  ]);
  return { providers, stations, regions };
}

/** The titles in a locale, of stations by id and of regions by slug. */
export type Titles = { stations: ReadonlyMap<string, string>; regions: ReadonlyMap<string, string> };

/** The titles in every locale, and rows that tell the data version. One row each: the driver takes longer for rows than for JSON. */
export async function queryTitles(db: ApiDb): Promise<{ titles: Record<Locale, Titles>; rows: readonly Version[] }> {
  const grouped = ['locale', 'data_version'] as const;
  const titlesBy = (key: 'station_id' | 'region_slug') =>
    sql<Record<string, string>>`json_object_agg(${sql.ref(key)}, title)`.as('titles');
  const [stations, regions] = await Promise.all([
    db
      .selectFrom('api.station_title')
      .innerJoin('api.freshness', (join) => join.onTrue())
      .select([...grouped, titlesBy('station_id')])
      .groupBy(grouped)
      .execute(),
    db
      .selectFrom('api.region_title')
      .innerJoin('api.freshness', (join) => join.onTrue())
      .select([...grouped, titlesBy('region_slug')])
      .groupBy(grouped)
      .execute(),
  ]);
  const inLocale = (rows: typeof stations, locale: Locale) =>
    new Map(Object.entries(rows.find((row) => row.locale === locale)?.titles ?? {}));
  const titles = LOCALES.map((locale): [Locale, Titles] => [
    locale,
    { stations: inLocale(stations, locale), regions: inLocale(regions, locale) },
  ]);
  return { titles: Object.fromEntries(titles) as Record<Locale, Titles>, rows: [...stations, ...regions] };
}

/** What presents stations and regions of the network in a locale. */
export function presenter(titles: Titles, locale: Locale, site: SiteUrls) {
  const regionTitle = (slug: string | null) => (slug === null ? null : (titles.regions.get(slug) ?? slug));
  const words = (row: UntitledRow) => ({
    title: titles.stations.get(String(row.id)) ?? String(row.id),
    city: regionTitle(row.city_slug),
    district: regionTitle(row.district_slug),
  });
  return {
    words,
    station: (row: UntitledRow): Station => presentStation(row, words(row), locale, site),
    region(row: RegionRow): Region {
      const [title, city] = [regionTitle(row.slug) as string, regionTitle(row.city_slug)];
      return presentRegion({ ...row, title, city }, locale, site);
    },
  };
}

/** The providers that have one of these stations. */
function presentProviders({ providers }: Network, stations: readonly UntitledRow[]): Provider[] {
  const ids = new Set(stations.map((row) => row.provider));
  return providers.filter(({ id }) => ids.has(id)).map((row) => pickProvider(row, {}));
}

const STATIONS_PER_PIECE = 500;

/** The response of `stations.json`, as pieces of JSON text. */
export function* presentStationsList(
  network: Network,
  titles: Titles,
  locale: Locale,
  site: SiteUrls,
): Generator<string> {
  const present = presenter(titles, locale, site);
  const listed = network.stations.filter((row) => row.is_listed);
  yield `{"providers":${JSON.stringify(presentProviders(network, listed))},"stations":[`;
  for (let n = 0; n < listed.length; n += STATIONS_PER_PIECE) {
    const texts = listed.slice(n, n + STATIONS_PER_PIECE).map((row) => {
      const { title, city, district } = present.words(row);
      const words = [title, city, district, site.station(locale, row.id)].map((word) => JSON.stringify(word));
      return textAround(row).reduce((text, next, index) => text + words[index - 1] + next);
    });
    yield `${n === 0 ? '' : ','}${texts.join(',')}`;
  }
  yield `],"regions":${JSON.stringify(network.regions.map(present.region))}}`;
}

/** Stands for what depends on the locale: PostgreSQL stores no such character. */
const WORD = '\0';
const textsAround = new WeakMap<UntitledRow, string[]>();

/** A station as JSON text in which these words are to be put: its title, city, district and address. The same in every locale. */
function textAround(row: UntitledRow): string[] {
  const known = textsAround.get(row);
  if (known !== undefined) return known;
  const words = { title: WORD, city: WORD, district: WORD, lux: null, url: WORD };
  const texts = JSON.stringify(pickStation(row, words)).split(JSON.stringify(WORD));
  textsAround.set(row, texts);
  return texts;
}

/** Links to the pages of the operator's site (C7). */
export type SiteUrls = {
  city(locale: Locale, city: string): string;
  district(locale: Locale, city: string, district: string): string;
  station(locale: Locale, id: number): string;
};

/** Empty strings where there is no base URL. Slashes at its end don't matter. */
export function makeSiteUrls(baseUrl: string): SiteUrls {
  const base = baseUrl.replace(/\/+$/, '');
  const page = (locale: Locale, path: string) => (base === '' ? '' : `${base}/${locale}/air-quality/${path}`);
  return {
    city: (locale, city) => page(locale, city),
    district: (locale, city, district) => page(locale, `${city}/${district}`),
    station: (locale, id) => page(locale, `station/${id}`),
  };
}

/**
 * Returns what copies the values of a schema's keys, in the schema's order, without any others, and with these in place of some. Make it once: it
 * is called per row, and of ten thousand rows at once.
 */
function picker<Schema extends z.ZodObject>(schema: Schema) {
  type Picked = z.infer<Schema>;
  const keys = Object.keys(schema.shape);
  return <Given extends Partial<Picked>>(row: Omit<Picked, keyof Given>, given: Given): Picked => {
    const picked: Record<string, unknown> = {};
    for (const key of keys) picked[key] = row[key as keyof typeof row];
    return Object.assign(picked, given) as Picked;
  };
}
