/** Keeps the demo alive: brings its readings from the newest stored one up to now, whether that is ten minutes or a year. */

import { PARAMETER_NAMES } from '../contract/parameters.ts';
import { arrayLiteral, type Sql, textParameters } from '../database/client.ts';
import { DEMO_PROVIDER, demoNetwork } from './network.ts';
import { COPY_COLUMNS, type DemoReading, demoBeginning, demoReadings } from './readings.ts';
import { demoTimeZone, isDemo, newestReading } from './state.ts';

/** Bounds memory and the length of a transaction after a long pause. */
const BATCH_ROWS = 20_000;

/** Returns the rows added. May be called at any time and by two at once; does nothing in a database without the demo. */
export async function feedDemo(sql: Sql, { now, seed }: { now: Date; seed: number }): Promise<number> {
  if (!(await isDemo(sql))) return 0;
  const from = (await newestReading(sql)) ?? demoBeginning(now); // none: the load was interrupted before its first batch
  const network = demoNetwork(await demoTimeZone(sql));
  let added = 0;
  let batch: DemoReading[] = [];
  // whole instants in the order of time: wherever this is interrupted, nothing before the newest reading is left out
  for (const readings of demoReadings({ network, seed, from, to: now })) {
    batch.push(...readings);
    if (batch.length < BATCH_ROWS) continue;
    added += await insert(sql, batch);
    batch = [];
  }
  if (batch.length > 0) added += await insert(sql, batch);
  return added;
}

/** The lock on readings that removeDemo holds is awaited before the provider is looked for, so nothing is added behind its back. */
async function insert(sql: Sql, readings: readonly DemoReading[]): Promise<number> {
  const columns = [
    arrayLiteral(readings.map(({ at }) => `"${new Date(at).toISOString()}"`)),
    arrayLiteral(readings.map(({ sensor }) => sensor.id)),
    ...PARAMETER_NAMES.map((name) =>
      arrayLiteral(
        readings.map(({ sensor, values }) => {
          const place = sensor.outputs.findIndex((output) => output.name === name);
          return values[place] ?? 'null';
        }),
      ),
    ),
  ];
  const types = ['timestamptz[]', 'int[]', ...PARAMETER_NAMES.map(() => 'real[]')];
  const result = await sql.unsafe(
    `insert into raw.readings (${COPY_COLUMNS})
     select * from unnest(${textParameters(types)}) where exists (select from raw.provider where id = $${types.length + 1})
     on conflict do nothing`,
    [...columns, DEMO_PROVIDER],
  );
  return result.count;
}
