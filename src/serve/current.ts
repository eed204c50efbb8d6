/**
 * Current values: of one station, of one region, and of all of them in the stations list. Each is a
 * query and its presentation.
 */
import { sql } from 'kysely';
import type { z } from 'zod';
import {
  city,
  district,
  type Provider,
  provider,
  type Region,
  type Station,
  station,
} from '../contract/current.ts';
import { LOCALES, type Locale } from '../contract/endpoints.ts';
import { type ApiDb, type ApiRow, apiRows } from '../database/apiDb.ts';

const pickStation = picker(station);
const pickCity = picker(city);
const pickDistrict = picker(district);
const pickProvider = picker(provider);

/** Columns whose type the catalog doesn't know. */
type StationWords = Pick<Station, 'status' | 'wind_direction'>;
type StationRow = Omit<ApiRow<'station_current'>, keyof StationWords> & StationWords & Version;
/** The data version that the row was read at (see `documents.ts`). */
type Version = { data_version: number | null };

/** Undefined where there is no such station. */
export async function queryStation(
  db: ApiDb,
  at: Date,
  locale: Locale,
  id: number,
): Promise<StationRow | undefined> {
  return await db
    .selectFrom(apiRows('station_current', { at, locale, only_station: id }).as('station'))
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .selectAll('station')
    .select('freshness.data_version')
    .$narrowType<StationWords>()
    .executeTakeFirst();
}

