/**
 * Real measurements of four networks, from import to HTTP, against aggregates computed elsewhere.
 * Runs if AIRSERIES_DATA names a folder with `data/` and `reference/`; neither may be committed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../src/base/log.ts';
import type { ApiDb } from '../../../src/database/apiDb.ts';
import { openReaderPool } from '../../../src/database/pools.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { importNetwork } from '../../../src/network/importNetwork.ts';
import { makeApp } from '../../../src/serve/app.ts';
import {
  isAll,
  onEveryEngineInAll,
  type TestDatabase,
  testDatabase,
} from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { bucketStart } from '../../support/localTime.ts';
import { skipUnless } from '../../support/tools.ts';
import { compareHistory, compareWho, type Reference, type Windows } from './compare.ts';

const FOLDER = process.env.AIRSERIES_DATA;
/** `npm test` has the smallest, on plain PostgreSQL. */
const SETS = isAll ? ['jena', 'beijing', 'armenia', 'aberdeen'] : ['jena'];
const log = makeLog('silent');

/**
 * The references are older than the rule that calm is not north (A7): they count each direction.
 * So does a direction without a speed, hence each sensor gets a vane of its own.
 */
const VANES = 100_000;

function withVanes(text: string): string {
  const network = JSON.parse(text) as { stations: { sensors: { id: number }[] }[] };
  for (const { sensors } of network.stations)
    sensors.push(...sensors.map(({ id }) => ({ id: id + VANES })));
  return JSON.stringify(network);
}

function directionsApart(text: string): { text: string; vanes: number } {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const names = header.split(',');
  const [sensor, direction] = [names.indexOf('sensor_id'), names.indexOf('wind_direction')];
  const apart = lines.flatMap((line) => {
    const cells = line.split(',');
    if (cells[direction] === '') return [line];
    const vane = names.map((name, index) =>
      ['station_id', 'time', 'wind_direction'].includes(name) ? cells[index] : '',
    );
    vane[sensor] = String(Number(cells[sensor]) + VANES);
    cells[direction] = '';
    return [cells.join(','), vane.join(',')];
  });
  return { text: `${[header, ...apart].join('\n')}\n`, vanes: apart.length - lines.length };
}

onEveryEngineInAll('reference', (engine) => {
  const options = skipUnless(FOLDER !== undefined, 'AIRSERIES_DATA names no reference data');
  describe.each(SETS)('%s', options, (set) => {
    const folder = FOLDER ?? '';
    let reference: Reference;
    let database: TestDatabase;
    let db: ApiDb;
    let scratch: string;
    const compared = { values: 0 };

    beforeAll(async () => {
      reference = JSON.parse(
        gunzipSync(readFileSync(join(folder, 'reference', `${set}-dev.local.json.gz`))).toString(),
      );
      database = await testDatabase(engine, reference.meta.tz);
      const now = new Date();
      const network = readFileSync(join(folder, 'data', set, 'network.json'), 'utf8');
      await importNetwork(database.as(), withVanes(network), { log });
      const packed = readFileSync(join(folder, 'data', set, 'readings.csv.gz'));
      const { text, vanes } = directionsApart(gunzipSync(packed).toString());
      scratch = mkdtempSync(join(tmpdir(), 'airseries-reference-'));
      const readings = join(scratch, 'readings.csv');
      writeFileSync(readings, text);
      const summary = await importReadings(database.as('airseries_ingest'), [readings], {
        formats: READING_FORMATS,
        now,
        log,
        terminal: false,
      });
      expect(summary.received).toBe(reference.meta.rows + vanes);
      await refresh(database.target, () => now);
      db = openReaderPool(database.target, { timeZone: reference.meta.tz });
    });
    afterAll(async () => {
      await db?.destroy();
      await database?.drop();
      rmSync(scratch, { recursive: true, force: true });
    });

    it('every value of every window and every WHO figure equals the reference', async () => {
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
          const history = await get(`station/${id}-history.json`);
          wrong.push(...compareHistory(`${now} station ${id}`, history, windows, options));
        }
        for (const [slug, windows] of Object.entries(regions)) {
          const at = `${now} region ${slug}`;
          const history = await get(`region/${slug}-history.json`);
          wrong.push(...compareHistory(at, history, windows, options));
          wrong.push(...compareWho(at, await get(`region/${slug}.json`), windows.who, compared));
        }
      }
      expect(wrong.slice(0, 20)).toEqual([]);
      expect(compared.values).toBeGreaterThan(2_000);
      process.stderr.write(`reference ${set} on ${engine}: ${compared.values} values equal\n`);
    });
  });
});
