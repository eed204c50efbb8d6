/**
 * The descriptions of the CSV files, for people and for programs: datapackage.json is a Frictionless
 * package, and says the same as README.txt.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PARAMETERS } from '../../../src/contract/parameters.ts';
import { makeArchive } from '../../../src/extras/archive/makeArchive.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { reading } from '../../ingest/support.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../../support/database.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { type DataPackage, packageProblems } from './frictionless.ts';
import { filesIn } from './support.ts';

const NOW = new Date('2025-10-28T10:30:00Z');
const LICENSE = 'Creative Commons Attribution 4.0\nhttps://creativecommons.org/licenses/by/4.0/';
/** Two hours of each of two years; the clocks of London show the last two as one hour. */
const TIMES = [
  '2024-12-31T10:15:00Z',
  '2024-12-31T11:15:00Z',
  '2025-10-26T00:15:00Z',
  '2025-10-26T01:15:00Z',
];

onEveryEngineInAll('the CSV files', (engine) => {
  let db: TestDatabase;
  let files: Record<string, string>;
  let descriptor: DataPackage;
  beforeAll(async () => {
    db = await testDatabase(engine, 'Europe/London');
    const sensor = { kind: 'SDS011', suspicious: [{ since: '2025-10-27' }] };
    await bringIn(
      db.as(),
      smallNetwork({ timeZone: 'Europe/London', one: { altitude: 12.5 }, sensor }),
    );
    const values = Object.fromEntries(
      PARAMETERS.map(({ name, low }) => [name, Math.max(low, 0) + 0.5]),
    );
    const readings = TIMES.flatMap((time) => [1, 2, 3].map((id) => reading(id, time, values)));
    await acceptReadings(db.as('airseries_ingest'), readings, { now: NOW, source: 'test' });
    await db.refresh(NOW);
    // temporaryFolder is for single tests
    const folder = mkdtempSync(join(tmpdir(), 'airseries-archive-'));
    const options = {
      folder,
      timeZone: db.timeZone,
      now: NOW,
      log: keepingLog(),
      terminal: false,
      license: LICENSE,
    };
    await makeArchive(db.target, options);
    files = filesIn(join(folder, 'airquality-am'));
    rmSync(folder, { recursive: true });
    descriptor = JSON.parse(files['datapackage.json'] ?? '');
  });
  afterAll(() => db.drop());

  test('they are a Frictionless data package that lists every one', () => {
    expect(packageProblems(descriptor, files)).toEqual([]);
    const paths = descriptor.resources.map(({ path }) => path);
    expect([...paths].sort()).toEqual(Object.keys(files).filter((name) => name.endsWith('.csv')));
    expect(descriptor.licenses).toEqual([
      { path: 'LICENSE', title: 'Creative Commons Attribution 4.0' },
    ]);
    expect(files.LICENSE).toBe(`${LICENSE}\n`);
  });

  test('the unit of every measured value is the same in README.txt and datapackage.json', () => {
    for (const { path, schema } of descriptor.resources) {
      const measured = schema.fields.filter(({ name }) =>
        /^(avg|min|max|total)_|^pm2\.5$|itude$/.test(name),
      );
      expect(measured.filter(({ unit }) => unit === undefined)).toEqual([]);
      const section =
        files['README.txt']?.split(path.replace(/_\d{4}\.csv$/, '_YYYY.csv'))[1] ?? '';
      for (const { name, unit } of schema.fields) {
        const line = section.split('\n').find((each) => each.startsWith(`  ${name} `));
        expect(line, `${path} ${name}`).toMatch(
          unit === undefined ? /\w$/ : new RegExp(`\\[${unit}\\]$`),
        );
      }
    }
  });

  test('the check of packages finds a broken one', () => {
    const [first, ...rest] = descriptor.resources;
    const broken = (change: object) =>
      packageProblems(
        { ...descriptor, resources: [{ ...first, ...change } as never, ...rest] },
        files,
      );
    expect(broken({ name: 'With Spaces' })).not.toEqual([]);
    expect(broken({ path: '../sensors.csv' })).not.toEqual([]);
    expect(broken({ bytes: 1 })).not.toEqual([]);
    expect(broken({ schema: { fields: [{ name: 'id', type: 'boolean' }] } })).not.toEqual([]);
    const fewer = { ...files, 'sensors.csv': `${files['sensors.csv']?.split('\n')[0]}\n` };
    expect(
      packageProblems(descriptor, fewer).some((problem) => problem.includes('no sensors 1')),
    ).toBe(true);
  });
});
