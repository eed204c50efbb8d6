/**
 * Backups by the words of two pages, which are run as they are written: a dump, a base
 * backup with the write-ahead log, and a copy of the embedded server's folder. Each is followed by
 * a mistake and restored; then all bodies are as before, byte for byte, the audit finds nothing,
 * and the service takes new readings in.
 */

import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { onConnection } from '../../src/database/client.ts';
import { openEmbeddedServer } from '../../src/extras/embedded/server.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { deleteReadings } from '../../src/ingest/store/deleteReadings.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { start } from '../../src/service.ts';
import { engines } from '../support/database.ts';
import { freePort } from '../support/freePort.ts';
import { beginRequest, httpGet } from '../support/http.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { findLocalTimescale } from '../support/localServer.ts';
import { patient } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { skipUnless } from '../support/tools.ts';
import { runAs, serverUser } from '../support/users.ts';

const TIMEOUT_MS = patient(240_000);
const NO_LOCAL = 'no PostgreSQL with TimescaleDB is installed';
const NOW = new Date('2026-11-20T12:00:00Z');
const ZONE = 'Asia/Yerevan';
const log = makeLog('silent');
const clock = () => NOW;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const PATHS = ['stations', ...[1, 2].flatMap((id) => [`station/${id}`, `station/${id}-history`])]
  .concat(['town', 'village'].flatMap((slug) => [`region/${slug}`, `region/${slug}-history`]))
  .map((path) => `/en/air-quality-app/v1/${path}.json`);
const local = await findLocalTimescale();
const server = serverUser();

/** The block of commands of a page that begins so. */
function words(beginning: string, page = 'src/database/README.md'): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const found = blocks.find((block) => block.startsWith(beginning));
  if (found === undefined) throw new Error(`no commands begin with ${beginning}`);
  return found;
}

/** An installation: how the service is told of its database, and where that is while it runs. */
type Place = {
  config: Partial<Config>;
  open(): Promise<{ target: DatabaseAddress; close(): Promise<void> }>;
};

type Ports = { api: number; ingest: number };

/** The service while `work` runs; its jobs run only when it starts, and no body is kept. */
async function serve<T>({ config }: Place, work: (ports: Ports) => Promise<T>): Promise<T> {
  const [port, adminPort, ingestPort] = [
    Number(await freePort()),
    Number(await freePort()),
    Number(await freePort()),
  ];
  const settings = readConfig({ DEMO: 'off', INGEST_RATE: '1000000', RESPONSE_CACHE_MB: '0' });
  const service = start(
    { ...settings, port, adminPort, ingestPort, ...config },
    { clock, log, schedule: () => async () => undefined },
  );
  try {
    await service.ready;
    return await work({ api: port, ingest: ingestPort });
  } finally {
    await service.stop(0);
  }
}

const bodies = ({ api }: Ports) => Promise.all(PATHS.map((path) => bodyOf(api, path)));

/** Asks again after a 503, as clients do: the machine may be busy with other tests. */
async function bodyOf(port: number, path: string): Promise<string> {
  for (;;) {
    const { status, body } = await httpGet(port, path);
    if (status === 200) return body;
    expect(status).toBe(503);
  }
}

/** Resolves to the status. */
async function push(
  port: number,
  token: string,
  ages: readonly number[],
  value: number,
): Promise<number> {
  const readings = ages.flatMap((age, n) =>
    [1, 2].map((id) => ({
      sensor_id: id,
      time: new Date(NOW.getTime() - age),
      pm25: value + (n % 40) + id,
    })),
  );
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const begun = beginRequest(port, { method: 'POST', path: '/v1/readings', headers });
  return (await begun.finish(JSON.stringify(readings))).status;
}

const nothing = async () => undefined;
const series = (count: number, step: number) => Array.from({ length: count }, (_, n) => n * step);

type Filled = { token: string; before: string[] };

/**
 * A network with readings of two years, and its bodies. `halfway` is called before those of the
 * last days arrive, `after` after that.
 */
async function fill(
  place: Place,
  {
    halfway = nothing,
    after = nothing,
  }: Partial<Record<'halfway' | 'after', () => Promise<void>>> = {},
): Promise<Filled> {
  const { target, close } = await place.open();
  await onConnection(target, {}, async (sql) => {
    await sql`alter system set fsync = off`; // nothing here need survive a power cut
    await sql`select pg_reload_conf()`;
  });
  await migrate(target, { timeZone: ZONE, now: NOW, log });
  const token = await onConnection(
    target,
    { role: 'airseries_owner', timeZone: ZONE },
    async (owner) => {
      await importNetwork(owner, JSON.stringify(citiesOfOneStation(['town', 'village'])), { log });
      return (await createToken(owner, { name: 'feed', provider: 'us', stations: null, now: NOW }))
        .token;
    },
  );
  const before = await serve(place, async (ports) => {
    expect(await push(ports.ingest, token, series(24, 30 * DAY_MS), 10)).toBe(200);
    await halfway();
    expect(await push(ports.ingest, token, series(200, HOUR_MS), 30)).toBe(200);
    await refresh(target, () => NOW);
    await makeDigest(target, NOW);
    const read = await bodies(ports);
    await after();
    return read;
  });
  await close();
  return { token, before };
}

async function makeMistake(place: Place): Promise<void> {
  const { target, close } = await place.open();
  const period = { sensor: 1, from: new Date('2026-10-01'), to: new Date('2026-12-01') };
  const deleted = await onConnection(target, { role: 'airseries_owner' }, (sql) =>
    deleteReadings(sql, period),
  );
  expect(deleted).toBeGreaterThan(200);
  await close();
}

const differing = async (target: DatabaseAddress) =>
  (await audit(target, { clock: () => NOW, from: new Date('2024-11-01'), timeZone: ZONE })).found;

