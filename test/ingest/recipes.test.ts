/**
 * The recipes of src/ingest/README.md, run as they are written: files are turned and imported,
 * documents are sent.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import type { Declarations } from '../../src/ingest/reading/declarations.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';
import { bringIn, file, keepingLog, NOW, smallNetwork, stored } from './support.ts';

const README = readFileSync(new URL('../../src/ingest/README.md', import.meta.url), 'utf8');

/** The block of README.md that begins so. */
function recipe(beginning: string): string {
  const blocks = [...README.matchAll(/```\w+\n(.*?)```/gs)].map(([, block = '']) => block);
  const found = blocks.filter((block) => block.startsWith(beginning));
  expect(found, beginning).toHaveLength(1);
  return found[0] ?? '';
}

// nothing here depends on the engine
let db: TestDatabase;
let owner: Sql;
let pool: Sql;
beforeAll(async () => {
  db = await testDatabase(engines[0] as (typeof engines)[0]);
  owner = db.as();
  pool = db.as('airseries_ingest');
  await bringIn(
    owner,
    smallNetwork({
      one: { sensors: [{ id: 1, device: 'roof' }, { id: 2 }] },
      two: { sensors: [{ id: 3, device: 'garden' }] },
    }),
  );
});
beforeEach(() => owner.unsafe('truncate raw.readings, raw.quarantine'));
afterAll(() => db.drop());

async function imported(path: string, format: Declarations = {}) {
  const log = keepingLog();
  return await importReadings(pool, [path], { now: NOW, log, terminal: false, format });
}

/** Runs the lines of a recipe, and imports what they made as its last line declares. */
async function turned(beginning: string, wide: string) {
  const folder = temporaryFolder('wide');
  writeFileSync(join(folder, 'wide.csv'), wide);
  const [lines = '', command = ''] = recipe(beginning).split('\nnode src/airseries.js ');
  execFileSync('/bin/sh', ['-ec', lines], { cwd: folder });
  const option = (name: string) => command.match(new RegExp(`--${name} (\\S+)`))?.[1];
  return await imported(join(folder, 'long.csv'), { zone: option('zone'), shift: option('shift') });
}

const HOURS = Array.from({ length: 24 }, (_, hour) => `H${String(hour + 1).padStart(2, '0')}`);

test('a wide file of hours is named, and turned by the lines of README', needs('awk'), async () => {
  const values = HOURS.map((_, hour) => hour + 1);
  const wide = `station,date,${HOURS.join(',')}\r\n1,2026-11-18,${values.join(',')}\r\n`;
  const { failures } = await imported(file('wide.csv', wide));
  expect(failures).toEqual([
    expect.stringMatching(/with a column for each hour of a day: .* under "Wide files"\.$/),
  ]);
  const summary = await turned('# station,date,H01', wide);
  expect(summary).toMatchObject({ received: 24, accepted: 24, failed: false });
  const rows = await stored(owner);
  expect(rows.map(({ pm25 }) => pm25)).toEqual(values);
  expect(new Date(rows[0].measured_at)).toEqual(new Date('2026-11-18T00:00:00+01:00'));
  expect(new Date(rows[23].measured_at)).toEqual(new Date('2026-11-18T23:00:00+01:00'));
});

test('a wide file of stations is named, and turned likewise', needs('awk'), async () => {
  const wide = 'time,roof,garden\n2026-11-18 08:00,5,6\n2026-11-18 09:00,7,8\n';
  const { failures } = await imported(file('wide.csv', wide), { zone: 'Europe/Berlin' });
  expect(failures).toEqual([
    expect.stringMatching(/a wide file, with a column for each station.* under "Wide files"\./),
  ]);
  await turned('# time,roof,garden', wide);
  expect((await stored(owner)).map(({ sensor_id, pm25 }) => [sensor_id, pm25])).toEqual([
    [1, 5],
    [1, 7],
    [3, 6],
    [3, 8],
  ]);
});
