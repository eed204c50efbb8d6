/** The last 24 hours of many places, for the lists of pages. */
import { sql } from 'kysely';
import type { ExploreAnswer } from '../../contract/explore.ts';
import type { ApiDb } from '../../database/apiDb.ts';
import { arrayLiteral } from '../../database/arrays.ts';
import type { Row } from '../../serve/entry.ts';

/** Stations by id and regions by slug. */
export type Places = { stations: readonly number[]; regions: readonly string[] };

/** PM2.5 of the last 24 closed hours, by time, and its trend. */
export type LastDay = {
  trend: ExploreAnswer<'stationNow'>['trend'];
  'pm2.5': readonly (number | null)[];
};

type LastDays = Record<keyof Places, Readonly<Record<string, LastDay>>>;

export async function queryLastDays(
  db: ApiDb,
  at: Date,
  { stations, regions }: Places,
): Promise<LastDays & { rows: readonly Row[] }> {
  const query = sql<Row & Record<keyof Places, LastDays[keyof Places]>>`
    select s.places::json as stations, r.places::json as regions,
      least(s.data_version, r.data_version) as data_version, s.valid_until
    from api.station_last_day_json(${at}, ${arrayLiteral(stations)}::text::int[]) s
    cross join api.region_last_day_json(${at}, ${arrayLiteral(regions)}::text::text[]) r`;
  const { rows } = await query.execute(db);
  const [row] = rows;
  return { stations: row?.stations ?? {}, regions: row?.regions ?? {}, rows };
}
