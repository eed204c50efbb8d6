/**
 * Aggregates whose definition has changed are built beside the old ones, which go on answering, and
 * a build that is killed anywhere is begun again. Readings that are written meanwhile are in
 * test/aggregate/engines.test.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import { audit } from '../../../src/aggregate/audit.ts';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../src/base/log.ts';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { connect, type Sql } from '../../../src/database/client.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import type { Definitions } from '../../../src/schema/template.ts';
import { storageOf } from '../../aggregate/storage.ts';
import { NOW } from '../../support/clock.ts';
import { isRepetition, onEveryEngine, testDatabase } from '../../support/database.ts';
import { changedDefinitions } from '../../support/definitions.ts';
import { lockWaits } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { needs } from '../../support/tools.ts';

const timeZone = 'Asia/Yerevan';
const log = makeLog('silent');
const PROCESS = new URL('migrateProcess.mjs', import.meta.url).pathname;

onEveryEngine('a rebuild', (engine) => {
  let target: DatabaseAddress;
  let owner: Sql;
  let superuser: Sql;
  let next: Definitions;
  /** Rain counts twice in the next version, so its sum tells which version's numbers are served. */
  const rain = async () =>
    (
      await owner`select total_rain from api.station_monthly where station_id = 1 and timestamp = '2026-09-01 00:00+04'`
    )[0]?.total_rain;
  const migrateProcess = () =>
    spawn(process.execPath, [PROCESS, JSON.stringify({ target, folder: next.folder, now: NOW })], {
      stdio: 'inherit',
    });
  /** True once it has connected, before which there is nothing to be killed in, or has ended. */
  const begun = (migrating: ChildProcess) => async () => {
    const connected = await owner`
      select from pg_stat_activity where datname = current_database() and application_name = 'airseries migrate'`;
    return connected.length > 0 || migrating.exitCode !== null;
  };
  const migrateNext = () => migrate(target, { now: NOW, log, definitions: next });
  const wrong = async () => (await audit(target, { clock: () => NOW, timeZone })).found;
  const leftovers = () => owner`select nspname from pg_namespace where nspname ~ '_(next|old)$'`;

  beforeEach(async () => {
    const database = await testDatabase(engine, timeZone);
    target = database.target;
    owner = database.as();
    superuser = database.superuser();
    await bringIn(owner, smallNetwork());
    await owner`insert into raw.readings (measured_at, sensor_id, pm25, rain)
      select at, sensor, 10, 1 from generate_series(timestamptz '2026-08-25', '2026-11-20 11:30Z', '1 hour') at, generate_series(1, 3) sensor`;
    await refresh(target, () => NOW);
    next = changedDefinitions(temporaryFolder('sql'), 'rollups/sensor_hourly.sql', (text) =>
      text.replace('sum(rain::float8)', '2 * sum(rain::float8)'),
    );
    return () => database.drop();
  });

  // in npm test: a killed one below, and the upgrades that lab/sim kills
  it(
    'a rebuild that was killed anywhere is completed by the next start, and the API answers all the while',
    needs('all'),
    async () => {
      const seen = new Set<unknown>();
      let kills = 0;
      for (let reads = 15; ; reads *= 2) {
        const migrating = migrateProcess();
        await expect.poll(begun(migrating), { interval: 10 }).toBe(true);
        for (let n = 0; n < reads && migrating.exitCode === null; n++) seen.add(await rain());
        if (migrating.exitCode === null) kills += 1;
        migrating.kill('SIGKILL');
        const [code] =
          migrating.exitCode === null ? await once(migrating, 'exit') : [migrating.exitCode];
        if (code === 0) break;
      }
      expect(kills).toBeGreaterThan(2);
      seen.add(await rain());
      expect([...seen]).toEqual([30 * 24, 2 * 30 * 24]);
      await refresh(target, () => NOW);
      expect(
        await owner`select station_id, first_hour, last_hour, shown_at from api.changes('-infinity', 'infinity')
        where reason = 'version'`,
      ).toEqual([
        {
          station_id: null,
          first_hour: '2026-08-25T00:00:00+04:00',
          last_hour: '2026-11-20T15:00:00+04:00',
          shown_at: '2026-11-20T16:00:00+04:00',
        },
      ]);
      expect(await wrong()).toEqual([]);
      expect(await leftovers()).toEqual([]);
    },
  );

  it('a rebuild drops the replaced schema that a killed one has left', async () => {
    await owner`create schema rollup_old`;
    await migrateNext();
    expect(await rain()).toBe(2 * 30 * 24);
    expect(await leftovers()).toEqual([]);
    expect(await wrong()).toEqual([]);
  });

  if (isRepetition(engine)) return;

  it('a rebuild that waits for a long statement lets other readers through', async () => {
    const end = await openTransaction(owner, 'select from api.station_monthly');
    const migrating = migrateNext();
    const waiting = () => lockWaits(superuser, { of: 'airseries migrate' });
    await expect.poll(waiting, { interval: 5 }).toHaveLength(1);
    const reader = connect(target, { role: 'airseries_owner', max: 1 });
    await reader`set lock_timeout = '10s'`; // its turn comes after a quarter of a second
    for (let n = 0; n < 5; n++)
      expect((await reader`select from api.station_monthly`).length).toBeGreaterThan(0);
    await end('rollback');
    await migrating;
    expect(await rain()).toBe(2 * 30 * 24);
    await reader.end();
  });

  it('a rebuild of functions waits for the running step of a refresh', async () => {
    const blocker = connect(target, { role: 'airseries_owner', max: 1 });
    const waits = (type: string) => async () =>
      (
        await owner`select count(*)::int as waiting from pg_locks
          where not granted and locktype = ${type} and database = (select oid from pg_database where datname = current_database())`
      )[0]?.waiting;
    // a step that has computed the hours of sensors, and committed them
    await owner`insert into raw.readings (measured_at, sensor_id, rain) values ('2026-11-20 11:45Z', 1, 5)`;
    await blocker`begin`;
    await blocker.unsafe(
      `lock table ${await storageOf(blocker, 'station_hourly')} in share row exclusive mode`,
    );
    const refreshing = refresh(target, () => NOW);
    await expect.poll(waits('relation'), { interval: 10 }).toBe(1);

    const definitions = changedDefinitions(temporaryFolder('sql'), 'logic/30_stale.sql', (text) =>
      text.replace('coalesce(sum(', 'coalesce( sum('),
    );
    let isDone = false;
    const migrating = migrate(target, { now: NOW, log, definitions }).finally(() => {
      isDone = true;
    });
    const isDoneOrWaits = async () => isDone || (await waits('advisory')()) === 1;
    await expect.poll(isDoneOrWaits, { interval: 10 }).toBe(true);
    await blocker`commit`;
    await Promise.all([refreshing, migrating, blocker.end()]);
    expect(await wrong()).toEqual([]);
  });

  it('a started rebuild that is no longer needed is dropped', needs('all'), async () => {
    const migrating = migrateProcess();
    await expect.poll(leftovers, { interval: 5 }).toHaveLength(1);
    migrating.kill('SIGKILL');
    await once(migrating, 'exit');
    await migrate(target, { now: NOW, log });
    expect(await leftovers()).toEqual([]);
    expect(await rain()).toBe(30 * 24);
    expect(await wrong()).toEqual([]);
  });
});
