/**
 * Processes of two versions beside each other: no answer is empty, wrong or refused while one
 * replaces the objects that the other queries.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngine } from '../../support/database.ts';
import { changedDefinitions } from '../../support/definitions.ts';
import { beginBatch, httpGet } from '../../support/http.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../../support/installation.ts';
import { lockWaits } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { addressVariables } from '../../support/program.ts';
import { type Service, startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const log = makeLog('silent');
const HOUR = 3_600_000;
const PATHS = [
  'station/1-history',
  'region/alpha-history',
  'station/2',
  'region/beta',
  'stations',
].map((path) => `/en/air-quality-app/v1/${path}.json`);

/** The rain of the last 24 hours. */
const rainOf = (history: string): number[] =>
  JSON.parse(history)['24h'].map((point: { total_rain: number }) => point.total_rain);

onEveryEngine('a service while another version migrates its database', (engine) => {
  let here: Installation;
  let services: Service[];
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['alpha', 'beta']));
    const hours = Array.from({ length: 24 * 40 }, (_, n) => NOW.getTime() - (n + 1) * HOUR);
    await here.accept(
      hours.flatMap((at) => [1, 2].map((sensor) => reading(sensor, at, { pm25: 10, rain: 1 }))),
    );
    await here.refresh(NOW);
    await here.digest(NOW);
    services = [await startService(here), await startService(here, { RESPONSE_CACHE_MB: '0' })];
  });
  afterAll(async () => {
    for (const service of services) service.kill('SIGKILL');
    await Promise.all(services.map((service) => service.finished));
    await here.close();
  });

  it('a service answers with the old numbers, then the new ones, and accepts readings all the while, there and back', async () => {
    /** Rain counts twice in the next version, so its sum tells which version is served. */
    const next = changedDefinitions(temporaryFolder('sql'), 'rollups/sensor_hourly.sql', (text) =>
      text.replace('sum(rain::float8)', '2 * sum(rain::float8)'),
    );
    const failures: string[] = [];
    const rains = new Set<string>();
    let isOver = false;
    const reads = services.map(async (service) => {
      for (let n = 0; !isOver; n++) {
        const path = PATHS[n % PATHS.length] as string;
        const { status, body } = await httpGet(service.port.public, path);
        if (status !== 200) failures.push(`${path} ${status} ${body}`);
        else if (path.endsWith('history.json')) rains.add(String(rainOf(body)));
      }
    });
    const pushes = services.map(async (service) => {
      for (let n = 0; !isOver; n++) {
        const time = new Date(NOW.getTime() - HOUR * (1 + (n % 500)) - 1_000 - n).toISOString();
        const { status, body } = await beginBatch(service, [
          { sensor_id: 1, time, 'pm2.5': 10 },
        ]).finish(']');
        if (status !== 200) failures.push(`push ${status} ${body}`);
      }
    });
    const now = NOW;
    const newest = async () =>
      rainOf((await httpGet((services[0] as Service).port.public, PATHS[0] as string)).body).at(-1);
    try {
      await migrate(here.database.target, { now, log, definitions: next });
      await expect.poll(newest).toBe(2);
      await migrate(here.database.target, { now, log });
      await expect.poll(newest).toBe(1);
    } finally {
      isOver = true;
      await Promise.all([...reads, ...pushes]);
    }
    expect(failures).toEqual([]);
    expect([...rains].toSorted()).toEqual([1, 2].map((rain) => String(Array(24).fill(rain))));
  });

  it('an import that began before a migration goes on to its end', async () => {
    const owner = here.database.as();
    const cli = new URL('../../../dist/cli.js', import.meta.url).pathname;
    const importing = spawn(process.execPath, [cli, 'import', 'readings', '-'], {
      env: {
        PATH: process.env.PATH,
        ...addressVariables(here.database.target),
        DATABASE_URL: 'postgres://',
      },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let log = '';
    importing.stderr.on('data', (text) => {
      log += text;
    });
    const lines = (minute: number) =>
      Array.from(
        { length: 60_000 },
        (_, n) => `1,${new Date(NOW.getTime() - n * 60_000 - minute).toISOString()},11\n`,
      );
    const stored = async () =>
      (await owner`select count(*)::int as n from raw.readings where pm25 = 11`)[0]?.n;
    const staged = async () =>
      (
        await owner`select sum(pg_relation_size(oid))::float8 as bytes from pg_class
          where relname = 'staged_reading' and relpersistence = 't'`
      )[0]?.bytes;
    importing.stdin.write(`sensor_id,time,pm2.5\n${lines(1).join('')}`);
    await expect.poll(staged).toBeGreaterThan(0);
    await owner`update raw.installation set repeatable = 'of another version'`;
    await migrate(here.database.target, { now: NOW, log: makeLog('silent') });
    importing.stdin.end(lines(2).join(''));
    const [code] = await once(importing, 'exit');
    expect([code, log]).toEqual([0, expect.not.stringContaining('"level":"error"')]);
    expect(await stored()).toBe(120_000);
  });

  it('a migration that waits for a long statement does not keep readers waiting behind it', async () => {
    const owner = here.database.as();
    const end = await openTransaction(owner, 'select from api.station, api.freshness');
    await owner`update raw.installation set repeatable = 'of another version'`;
    let isDone = false;
    const migrated = migrate(here.database.target, { now: NOW, log }).then(() => {
      isDone = true;
    });
    const waitsForLocks = async () =>
      (await owner`select from pg_locks where not granted`).length > 0;
    await expect.poll(waitsForLocks, { interval: 5 }).toBe(true);
    const [uncached] = services.slice(1) as [Service];
    for (let n = 0; n < 20; n++)
      expect((await httpGet(uncached.port.public, PATHS[2] as string)).status).toBe(200);
    expect(isDone).toBe(false);
    await end('rollback');
    await migrated;
  });

  it('a migration waits for a session that is raising the data version', async () => {
    const owner = here.database.as();
    const end = await openTransaction(owner, 'select logic.raise_data_version()');
    await owner`update raw.installation set repeatable = 'of another version'`;
    const migrated = migrate(here.database.target, { now: NOW, log }).then(
      () => 'done',
      (error: Error) => error.message,
    );
    const superuser = here.database.superuser();
    const at = 'raise_data_version';
    const waited = async () =>
      (await lockWaits(superuser, { of: 'airseries migrate', at }))[0]?.seconds ?? 0;
    await expect.poll(waited, { interval: 20 }).toBeGreaterThan(0.5);
    await end('commit');
    expect(await migrated).toBe('done');
  });
});
