/**
 * After a restore or a failover the database may know less than was served before: no document that
 * was kept before it is served.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import { connect } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { makeApp } from '../../src/serve/app.ts';
import { watchDataVersion } from '../../src/serve/dataVersion.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { request } from '../support/request.ts';
import { startPostgres } from '../support/run/postgres.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';

const log = makeLog('silent');
const network = citiesOfOneStation(['town']);
const named = (title: string) => ({
  ...network,
  stations: network.stations.map((one) => ({ ...one, title: { en: title } })),
});

onEveryEngineInAll('an API whose database is replaced by its backup', (engine) => {
  it('no kept document is served once the database is replaced by its backup, even at the same data version', async () => {
    const here: Installation = await install(engine, named('As in the backup'));
    const server = here.database.target;
    const [live, backup] = [String(server.database), `${server.database}_backup`];
    const administrator = connect({ ...server, database: 'postgres' }, {});
    const disconnect = async (name: string) => {
      await administrator.unsafe(`alter database ${name} allow_connections false`);
      await administrator`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`;
    };
    await disconnect(live);
    await administrator.unsafe(`create database ${backup} template ${live}`);
    for (const name of [live, backup])
      await administrator.unsafe(`alter database ${name} allow_connections true`);
    const db = openReaderPool(server, { timeZone: 'UTC', max: 2 });
    const changes: string[] = [];
    const onHistoryChange = (change: string) => changes.push(change);
    const watch = { db, clock: () => NOW, log, pollMs: 10, onHistoryChange };
    const versions = watchDataVersion(watch);
    const cache = { maxBytes: 1e6, versions };
    const api = createServer(makeApp({ db, clock: () => NOW, siteBaseUrl: '', log, cache })).listen(
      0,
    );
    const title = async () => {
      const { status, body, headers } = await request(api).get(
        '/en/air-quality-app/v1/station/1.json',
      );
      return status === 200 && headers.age === undefined ? body.title : status;
    };

    await here.importNetwork(named('Lost'));
    const [row] = await here.published`select data_version from api.freshness`;
    const version: number = row?.data_version;
    await expect.poll(() => versions.current()?.version).toBe(version);
    await expect.poll(title).toBe('Lost');

    const restored = connect({ ...server, database: backup }, {});
    await restored`update rollup.freshness set data_version = ${version}`;
    await restored.end();
    await disconnect(live);
    await administrator.unsafe(`alter database ${live} rename to ${live}_lost`);
    await administrator.unsafe(`alter database ${backup} rename to ${live}`);
    await expect.poll(title).toBe('As in the backup');
    expect(versions.current()?.version).toBe(version);
    expect(changes).toEqual(['replaced']);

    await new Promise((resolve) => api.close(resolve));
    versions.close();
    await db.destroy();
    await administrator.unsafe(`drop database ${live}_lost`);
    await administrator.end();
    await here.close();
  });
});

it(
  'a former primary is not trusted while it is a replica of another, and begins a history as the primary',
  needs('all'),
  async () => {
    const dataDirectory = temporaryFolder('former');
    let server = await startPostgres(dataDirectory);
    const cluster = server.data;
    const former = join(dataDirectory, 'former');
    const signal = (name: string) => {
      const { uid, gid } = statSync(cluster);
      writeFileSync(join(cluster, name), '');
      chownSync(join(cluster, name), uid, gid);
    };
    await migrate(server.target, { now: NOW, log });
    const db = openReaderPool(server.target, { timeZone: 'UTC', max: 1 });
    const changes: string[] = [];
    let polls = 0;
    const clock = () => {
      polls += 1;
      return NOW;
    };
    const onHistoryChange = (change: string) => changes.push(change);
    const versions = watchDataVersion({ db, clock, log, pollMs: 10, onHistoryChange });
    onTestFinished(async () => {
      versions.close();
      await db.destroy();
      await server.close();
    });
    const restart = async (change: () => void) => {
      await server.close();
      change();
      server = await startPostgres(dataDirectory);
    };
    const seen = () => versions.current()?.history;
    const polled = async () => {
      const before = polls;
      await expect.poll(() => polls).toBeGreaterThan(before + 5);
    };
    await expect.poll(seen).toBe(1);
    await restart(() => undefined);
    await polled();
    expect(seen(), 'a restart changes nothing').toBe(1);

    await restart(() => {
      execFileSync('cp', ['-a', cluster, former]);
      appendFileSync(join(cluster, 'postgresql.conf'), "restore_command = 'false'\n");
      signal('recovery.signal');
    });
    await expect.poll(seen).toBe(2);
    expect(changes).toEqual(['promoted']);

    const swap = () => {
      renameSync(cluster, `${former}-2`);
      renameSync(former, cluster);
      renameSync(`${former}-2`, former);
    };
    const asReplica = () => {
      swap();
      signal('standby.signal');
    };
    // not a change yet: for minutes a replica of the new primary names the old timeline, too
    await restart(asReplica);
    await polled();
    expect(seen()).toBe(2);
    await restart(() => rmSync(join(cluster, 'standby.signal')));
    await expect.poll(seen).toBe(3);
    expect(changes).toEqual(['promoted', 'set_back']);

    await restart(swap);
    await expect.poll(seen).toBe(4);
    const version = versions.current()?.version ?? 0;
    const sql = connect(server.target, {});
    await sql`update rollup.freshness set data_version = data_version + 1`.finally(() => sql.end());
    await expect.poll(() => versions.current()?.version).toBe(version + 1);
    await restart(asReplica);
    await polled();
    expect([versions.current(), versions.lastKnown()?.history]).toEqual([undefined, 4]);
    expect(changes).toEqual(['promoted', 'set_back', 'promoted']);
  },
);