/** What every restored database must do. */
async function keepsItsPromise(place: Place, { token, before }: Filled): Promise<void> {
  const { target, close } = await place.open();
  await serve(place, async (ports) => {
    expect(await bodies(ports)).toEqual(before);
    expect(await differing(target)).toEqual([]);
    expect(await push(ports.ingest, token, series(100, HOUR_MS), 50)).toBe(200);
    await refresh(target, () => NOW);
    await makeDigest(target, NOW);
    const after = await bodies(ports);
    expect(after.filter((body, n) => body !== before[n])).toHaveLength(PATHS.length);
    expect(await differing(target)).toEqual([]);
  });
  await close();
}

/**
 * What the words say for Docker, without it; the plain engine has no use for the lines of
 * TimescaleDB.
 */
const inDocker = (commands: string, engine: string) =>
  `docker() { case $* in 'compose exec -T database '*) shift 4; "$@" ;; esac; }
  ${engine === 'plain' ? commands.replaceAll(/^.*timescaledb_.*\n/gm, '') : commands}`;

/** An empty server of one's own, like that of the image, stopped after the test. */
async function openServer(engine: string, bin: string) {
  const folder = join(temporaryFolder('backup'), 'server');
  mkdirSync(join(folder, 'sql'), { recursive: true });
  copyFileSync(new URL('../../sql/roles.sql', import.meta.url), join(folder, 'sql/roles.sql'));
  chownSync(folder, server.uid, server.gid);
  const variables = {
    ...{
      PATH: `${bin}:/usr/bin:/bin`,
      LC_ALL: 'C',
      PGDATA: join(folder, 'data'),
      PGHOST: folder,
      PGUSER: 'airseries',
    },
    ...{ BACKUP: join(folder, 'backup'), ARCHIVE: join(folder, 'archive') },
  };
  const extension =
    engine === 'timescale'
      ? `timescaledb.telemetry_level = off\nshared_preload_libraries = timescaledb`
      : '';
  const run = async (commands: string, more = {}) => {
    const settings = Object.entries({ ...variables, ...more }).map(
      ([name, value]) => `export ${name}='${value}'\n`,
    );
    await runAs(server, '/bin/sh', ['-ec', `${settings.join('')}cd ${folder}\n${commands}`]);
  };
  await run(`
    mkdir "$ARCHIVE"
    initdb -D "$PGDATA" -U airseries -A trust -E UTF8 --locale=C --no-sync --wal-segsize=1 > "$PGDATA.log"
    cat >> "$PGDATA/postgresql.conf" << END
listen_addresses = ''
unix_socket_directories = '$PGHOST'
shared_buffers = 64MB
${extension}
END
    pg_ctl start -D "$PGDATA" -l "$PGDATA.log" > /dev/null
    psql -X -q -d postgres -c 'create database airseries'`);
  onTestFinished(() => run('pg_ctl stop -m immediate -D "$PGDATA" > /dev/null'));
  if (engine === 'timescale')
    await run("psql -X -q -d airseries -c 'create extension timescaledb'");
  const target = { host: folder, port: 5432, user: 'airseries', database: 'airseries' };
  const place: Place = {
    // the driver takes either; the tests have a socket
    config: { databaseUrl: target as unknown as string },
    open: async () => ({ target, close: async () => undefined }),
  };
  return { place, target, run };
}

test('the embedded server’s folder, copied while it is stopped', {
  timeout: TIMEOUT_MS,
}, async () => {
  const folder = temporaryFolder('backup');
  const config = { dataDirectory: join(folder, '.airseries') };
  const place: Place = {
    config,
    open: () => openEmbeddedServer({ ...config, log }),
  };
  const filled = await fill(place);
  const [backUp = '', restore = ''] = words(
    'cp -a .airseries',
    'src/extras/embedded/README.md',
  ).split(/(?<=\n)(?=mv)/);
  execFileSync('/bin/sh', ['-ec', backUp], { cwd: folder });
  await makeMistake(place);
  execFileSync('/bin/sh', ['-ec', restore], { cwd: folder });
  await keepsItsPromise(place, filled);
});

describe.each(engines)('on %s', (engine) => {
  test('a dump, and a base backup with the log since then, of a server of one’s own', {
    timeout: TIMEOUT_MS,
    ...skipUnless(local !== undefined, NO_LOCAL),
  }, async () => {
    const { place, target, run } = await openServer(engine, local?.bin ?? '');
    await run(words('psql -X -d postgres -c "alter system set archive_mode'));
    const filled = await fill(place, {
      halfway: () => run(words('pg_basebackup')),
      after: () => run(inDocker(words('docker compose exec -T database pg_dump'), engine)),
    });
    const moment = await onConnection(target, {}, async (sql) => {
      const [row] = await sql<[{ time: string; lsn: string }]>`
          select clock_timestamp()::text as time, pg_create_restore_point('before the mistake')::text as lsn`;
      return row;
    });
    await makeMistake(place);

    const other = await openServer(engine, local?.bin ?? '');
    await run(inDocker(words('docker compose up --wait database'), engine), {
      PGHOST: other.target.host,
    });
    await keepsItsPromise(other.place, filled);

    // to two moments, because the first return begins a history of its own
    const back = words('pg_ctl stop');
    const line = "recovery_target_time = '$MOMENT'";
    const second =
      engine === 'plain'
        ? (['name', 'before the mistake'] as const)
        : (['lsn', moment.lsn] as const);
    for (const [kind, MOMENT] of [['time', moment.time], second] as const) {
      const instead = `recovery_target_${kind} = '$MOMENT'`;
      await run(`rm -rf "$PGDATA.broken"; ${back.replace(line, instead)}`, { MOMENT });
    }
    await keepsItsPromise(place, filled);
  });
});
