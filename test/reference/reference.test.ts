/**
 * Real measurements of four networks, from import to HTTP, against aggregates computed elsewhere.
 * Runs if AIRSERIES_DATA names a folder with `data/` and `reference/`; neither may be committed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { type Api, type ApiDb, openReaderPool } from '../../src/database/pools.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { makeApp } from '../../src/serve/app.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { bucketStart } from '../support/localTime.ts';
import { skipUnless } from '../support/tools.ts';
import { compareHistory, compareWho, type Reference, type Windows } from './compare.ts';

const FOLDER = process.env.AIRSERIES_DATA;
const SETS = ['jena', 'beijing', 'armenia', 'aberdeen'];
const log = makeLog('silent');

onEveryEngine('reference', (engine) => {
  const options = skipUnless(FOLDER !== undefined, 'AIRSERIES_DATA names no reference data');
  describe.each(SETS)('%s', options, (set) => {
    const folder = FOLDER ?? '';
    let reference: Reference;
    let database: TestDatabase;
    let db: ApiDb;
    const compared = { values: 0 };

    beforeAll(async () => {
      reference = JSON.parse(
        gunzipSync(readFileSync(join(folder, 'reference', `${set}-dev.local.json.gz`))).toString(),
      );
      database = await testDatabase(engine, reference.meta.tz);
      const now = new Date();
      await importNetwork(
        database.as(),
        readFileSync(join(folder, 'data', set, 'network.json'), 'utf8'),
        { log },
      );
      const readings = join(folder, 'data', set, 'readings.csv.gz');
      const summary = await importReadings(database.as('airseries_ingest'), [readings], {
        now,
        log,
        terminal: false,
      });
      expect(summary.received).toBe(reference.meta.rows);
      await refresh(database.target, now);
      db = openReaderPool<Api>(database.target, { timeZone: reference.meta.tz });
    });
    afterAll(async () => {
      await db?.destroy();
      await database?.drop();
    });

    it('equals every value of every window and every WHO figure', async () => {
      const wrong: string[] = [];
      for (const [index, now] of reference.meta.nows.entries()) {
        const app = makeApp({ db, clock: () => new Date(now), siteBaseUrl: '', log });
        const get = async (path: string) =>
          (await request(app).get(`/en/air-quality-app/v1/${path}`).expect(200)).body;
        const { stations, regions } = reference.windows[now] as Windows;
        // at an earlier instant, the month then current already contains later readings
        const unknown =
          index === 0 ? undefined : bucketStart(reference.meta.tz, 'month', Date.parse(now));
        const options = { unknown, compared };
        for (const [id, windows] of Object.entries(stations)) {
          wrong.push(
            ...compareHistory(
              `${now} station ${id}`,
              await get(`station/${id}-history.json`),
              windows,
              options,
            ),
          );
        }
        for (const [slug, windows] of Object.entries(regions)) {
          wrong.push(
            ...compareHistory(
              `${now} region ${slug}`,
              await get(`region/${slug}-history.json`),
              windows,
              options,
            ),
          );
          wrong.push(
            ...compareWho(
              `${now} region ${slug}`,
              await get(`region/${slug}.json`),
              windows.who,
              compared,
            ),
          );
        }
      }
      expect(wrong.slice(0, 20)).toEqual([]);
      expect(compared.values).toBeGreaterThan(2_000);
      process.stderr.write(`reference ${set} on ${engine}: ${compared.values} values equal\n`);
    });
  });
});
