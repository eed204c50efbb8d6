/**
 * A dump restored without one of the calls around pg_restore, as people do it: start, commands and
 * readiness name the line that mends it, and are content once it was run.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import { Unavailable } from '../../src/base/unavailable.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { connect, onConnection } from '../../src/database/client.ts';
import { openIngestPool, openReaderPool } from '../../src/database/pools.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { readiness } from '../../src/metrics/adminApp.ts';
import { checkInstalled } from '../../src/schema/installed.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { MigrationRefused } from '../../src/schema/migrations.ts';
import { storageFault } from '../../src/schema/storage.ts';
import { reading } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { needs, skipUnless } from '../support/tools.ts';

const log = makeLog('silent');
const hasTools = ['pg_dump', 'pg_restore'].every(
  (tool) => spawnSync(tool, ['--version']).status === 0,
);
const isNamed = (process.env.TEST_TIMESCALE_URL ?? '') !== '';
const tools = skipUnless(
  hasTools && !isNamed,
  'pg_dump and pg_restore are not installed, or may be older than the named server',
);

describe('a dump of TimescaleDB', { ...tools, ...needs('timescale') }, () => {
  let source: TestDatabase;
  let folder: string;
  let dump: string;
  const run = (
    command: string,
    args: string[],
    { database, host, port, user }: TestDatabase['target'],
  ) =>
    spawnSync(command, args, {
      encoding: 'utf8',
      env: {
        ...process.env,
        PGDATABASE: database,
        PGHOST: host,
        PGPORT: String(port),
        PGUSER: user,
      },
    });

  beforeAll(async () => {
    source = await testDatabase('timescale');
    const owner = source.as();
    await bringIn(owner, smallNetwork());
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
        select at, 1, 10 from generate_series(timestamptz '2026-07-15', '2026-11-20 11:30Z', '1 hour') at`;
    folder = mkdtempSync(join(tmpdir(), 'airseries-restore-'));
    dump = join(folder, 'dump');
    expect(run('pg_dump', ['-Fc', '-f', dump], source.target).status).toBe(0);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await source.drop();
  });

  const restored = async (before: string) => {
    const { target, drop } = await emptyDatabase('timescale');
    const superuser = connect(target, {});
    await superuser`create extension timescaledb`;
    if (before !== '') await superuser.unsafe(before);
    await superuser.end();
    const { stderr } = run('pg_restore', ['-d', target.database, dump], target);
    return { target, stderr, drop };
  };
  const refusals = async (target: DatabaseAddress) => {
    const starts = [migrate(target, { now: NOW, log }), checkInstalled(target, {})];
    const errors = await Promise.all(starts.map((start) => start.catch((error: unknown) => error)));
    for (const error of errors) expect(error).toBeInstanceOf(MigrationRefused);
    return errors.map((error) => (error as Error).message);
  };
  const isReady = async (target: DatabaseAddress) => {
    const db = openReaderPool(target, { timeZone: 'UTC' });
    const { checks } = await readiness({
      opened: { db, missing: async () => [], fault: () => storageFault(db, 'timescale') },
      serving: true,
    });
    await db.destroy();
    return checks;
  };

  it('a dump restored without timescaledb_post_restore() is refused until that is called', async () => {
    const { target, stderr, drop } = await restored('select timescaledb_pre_restore()');
    expect(stderr).toBe('');
    const remedy = 'run in this database: select timescaledb_post_restore();';
    for (const message of await refusals(target)) expect(message).toContain(remedy);
    expect(await isReady(target)).toMatchObject({
      storage: false,
      fault: expect.stringContaining(remedy),
    });
    await onConnection(target, {}, (sql) => sql`select timescaledb_post_restore()`);
    await migrate(target, { now: NOW, log });
    expect(await isReady(target)).toMatchObject({ storage: true });
    await drop();
  });

  it('a dump restored without timescaledb_pre_restore() is refused with the lines to restore it again', async () => {
    const { target, stderr, drop } = await restored('');
    expect(stderr).toMatch(/errors ignored on restore: [12]$/m);
    for (const message of await refusals(target))
      expect(message).toMatch(
        /lost its primary key.*readings are missing.*select timescaledb_pre_restore\(\);/,
      );
    expect(await isReady(target)).toMatchObject({
      storage: false,
      fault: expect.stringContaining('lost its primary key'),
    });
    await drop();
  });

  it('a database in use stores nothing while a dump is restored into it, and accepts readings afterwards', async () => {
    const sql = source.superuser();
    await sql`select timescaledb_pre_restore()`;
    const pool = openIngestPool(source.target, { timeZone: 'UTC', max: 1 });
    const time = '2026-11-20T11:55:00Z';
    const store = () =>
      acceptReadings(pool, [reading(1, time, { pm25: 5 })], { now: NOW, source: 'test' });
    const failure = await store().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Unavailable);
    expect((failure as Error).message).toMatch(
      /restoring is on.*select timescaledb_post_restore\(\);$/,
    );
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // a younger pool is not replaced
    await sql`select timescaledb_post_restore()`;
    // the first statement may still meet a session of the restore, which is replaced then
    const accepted = () =>
      store().then(
        (result) => result.accepted,
        () => 0,
      );
    await expect.poll(accepted, { timeout: 5_000 }).toBe(1);
    await pool.close();
  });
});