/** The response of `station/{id}.json`. */
export function presentStation(row: StationRow, locale: Locale, site: SiteUrls): Station {
  return pickStation(row, { lux: null, url: site.station(locale, row.id) });
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
export async function queryRegion(
  db: ApiDb,
  at: Date,
  locale: Locale,
  slug: string,
): Promise<RegionRow | undefined> {
  return await selectRegions(db, { at, locale, only_region: slug }).executeTakeFirst();
}

/**
 * The response of `region/{slug}.json`, and the element of `regions[]`: city and district differ in
 * their keys.
 */
export function presentRegion(row: RegionRow, locale: Locale, site: SiteUrls): Region {
  const { slug, city: cityTitle, city_slug } = row;
  if (row.kind === 'city' || city_slug === null || cityTitle === null) {
    return pickCity(row, { url: site.city(locale, slug), is_hidden: row.is_hidden ?? false });
  }
  return pickDistrict(row, {
    city: cityTitle,
    city_slug,
    url: site.district(locale, city_slug, slug),
  });
}

/**
 * A station for lists: its keys for selection, and its JSON text with WORD in place of each
 * translated text.
 */
type ListRow = Pick<StationRow, (typeof CHOSEN_BY)[number]> & Version & { json: string };
const CHOSEN_BY = [
  'id',
  'provider',
  'is_listed',
  'is_bad_pm',
  'has_measured',
  'city_slug',
  'district_slug',
  'measurement_time',
  'valid_until',
] as const;

/**
 * All providers, stations (hidden ones too: they may appear with time) and regions, each in the
 * order of the response.
 */
export type Network = { providers: ProviderRow[]; stations: ListRow[]; regions: RegionRow[] };

type ProviderRow = Provider & Version;

export async function queryProviders(db: ApiDb, locale: Locale): Promise<ProviderRow[]> {
  return await db
    .selectFrom('api.provider')
    .innerJoin('api.provider_title as name', 'name.provider_id', 'api.provider.id')
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .select(['id', 'name.title', 'url', 'image', 'image_dark', 'freshness.data_version'])
    .where('name.locale', '=', locale)
    .orderBy(sql`id collate "C"`)
    .execute();
}

/**
 * Placeholder for a text that depends on the locale. Of a station, only its titles can contain this
 * character.
 */
const WORD = '\u0001';
const WORDS: ReadonlySet<string> = new Set([
  'title',
  'city',
  'district',
  'url',
] satisfies (keyof Station)[]);

/**
 * A station as JSON text, written by the database: many times faster than single values through the
 * driver, and the same in every locale.
 */
const LIST_COLUMNS = Object.keys(station.shape).map((key) => {
  if (WORDS.has(key)) return sql`${sql.lit(WORD)}::text as ${sql.id(key)}`;
  if (key === 'lux') return sql`null::int as lux`;
  if (key === 'measurement_time')
    return sql`date_trunc('second', station.measurement_time) as measurement_time`;
  return sql.id('station', key);
});

async function queryListRows(db: ApiDb, at: Date): Promise<ListRow[]> {
  const query = sql<ListRow>`
    select ${sql.join(CHOSEN_BY.map((key) => sql.id('station', key)))}, data_version, row_to_json(listed)::text as json
    from ${apiRows('station_current', { at, locale: 'en' })} station
    cross join (select data_version from api.freshness) freshness
    cross join lateral (select ${sql.join(LIST_COLUMNS)}) listed
    order by station.id`;
  return (await query.execute(db)).rows;
}

export async function queryNetwork(db: ApiDb, at: Date): Promise<Network> {
  const [providers, stations, regions] = await Promise.all([
    queryProviders(db, 'en'),
    queryListRows(db, at),
    selectRegions(db, { at, locale: 'en' })
      .orderBy('kind')
      .orderBy(sql`slug collate "C"`)
      .execute(),
  ]);
  return { providers, stations, regions };
}

/** The titles in a locale, of providers and stations by id and of regions by slug. */
export type Titles = {
  providers: ReadonlyMap<string, string>;
  stations: ReadonlyMap<string, string>;
  regions: ReadonlyMap<string, string>;
};

/**
 * The titles in every locale, and rows that tell the data version. One row each: the driver takes
 * longer for rows than for JSON.
 */
export async function queryTitles(
  db: ApiDb,
): Promise<{ titles: Record<Locale, Titles>; rows: readonly Version[] }> {
  const titlesBy = async (
    key: 'provider_id' | 'station_id' | 'region_slug',
    view: 'provider_title' | 'station_title' | 'region_title',
  ) => {
    const query = sql<{ locale: string; titles: Record<string, string> } & Version>`
      select locale, data_version, json_object_agg(${sql.ref(key)}, title) as titles
      from ${sql.id('api', view)} cross join api.freshness
      group by locale, data_version`;
    return (await query.execute(db)).rows;
  };
  const [providers, stations, regions] = await Promise.all([
    titlesBy('provider_id', 'provider_title'),
    titlesBy('station_id', 'station_title'),
    titlesBy('region_slug', 'region_title'),
  ]);
  const inLocale = (rows: typeof stations, locale: Locale) =>
    new Map(Object.entries(rows.find((row) => row.locale === locale)?.titles ?? {}));
  const titles = LOCALES.map((locale): [Locale, Titles] => [
    locale,
    {
      providers: inLocale(providers, locale),
      stations: inLocale(stations, locale),
      regions: inLocale(regions, locale),
    },
  ]);
  return {
    titles: Object.fromEntries(titles) as Record<Locale, Titles>,
    rows: [...providers, ...stations, ...regions],
  };
}

/** Presents stations, as JSON text or parsed, and regions of the network in a locale. */
export function presenter(titles: Titles, locale: Locale, site: SiteUrls) {
  const regionTitle = (slug: string | null) =>
    slug === null ? null : (titles.regions.get(slug) ?? slug);
  const stationJson = (row: ListRow): string => {
    const title = titles.stations.get(String(row.id)) ?? String(row.id);
    const words = [
      title,
      regionTitle(row.city_slug),
      regionTitle(row.district_slug),
      site.station(locale, row.id),
    ];
    return partsOf(row).reduce(
      (text, next, index) => text + JSON.stringify(words[index - 1]) + next,
    );
  };
  return {
    stationJson,
    station: (row: ListRow): Station => JSON.parse(stationJson(row)) as Station,
    region(row: RegionRow): Region {
      const title = regionTitle(row.slug) as string;
      const city = regionTitle(row.city_slug);
      return presentRegion({ ...row, title, city }, locale, site);
    },
  };
}

const WORD_JSON = JSON.stringify(WORD);
const split = new WeakMap<ListRow, string[]>();

/** The text around the words, in their order. It is the same in every locale. */
function partsOf(row: ListRow): string[] {
  const known = split.get(row);
  if (known !== undefined) return known;
  const parts = row.json.split(WORD_JSON);
  split.set(row, parts);
  return parts;
}

/** The providers that have one of these stations. */
function presentProviders(
  { providers }: Network,
  titles: Titles,
  stations: readonly ListRow[],
): Provider[] {
  const ids = new Set(stations.map((row) => row.provider));
  return providers
    .filter(({ id }) => ids.has(id))
    .map((row) => pickProvider({ ...row, title: titles.providers.get(row.id) ?? row.title }, {}));
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
  yield `{"providers":${JSON.stringify(presentProviders(network, titles, listed))},"stations":[`;
  for (let n = 0; n < listed.length; n += STATIONS_PER_PIECE) {
    const texts = listed.slice(n, n + STATIONS_PER_PIECE).map(present.stationJson);
    yield `${n === 0 ? '' : ','}${texts.join(',')}`;
  }
  yield `],"regions":${JSON.stringify(network.regions.map(present.region))}}`;
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
  const page = (locale: Locale, path: string) =>
    base === '' ? '' : `${base}/${locale}/air-quality/${path}`;
  return {
    city: (locale, city) => page(locale, city),
    district: (locale, city, district) => page(locale, `${city}/${district}`),
    station: (locale, id) => page(locale, `station/${id}`),
  };
}

/**
 * Returns a function that copies exactly the keys of a schema, in its order, with some values
 * replaced. Create it once: it runs for every row, and lists have ten thousand.
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
