/**
 * A database of two stations with a sensor each, which have measured PM2.5 every six hours since
 * some day, and its stored buckets.
 */
import { refresh } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import { type Engine, LEVELS } from '../../src/schema/aggregates.ts';
import { testDatabase } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { bringIn } from '../support/smallNetwork.ts';

/** `since` is a local date of Asia/Yerevan. */
export async function sixHourly(engine: Engine, since: string, now: Date) {
  const database = await testDatabase(engine, 'Asia/Yerevan');
  const owner = database.as();
  await bringIn(owner, citiesOfOneStation(['c', 'd']));
  await owner`insert into raw.readings (measured_at, sensor_id, pm25)
    select at, sensor, 1.1 + extract(day from at)
    from generate_series(${`${since} 00:00+04`}::text::timestamptz, ${now}, '6 hours') at, generate_series(1, 2) sensor`;
  await refresh(database.target, () => now);
  return { database, owner };
}

/** Every bucket of these levels that begins before an instant. */
export async function storedBuckets(owner: Sql, levels = LEVELS, until = 'infinity') {
  return await Promise.all(
    levels.map(({ name, id }) =>
      owner.unsafe(`select * from rollup.${name} where bucket < '${until}' order by bucket, ${id}`),
    ),
  );
}
