/**
 * Thirteen months of the demo network, refreshed, on an engine: enough for every window to have its
 * buckets and for the same month of last year. All hours of the last forty days, and every sixth of
 * those before, which are shown as days and months only. Readings are generated once, and copied to
 * the engine that comes second.
 */
import { pipeline } from 'node:stream/promises';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { demoNetwork } from '../../src/extras/demo/network.ts';
import {
  COPY_COLUMNS,
  copyLines,
  type DemoReading,
  demoReadings,
} from '../../src/extras/demo/readings.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { copyIn } from '../support/copyIn.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const DAYS = 395;
const WHOLE_DAYS = 40;

/** `like`: another engine's database of the same `now`. `days`: how many of the thirteen months. */
export async function demoDatabase(
  engine: Engine,
  now: Date,
  { like, days = DAYS }: { like?: TestDatabase | undefined; days?: number } = {},
): Promise<TestDatabase> {
  const db = await testDatabase(engine);
  const sql = db.as();
  const network = demoNetwork(db.timeZone);
  await importNetwork(sql, JSON.stringify(network), { log: makeLog('error') });
  if (like === undefined) {
    const from = new Date(now.getTime() - days * DAY);
    const readings = demoReadings({ network, from, to: now });
    await copyIn(
      sql,
      `copy raw.readings (${COPY_COLUMNS}) from stdin`,
      lines(readings, now.getTime() - WHOLE_DAYS * DAY),
    );
  } else {
    const [source, sink] = await Promise.all([
      like.as().unsafe(`copy raw.readings (${COPY_COLUMNS}) to stdout`).readable(),
      sql.unsafe(`copy raw.readings (${COPY_COLUMNS}) from stdin`).writable(),
    ]);
    await pipeline(source, sink);
  }
  await sql`analyze raw.readings`; // otherwise the one big refresh is planned for an empty table
  await refresh(db.target, () => now);
  await makeDigest(db.target, now);
  await sql`analyze`;
  return db;
}

function* lines(readings: Iterable<DemoReading[]>, wholeSince: number): Generator<string> {
  for (const instant of readings) {
    const at = instant[0]?.at ?? 0;
    if (at >= wholeSince || Math.floor(at / HOUR) % 6 === 0) yield copyLines(instant);
  }
}
