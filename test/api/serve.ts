/** The real app over a real database, at a fixed instant. */
import type { RequestListener } from 'node:http';
import type { Kysely } from 'kysely';
import { makeApp } from '../../src/api/app.ts';
import { makeClock } from '../../src/clock.ts';
import type { Engine } from '../../src/database/aggregates.ts';
import { type Api, openReads } from '../../src/database/pools.ts';
import type { Log } from '../../src/log.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertNetwork, NOW } from './network.ts';

export type Served = {
  app: RequestListener;
  db: Kysely<Api>;
  database: TestDatabase;
  log: Lines;
  close(): Promise<void>;
};

export type Lines = Log & { lines: { level: string; fields: object; message: string }[] };

export async function serve(engine: Engine, siteBaseUrl = 'https://air.example'): Promise<Served> {
  const database = await testDatabase(engine);
  await insertNetwork(database.as());
  const db = openReads<Api>(database.target, { timeZone: database.timeZone, max: 4 });
  const log = recordingLog();
  return {
    app: makeApp({ db, clock: makeClock(NOW), siteBaseUrl, log }),
    db,
    database,
    log,
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}

export function recordingLog(): Lines {
  const lines: Lines['lines'] = [];
  const line = (level: string) => (first: string | object, message?: string) => {
    lines.push(
      typeof first === 'string'
        ? { level, fields: {}, message: first }
        : { level, fields: first, message: message ?? '' },
    );
  };
  return { lines, debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
