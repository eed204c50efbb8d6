/**
 * `import readings` is killed (SIGKILL) between two parts of storing a file: what is stored is whole
 * parts, nothing is left of the stage, and the same import completes it. While it stages, it is
 * interrupted in test/commands/cli.test.ts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { listImports, undoImport } from '../../../src/ingest/store/imports.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { untilWaiting } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { until } from '../../support/patience.ts';
import { addressVariables, runProgram } from '../../support/program.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const CLI = new URL('../../../dist/cli.js', import.meta.url).pathname;
const SENSORS = [1, 2, 3];

/** Rows of all sensors, `seconds` apart. */
function rows(since: string, until: string, seconds: number): string[] {
  const lines: string[] = [];
  for (let at = Date.parse(since); at < Date.parse(until); at += seconds * 1_000)
    for (const sensor of SENSORS) lines.push(`${sensor},${new Date(at).toISOString()},${sensor}.5`);
  return lines;
}
const tableOf = (lines: readonly string[]) => ['sensor_id,time,pm25', ...lines, ''].join('\n');

onEveryEngine('a killed import', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  let superuser: Sql;
  let environment: Record<string, string>;
  beforeAll(async () => {
    db = await testDatabase(engine);
    [owner, ingest, superuser] = [db.as(), db.as('airseries_ingest'), db.superuser()];
    await bringIn(owner, smallNetwork());
    environment = {
      ...addressVariables(db.target),
      DATABASE_URL: 'postgres://',
      FIXED_NOW: NOW.toISOString(),
    };
  });
  afterAll(() => db.drop());

  const runImport = (path: string) =>
    runProgram([process.execPath, CLI, 'import', 'readings', path], { environment });
  const completed = async (path: string) => {
    const { code, stdout, stderr } = await runImport(path).finished;
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return JSON.parse(stdout);
  };
  const staged = async () => {
    const [row] = await superuser<[{ bytes: number | null }]>`
      select sum(pg_relation_size(oid))::float8 as bytes from pg_class
      where relname = 'staged_reading' and relpersistence = 't'`;
    return row.bytes;
  };
  const count = async () => {
    const [row] = await owner<[{ n: number }]>`select count(*)::int as n from raw.readings`;
    return row.n;
  };

  it('killed between two parts, it has stored the first, which can be completed and undone (S11)', async () => {
    const first = rows('2026-09-01T00:00Z', '2026-10-01T00:00Z', 30); // more than a part needs
    const second = rows('2026-10-01T00:00Z', '2026-10-02T00:00Z', 60);
    const path = join(temporaryFolder('killed'), 'readings.csv');
    writeFileSync(path, tableOf([...first, ...second]));
    const one = `insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-10-01T12:00Z', 1, 9)`;
    // a new chunk of TimescaleDB would hold off the first part, too
    await owner.unsafe(`${one}; delete from raw.readings`);
    const release = await openTransaction(owner, one);
    const killed = runImport(path);
    await until(async () => (await count()) === first.length, 'the first part is stored');
    await untilWaiting(superuser); // the second part
    killed.kill('SIGKILL');
    await killed.finished;
    await until(async () => (await staged()) === null, 'the server has noticed, and ended it');
    await release('rollback');
    expect(await count()).toBe(first.length);
    expect(await listImports(owner, 9)).toMatchObject([{ number: 1, state: 'interrupted' }]);

    expect(await completed(path)).toMatchObject({
      accepted: second.length,
      unchanged: first.length,
      replaced: null,
    });
    expect(await listImports(owner, 9)).toMatchObject([
      { number: 2, accepted: second.length, state: 'stored' },
      { number: 1, state: 'interrupted' },
    ]);
    expect(await undoImport(ingest, 1, NOW)).toMatchObject({ readings: first.length, kept: [] });
    expect(await count()).toBe(second.length);
    expect(await undoImport(ingest, 2, NOW)).toMatchObject({ readings: second.length, kept: [] });
    expect(await count()).toBe(0);
    expect(await differences(db)).toEqual([]);
  });
});
