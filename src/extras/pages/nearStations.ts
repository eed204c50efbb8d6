/** The stations around a point, for the page of a region that measures nothing. */
import { sql } from 'kysely';
import type { Region } from '../../contract/current.ts';
import type { ApiDb } from '../../database/apiDb.ts';
import type { Row } from '../../serve/entry.ts';

/** A station farther away says nothing about the air of a region. */
const WITHIN_KM = 25;

type Near = { neighbours: readonly { id: number; distance_km: number }[] };

/** The stations nearest to the point at which maps show a region, the nearest first. */
export async function queryNear(
  db: ApiDb,
  at: Date,
  { map_latitude: latitude, map_longitude: longitude }: Region,
  most: number,
): Promise<Near & { rows: readonly Row[] }> {
  const query = sql<Row & Near>`
    select neighbours::json as neighbours, valid_until, data_version
    from api.stations_near_json(${at}, ${latitude}, ${longitude}, ${WITHIN_KM}, ${most})`;
  const { rows } = await query.execute(db);
  return { neighbours: rows[0]?.neighbours ?? [], rows };
}
