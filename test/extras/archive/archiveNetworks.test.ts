/**
 * The archives of four real networks equal the API in every value (R2), if AIRSERIES_DATA names a
 * folder with their measurements, which may not be committed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { makeArchive } from '../../../src/extras/archive/makeArchive.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { onEveryEngine, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import { skipUnless } from '../../support/tools.ts';
import { compareArchive } from './archiveValues.ts';
import { emptyFolder } from './support.ts';

const FOLDER = process.env.AIRSERIES_DATA;
const SETS = ['jena', 'beijing', 'armenia', 'aberdeen'];
const log = keepingLog();
const now = new Date('2026-11-27T00:00:00Z');

onEveryEngine('the archive of', (engine) => {
  const options = skipUnless(FOLDER !== undefined, 'AIRSERIES_DATA names no reference data');
  describe.each(SETS)('%s', options, (set) => {
    it(`the archive of ${set} equals the API in every value`, async () => {
      const data = join(FOLDER ?? '', 'data', set);
      const network = JSON.parse(readFileSync(join(data, 'network.json'), 'utf8'));
      const timeZone: string = network.time_zone;
      const db = await testDatabase(engine, timeZone);
      onTestFinished(() => db.drop());
      await bringIn(db.as(), network);
      const formats = READING_FORMATS;
      const options = { now, log, terminal: false, timeZone, license: undefined, formats };
      await importReadings(db.as('airseries_ingest'), [join(data, 'readings.csv.gz')], options);
      await refresh(db.target, () => now);
      const folder = emptyFolder();
      const made = await makeArchive(db.target, { ...options, folder });
      expect(made?.changed.length).toBeGreaterThan(5);
      const { wrong, values } = await compareArchive(folder, db.target, { timeZone, now });
      expect(wrong.slice(0, 20)).toEqual([]);
      expect(values).toBeGreaterThan(10_000);
      process.stderr.write(`archive of ${set} on ${engine}: ${values} values equal\n`);
    });
  });
});
