/** Archives of a test's database, and the files of a folder. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeArchive } from '../../../src/extras/archive/makeArchive.ts';
import type { TestDatabase } from '../../support/database.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** The CSV files of a year in the layout of airquality.am, in the order of the index. */
export const CSV = [
  'sensors.csv',
  ...['sensor', 'station', 'city'].flatMap((of) => [
    `${of}_avg_hourly/${of}_avg_hourly_2026.csv`,
    `${of}_avg_daily.csv`,
  ]),
].map((name) => `airquality-am/${name}`);

type More = { license?: string; signal?: AbortSignal | undefined };

/** Makes archives from a database, without a licence unless one is given. */
export const makerOf =
  ({ target, timeZone }: TestDatabase) =>
  (folder: string, now: Date, { license, signal }: More = {}) =>
    makeArchive(target, {
      ...{ folder, now, timeZone, license, signal },
      ...{ log: keepingLog(), terminal: false },
    });

/** A new folder, removed after the tests. */
export const emptyFolder = () => temporaryFolder('archive');

/** Damages a file without changing its size: it stays so unless it is made again. */
export const blank = (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size));
export const isBlank = (path: string) => readFileSync(path)[0] === 0;

/** The text of every file by its name within the folder. */
export function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}
