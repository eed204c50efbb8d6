/** The European index of all places in the last closed hour, and what else lists say of them. */
import { sql } from 'kysely';
import type { Locale } from '../contract/endpoints.ts';
import type { Band, Pollutant } from '../contract/explore/now.ts';
import type { ExploreAnswer } from '../contract/explore.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { renderDocument } from './document.ts';
import { type Entry, earlier, type Row, type Validity, validityOf } from './entry.ts';
import type { Network } from './stationsList.ts';

/**
 * The band of each place, the first pollutant that is in it with its mean in whole µg/m³, and the
 * mean of PM2.5.
 */
type Grades = Readonly<Record<string, readonly [Band, Pollutant, number, number | null]>>;

/** The grades of stations by id and of regions by slug, where there is one; `hour`: its start. */
export type European = { stations: Grades; regions: Grades; hour: string };

export async function queryEuropean(db: ApiDb, at: Date): Promise<European & Validity> {
  const query = sql<Row & { stations: Grades; regions: Grades; hour: string }>`
    select s.places::json as stations, r.places::json as regions, s.timestamp as hour,
      least(s.data_version, r.data_version) as data_version, least(s.valid_until, r.valid_until) as valid_until
    from api.station_european_json(${at}) s cross join api.region_european_json(${at}) r`;
  const { rows } = await query.execute(db);
  const [{ stations, regions, hour } = { stations: {}, regions: {}, hour: '' }] = rows;
  return { stations, regions, hour, ...validityOf(rows) };
}

type Reader = {
  network(): Promise<Network & Validity>;
  european(): Promise<European & Validity>;
};

/** How the document is rendered that lists need beside the list of stations. */
export const makeNow =
  (reader: Reader) =>
  async ({ locale }: { locale: Locale }): Promise<Entry> => {
    const [network, european] = await Promise.all([reader.network(), reader.european()]);
    const json = JSON.stringify(presentNow(network, european));
    return { document: renderDocument(locale, json), ...earlier(network, european) };
  };

function presentNow({ stations, regions }: Network, european: European): ExploreAnswer<'now'> {
  const judged = (
    grade: Grades[string] | undefined,
    { has_measured }: { has_measured: unknown },
  ) => {
    const [european_index = null, pollutant = null, concentration = null, pm25 = null] =
      grade ?? [];
    return {
      european_index,
      pollutant,
      concentration,
      'pm2.5': pm25,
      has_measured: has_measured === true,
    };
  };
  return {
    timestamp: european.hour,
    stations: stations
      .filter((row) => row.is_listed)
      .map((row) => ({
        id: row.id,
        ...judged(european.stations[row.id], row),
        is_bad_pm: row.is_bad_pm ?? false,
      })),
    regions: regions.map((row) => ({ slug: row.slug, ...judged(european.regions[row.slug], row) })),
  };
}
