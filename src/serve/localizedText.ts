/**
 * The four halves of a station's text in lists: the database writes it once for all locales, with a
 * placeholder for each text that depends on the locale; it is split there once; and the titles of a
 * locale go between the parts.
 */
import { sql } from 'kysely';
import { type Region, type Station, station } from '../contract/current.ts';
import { LOCALES, type Locale } from '../contract/endpoints.ts';
import { type ApiDb, apiRows } from '../database/apiDb.ts';
import {
  presentRegion,
  type RegionRow,
  type SiteUrls,
  type StationRow,
  type Version,
} from './current.ts';

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

/**
 * A station for lists: its keys for selection, and its JSON text with WORD in place of each
 * translated text.
 */
export type ListRow = Pick<StationRow, (typeof CHOSEN_BY)[number]> & Version & { json: string };
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

export async function queryListRows(db: ApiDb, at: Date): Promise<ListRow[]> {
  const query = sql<ListRow>`
    select ${sql.join(CHOSEN_BY.map((key) => sql.id('station', key)))}, data_version, row_to_json(listed)::text as json
    from ${apiRows('station_current', { at, locale: 'en' })} station
    cross join (select data_version from api.freshness) freshness
    cross join lateral (select ${sql.join(LIST_COLUMNS)}) listed
    order by station.id`;
  return (await query.execute(db)).rows;
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
