/**
 * The buckets of one place in its five windows, ascending; undefined if there is no such place. One round trip: a known place
 * without data comes back as one row without a bucket.
 */
import type { ApiDb, RegionBucket, StationBucket } from '../database/apiSchema.ts';
import { regionHistory, stationHistory } from '../database/apiSchema.ts';

export async function askStationHistory(db: ApiDb, at: Date, id: number): Promise<StationBucket[] | undefined> {
  const rows = await db
    .selectFrom('api.station as station')
    .leftJoin(stationHistory(at).as('history'), 'history.station_id', 'station.id')
    .selectAll('history')
    .where('station.id', '=', id)
    .orderBy('history.timestamp')
    .execute();
  return bucketsOf(rows);
}

export async function askRegionHistory(db: ApiDb, at: Date, slug: string): Promise<RegionBucket[] | undefined> {
  const rows = await db
    .selectFrom('api.region as region')
    .leftJoin(regionHistory(at).as('history'), 'history.region_slug', 'region.slug')
    .selectAll('history')
    .where('region.slug', '=', slug)
    .orderBy('history.timestamp')
    .execute();
  return bucketsOf(rows);
}

type Nullable<Row> = { [Key in keyof Row]: Row[Key] | null };

function bucketsOf<Row extends { series: string }>(rows: Nullable<Row>[]): Row[] | undefined {
  if (rows.length === 0) return undefined;
  return rows.filter((row): row is Row => row.series !== null);
}
