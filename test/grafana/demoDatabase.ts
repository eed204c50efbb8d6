/** Two years of the demo network, refreshed, on an engine; its readings are generated once, and copied to the engine that comes second. */
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../../src/database/aggregates.ts';
import { loadDemo } from '../../src/demo/lifecycle.ts';
import { demoNetwork } from '../../src/demo/network.ts';
import { COPY_COLUMNS } from '../../src/demo/readings.ts';
import { makeLog } from '../../src/log.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { makeDigest, refresh } from '../../src/rollups/refresh.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

/** `like`: another engine's database of the same `now`. */
export async function demoDatabase(engine: Engine, now: Date, like?: TestDatabase): Promise<TestDatabase> {
  const db = await testDatabase(engine);
  const log = makeLog('error');
  if (like === undefined) {
    await loadDemo(db.target, { timeZone: db.timeZone, now, log, terminal: false });
  } else {
    const sql = db.as();
    await importNetwork(sql, JSON.stringify(demoNetwork(db.timeZone)), { log });
    const [source, sink] = await Promise.all([
      like.as().unsafe(`copy raw.readings (${COPY_COLUMNS}) to stdout`).readable(),
      sql.unsafe(`copy raw.readings (${COPY_COLUMNS}) from stdin`).writable(),
    ]);
    await pipeline(source, sink);
  }
  await db.as()`analyze raw.readings`; // otherwise the one big refresh is planned for an empty table
  await refresh(db.target, now);
  await makeDigest(db.target, now);
  await db.as()`analyze`;
  return db;
}
