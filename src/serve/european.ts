/** The European index of all places in the last closed hour, for lists, maps and headlines. */
import { sql } from 'kysely';
import type { Band, Pollutant } from '../contract/explore/now.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { type Row, type Validity, validityOf } from './entry.ts';

/** The band of each place, and the first pollutant that is in it. */
type Grades = Readonly<Record<string, readonly [Band, Pollutant]>>;

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
