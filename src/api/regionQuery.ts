/** One city or district at an instant; undefined if there is no such region. */
import { type ApiDb, type RegionRow, regionCurrent } from '../database/apiSchema.ts';

export async function askRegion(db: ApiDb, at: Date, slug: string): Promise<RegionRow | undefined> {
  return await db.selectFrom(regionCurrent(at, slug).as('region')).selectAll().executeTakeFirst();
}
