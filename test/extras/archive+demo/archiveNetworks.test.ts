/**
 * The archives of whole networks equal the API in every value (R2): the demo, and four real ones if
 * AIRSERIES_DATA names a folder with their measurements, which may not be committed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { makeArchive } from '../../../src/extras/archive/makeArchive.ts';
import { demoNetwork } from '../../../src/extras/demo/network.ts';
import { demoReadings } from '../../../src/extras/demo/readings.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngine, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import { skipUnless } from '../../support/tools.ts';
import { compareArchive, duck, duckAll, type Row } from '../archive/archiveValues.ts';
import { emptyFolder } from '../archive/support.ts';

const FOLDER = process.env.AIRSERIES_DATA;
const SETS = ['jena', 'beijing', 'armenia', 'aberdeen'];
const log = keepingLog();

onEveryEngine('the archive of', (engine) => {
  /** How many values were compared. */
  async function archived(
    network: object,
    readings: string,
    now: Date,
    look: (folder: string) => Promise<void> = async () => undefined,
  ): Promise<number> {
    const timeZone = (network as { time_zone: string }).time_zone;
    const db = await testDatabase(engine, timeZone);
    try {
      await bringIn(db.as(), network);
      await importReadings(db.as('airseries_ingest'), [readings], {
        formats: READING_FORMATS,
        now,
        log,
        terminal: false,
      });
      await refresh(db.target, () => now);
      const folder = emptyFolder();
      const options = { folder, timeZone, now, log, terminal: false, license: undefined };
      const made = await makeArchive(db.target, options);
      expect(made?.changed.length).toBeGreaterThan(5);
      const { wrong, values } = await compareArchive(folder, db.target, { timeZone, now });
      expect(wrong.slice(0, 20)).toEqual([]);
      await look(folder);
      return values;
    } finally {
      await db.drop();
    }
  }
  /** The path of a file that goes with the work. */
  async function withFile<T>(
    text: string | Buffer,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    const scratch = mkdtempSync(join(tmpdir(), 'airseries-networks-'));
    try {
      const path = join(scratch, 'readings.csv');
      writeFileSync(path, text);
      return await work(path);
    } finally {
      rmSync(scratch, { recursive: true });
    }
  }

  /**
   * Runs the DuckDB of the archive's README as it stands, but for the address: what DuckDB needs for HTTP it
   * fetches from its makers.
   */
  async function runExamples(folder: string): Promise<void> {
    const text = readFileSync(
      new URL('../../../src/extras/archive/README.md', import.meta.url),
      'utf8',
    );
    const [, sql = ''] = /```sql\n([^`]*read_parquet[^`]*)```/.exec(text) ?? [];
    const here = sql.replaceAll('https://air.example/archive', folder);
    const statements = here.split(/;\s*$/m).filter((one) => one.trim() !== '');
    expect(statements).toHaveLength(3);
    const found = await duckAll(statements);
    const [one = [], , all = []] = found;
    expect(one.length).toBeGreaterThan((20 + 31) * 20); // hours of station 1 from 11 September on
    const { count } = (
      await duck(`select count(distinct station_id) as count from '${folder}/hours/*.parquet'`)
    )[0] as Row;
    expect([all.length, count]).toEqual([count, count]);
    const months = text.match(/hours\/(\d{4}-\d\d)\.parquet|"(\d{4}-\d\d)\.parquet"/g) ?? [];
    expect(months.length).toBeGreaterThan(5); // also in the Python and the R
    for (const month of months) {
      const path = join(folder, `hours/${/\d{4}-\d\d/.exec(month)}.parquet`);
      expect(existsSync(path), path).toBe(true);
    }
  }

  it('the archive of the demo equals the API in every value, and the examples of the README run on it', async () => {
    const network = demoNetwork('Asia/Yerevan');
    const from = new Date(NOW.getTime() - 70 * 86_400_000);
    const readings = [...demoReadings({ network, from, to: NOW })].flat();
    const names = [...new Set(readings.flatMap(({ values }) => Object.keys(values)))];
    const lines = readings.map(({ at, sensorId, values }) =>
      [
        sensorId,
        new Date(at).toISOString(),
        ...names.map((name) => (values as Record<string, number>)[name] ?? ''),
      ].join(),
    );
    const text = `sensor_id,time,${names.join()}\n${lines.join('\n')}\n`;
    const values = await withFile(text, (path) => archived(network, path, NOW, runExamples));
    expect(values).toBeGreaterThan(100_000);
  });

  const options = skipUnless(FOLDER !== undefined, 'AIRSERIES_DATA names no reference data');
  describe.each(SETS)('%s', options, (set) => {
    it(`the archive of ${set} equals the API in every value`, async () => {
      const folder = join(FOLDER ?? '', 'data', set);
      const network = JSON.parse(readFileSync(join(folder, 'network.json'), 'utf8'));
      const readings = gunzipSync(readFileSync(join(folder, 'readings.csv.gz')));
      const values = await withFile(readings, (path) =>
        archived(network, path, new Date('2026-11-27T00:00:00Z')),
      );
      expect(values).toBeGreaterThan(10_000);
      process.stderr.write(`archive of ${set} on ${engine}: ${values} values equal\n`);
    });
  });
});
