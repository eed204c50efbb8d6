/**
 * After a restore or a failover the database may know less than was served before: nothing kept
 * from then is served.
 */
import { appendFileSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import { connect, type DatabaseAddress } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { openEmbeddedServer } from '../../src/extras/embedded/server.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { makeApp } from '../../src/serve/app.ts';
import { watchDataVersion } from '../../src/serve/dataVersion.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { request } from '../support/request.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const log = makeLog('silent');
const network = citiesOfOneStation(['town']);
const named = (title: string) => ({
  ...network,
  stations: network.stations.map((one) => ({ ...one, title: { en: title } })),
});

onEveryEngineInAll('an API whose database is replaced by its backup', (engine) => {
  it('serves nothing from before, though both count the same versions', async () => {
    const here: Installation = await install(engine, named('As in the backup'));
    const server = here.database.target;
    const [live, backup] = [String(server.database), `${server.database}_backup`];
    const administrator = connect({ ...server, database: 'postgres' }, {});
    const disconnect = (name: string) =>
      administrator`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`;
    await administrator.unsafe(`alter database ${live} allow_connections false`);
    await disconnect(live);
    await administrator.unsafe(`create database ${backup} template ${live}`);
    for (const name of [live, backup])
      await administrator.unsafe(`alter database ${name} allow_connections true`);
    const db = openReaderPool(server, { timeZone: 'UTC', max: 2 });
    const versions = watchDataVersion({ db, clock: () => NOW, log, pollMs: 10 });
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
    const lost = connect(server, {});
    const [{ version } = { version: 0 }] = await lost<
      { version: number }[]
    >`select data_version as version from rollup.freshness`;
    await lost.end();
    await expect.poll(() => versions.current()?.version).toBe(version);
    await expect.poll(title).toBe('Lost');

    const restored = connect({ ...server, database: backup }, {});
    await restored`update rollup.freshness set data_version = ${version}`;
    await restored.end();
    await administrator.unsafe(`alter database ${live} allow_connections false`);
    await disconnect(live);
    await administrator.unsafe(`alter database ${live} rename to ${live}_lost`);
    await administrator.unsafe(`alter database ${backup} rename to ${live}`);
    await expect.poll(title).toBe('As in the backup');
    expect(versions.current()?.version).toBe(version);

    await new Promise((resolve) => api.close(resolve));
    versions.close();
    await db.destroy();
    await administrator.unsafe(`drop database ${live}_lost`);
    await administrator.end();
    await here.close();
  });
});

it('a replica that is promoted has a history of its own', async () => {
  const dataDirectory = temporaryFolder('promotion');
  const opened = () => openEmbeddedServer({ dataDirectory, log });
  const historyOf = async (target: DatabaseAddress) => {
    const db = openReaderPool(target, { timeZone: 'UTC', max: 1 });
    const row = await db.selectFrom('api.freshness').select('history').executeTakeFirst();
    await db.destroy();
    return row?.history;
  };
  const first = await opened();
  await migrate(first.target, { now: NOW, log });
  const history = await historyOf(first.target);
  const sql = connect(first.target, {});
  const [ids] =
    await sql`select oid as database, 'rollup.freshness'::regclass::oid as table from pg_database where datname = current_database()`;
  await sql.end();
  expect(history).toMatch(new RegExp(`^\\d+-1-${ids?.database}-${ids?.table}$`));
  await first.close();
  const again = await opened();
  expect(await historyOf(again.target)).toBe(history); // a restart changes nothing
  await again.close();
  const cluster = join(dataDirectory, 'bundled-18', 'data');
  appendFileSync(join(cluster, 'postgresql.conf'), "restore_command = 'false'\n");
  const signal = join(cluster, 'recovery.signal');
  writeFileSync(signal, '');
  const { uid, gid } = statSync(cluster);
  chownSync(signal, uid, gid); // it must be able to remove it
  const promoted = await opened();
  const [system, timeline, ...rest] = String(history).split('-');
  const next = [system, Number(timeline) + 1, ...rest].join('-');
  await expect.poll(() => historyOf(promoted.target)).toBe(next);
  await promoted.close();
});
