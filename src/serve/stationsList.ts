/** The list of providers, stations and regions: queried once for all locales, presented in each. */
import { sql } from 'kysely';
import { type Provider, provider } from '../contract/current.ts';
import type { Locale } from '../contract/endpoints.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { picker, type RegionRow, type SiteUrls, selectRegions, type Version } from './current.ts';
import { type ListRow, presenter, queryListRows, type Titles } from './localizedText.ts';

const pickProvider = picker(provider);

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
