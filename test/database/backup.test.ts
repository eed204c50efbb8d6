/**
 * Backups by the words of src/database/README.md, which are run as they are written: a dump, a base backup with the write-ahead log, and a
 * copy of the embedded server's folder. Each is followed by a mistake and restored; then all bodies are as before, byte for byte, the
 * audit finds nothing, and the service takes load, with LOAD_SECONDS=600 for ten minutes.
 */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { connect, type DatabaseAddress, onConnection } from '../../src/database/client.ts';
import { currentUser, isRoot, runAs, unprivilegedUser } from '../../src/embedded/home.ts';
import { openDatabase } from '../../src/embedded/open.ts';
import { findLocalTimescale } from '../../src/embedded/program.ts';
import { deleteReadings } from '../../src/ingest/deleteReadings.ts';
import { makeLog } from '../../src/log.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { createToken } from '../../src/push/tokens.ts';
import { audit } from '../../src/rollups/audit.ts';
import { refresh } from '../../src/rollups/refresh.ts';
import { start } from '../../src/service.ts';
import { engines } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { addressVariables, freePort } from '../support/program.ts';
import { beginRequest, httpGet } from '../support/service.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const LOAD_SECONDS = Number(process.env.LOAD_SECONDS ?? 0);
const TIMEOUT_MS = 120_000 + LOAD_SECONDS * 8_000;
const NOW = new Date('2026-11-20T12:00:00Z');
const ZONE = 'Asia/Yerevan';
const log = makeLog('silent');
const clock = () => NOW;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const PATHS = ['stations', ...[1, 2].flatMap((id) => [`station/${id}`, `station/${id}-history`])]
  .concat(['town', 'village'].flatMap((slug) => [`region/${slug}`, `region/${slug}-history`]))
  .map((path) => `/en/air-quality-app/v1/${path}.json`);
const local = await findLocalTimescale();
const server = isRoot() ? unprivilegedUser() : currentUser();

/** The block of commands of src/database/README.md that begins so. */
function words(beginning: string): string {
  const text = readFileSync(new URL('../../src/database/README.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const found = blocks.find((block) => block.startsWith(beginning));
  if (found === undefined) throw new Error(`no commands begin with ${beginning}`);
  return found;
}

/** An installation: how the service is told of its database, and where that is while it runs. */
type Place = { config: Partial<Config>; open(): Promise<{ target: DatabaseAddress; close(): Promise<void> }> };

/** The service while `work` runs; its jobs run only when it starts. */
async function serve<T>({ config }: Place, work: (ports: { api: number; ingest: number }) => Promise<T>): Promise<T> {
  const [port, adminPort, ingestPort] = [Number(await freePort()), Number(await freePort()), Number(await freePort())];
  const service = start(
    { ...readConfig({ DEMO: 'off', INGEST_RATE: '1000000' }), port, adminPort, ingestPort, ...config },
    { clock, log, schedule: () => async () => undefined },
  );
  try {
    await service.ready;
    return await work({ api: port, ingest: ingestPort });
  } finally {
    await service.stop(0);
  }
}

const bodies = (place: Place) =>
  serve(place, async ({ api }) => {
    const answers = await Promise.all(PATHS.map((path) => httpGet(api, path)));
    expect(answers.map(({ status }) => status)).toEqual(PATHS.map(() => 200));
    return answers.map(({ body }) => body);
  });

async function push(port: number, token: string, ages: readonly number[], value: number): Promise<void> {
  const readings = ages.flatMap((age, n) =>
    [1, 2].map((id) => ({ sensor_id: id, time: new Date(NOW.getTime() - age), pm25: value + (n % 40) + id })),
  );
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const begun = beginRequest(port, { method: 'POST', path: '/v1/readings', headers });
  expect(await begun.finish(JSON.stringify(readings))).toMatchObject({ status: 200 });
}

const series = (count: number, step: number) => Array.from({ length: count }, (_, n) => n * step);

/** The network, a token, which is returned, and readings of two years. */
async function fill(place: Place): Promise<string> {
  const { target, close } = await place.open();
  const token = await serve(place, async () => {
    const owner = connect(target, { role: 'airseries_owner', timeZone: ZONE });
    await importNetwork(owner, JSON.stringify(citiesOfOneStation(['town', 'village'])), { log });
    const made = await createToken(owner, { name: 'feed', provider: 'us', stations: null, now: NOW });
    await owner.end();
    return made.token;
  });
  await serve(place, ({ ingest }) => push(ingest, token, series(70, 10 * DAY_MS + HOUR_MS), 10));
  await close();
  return token;
}

/** The last days, hour by hour: what comes between a base backup and the moment that is restored. */
async function goOn(place: Place, token: string): Promise<void> {
  await serve(place, ({ ingest }) => push(ingest, token, series(200, HOUR_MS), 30));
}

async function makeMistake(place: Place): Promise<void> {
  const { target, close } = await place.open();
  const period = { sensor: 1, from: new Date('2026-10-01'), to: new Date('2026-12-01') };
  await onConnection(target, { role: 'airseries_owner' }, (sql) => deleteReadings(sql, period));
  await close();
}

const differing = async (target: DatabaseAddress) =>
  (await audit(target, { now: NOW, from: new Date('2024-11-01'), timeZone: ZONE })).found;

/** What every restored database must do. */
async function keepsItsPromise(place: Place, before: string[], token: string, { annotate }: TestContext) {
  const { target, close } = await place.open();
  expect(await bodies(place)).toEqual(before);
  expect(await differing(target)).toEqual([]);
  const tally = await takeLoad(place, target, token);
  const after = await bodies(place);
  expect(after.filter((body, n) => body !== before[n])).toHaveLength(PATHS.length);
  expect(await differing(target)).toEqual([]);
  await close();
  if (LOAD_SECONDS > 0) await annotate(`${LOAD_SECONDS} s of load: ${JSON.stringify(tally)}`);
}

/** Senders, readers and refreshes side by side: each once or, with LOAD_SECONDS, until these are over. */
async function takeLoad(place: Place, target: DatabaseAddress, token: string): Promise<Record<string, number>> {
  const end = performance.now() + LOAD_SECONDS * 1_000;
  const tally: Record<string, number> = {};
  const repeat = async (what: string, once: (turn: number) => Promise<unknown>) => {
    let turn = 0;
    do {
      await once(turn);
      turn += 1;
      tally[what] = (tally[what] ?? 0) + 1;
    } while (performance.now() < end);
  };
  const late = (turn: number) => series(100, HOUR_MS).map((age) => age + ((turn * 61) % 9_000) * 60_000);
  await serve(place, async ({ api, ingest }) => {
    await Promise.all([
      repeat('batches of 200 readings', (turn) => push(ingest, token, late(turn), 50 + (turn % 100))),
      repeat('late batches of 200 readings', (turn) => push(ingest, token, late(turn * 7 + 3), 60)),
      repeat('refreshes', () => refresh(target, NOW)),
      ...PATHS.map((path) =>
        repeat('documents', async () => expect(await httpGet(api, path)).toMatchObject({ status: 200 })),
      ),
    ]);
  });
  await refresh(target, NOW);
  return tally;
}

/** Runs commands in a shell: as the user of the server, since they start it, or as this one. */
async function shell(script: string, variables: Record<string, string>, folder?: string): Promise<void> {
  const settings = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  const text = `${settings.join('')}${script}`;
  if (folder === undefined) await runAs(server, '/bin/sh', ['-ec', text]);
  else execFileSync('/bin/sh', ['-ec', text], { cwd: folder, stdio: 'pipe' });
}

/** An empty server of one's own, like that of the image, stopped after the test. */
async function openServer(engine: string, bin: string) {
  const folder = join(temporaryFolder('backup'), 'server');
  mkdirSync(folder);
  chownSync(folder, server.uid, server.gid);
  const variables = {
    ...{ PATH: `${bin}:/usr/bin:/bin`, LC_ALL: 'C', PGDATA: join(folder, 'data'), PGHOST: folder, PGUSER: 'airseries' },
    ...{ BACKUP: join(folder, 'backup'), ARCHIVE: join(folder, 'archive') },
  };
  const extension =
    engine === 'timescale' ? `timescaledb.telemetry_level = off\nshared_preload_libraries = timescaledb` : '';
  const run = (script: string, more = {}) => shell(script, { ...variables, ...more });
  await run(`
    mkdir "$ARCHIVE"
    initdb -D "$PGDATA" -U airseries -A trust -E UTF8 --locale=C --no-sync > "$PGDATA.log"
    cat >> "$PGDATA/postgresql.conf" << END
listen_addresses = ''
unix_socket_directories = '$PGHOST'
fsync = off
shared_buffers = 64MB
${extension}
END
    pg_ctl start -D "$PGDATA" -l "$PGDATA.log" > /dev/null
    psql -X -q -d postgres -c 'create database airseries'`);
  onTestFinished(() => run('pg_ctl stop -m immediate -D "$PGDATA" > /dev/null'));
  if (engine === 'timescale') await run("psql -X -q -d airseries -c 'create extension timescaledb'");
  const target = { host: folder, port: 5432, user: 'airseries', database: 'airseries' };
  const place: Place = {
    config: { databaseUrl: target as unknown as string }, // the driver takes either; the tests have a socket
    open: async () => ({ target, close: async () => undefined }),
  };
  return { place, target, run };
}

describe.each(engines)('on %s', (engine) => {
  test('the embedded server’s folder, copied while it is stopped', { timeout: TIMEOUT_MS }, async (context) => {
    const folder = temporaryFolder('backup');
    const embedded = engine === 'timescale' ? 'local' : 'bundled';
    if (embedded === 'local' && local === undefined) context.skip('no local PostgreSQL with TimescaleDB');
    const config = { dataDirectory: join(folder, '.airseries'), embedded } as const;
    const place: Place = { config, open: () => openDatabase({ ...config, databaseUrl: undefined }, log) };
    const token = await fill(place);
    await goOn(place, token);
    const before = await bodies(place);
    const [backUp = '', restore = ''] = words('cp -a .airseries').split(/(?<=\n)(?=mv)/);
    await shell(backUp, {}, folder);
    await makeMistake(place);
    await shell(restore, {}, folder);
    await keepsItsPromise(place, before, token, context);
  });

  test.skipIf(local === undefined)('a dump, made while the service runs', { timeout: TIMEOUT_MS }, async (context) => {
    const { place, target } = await openServer(engine, local?.bin ?? '');
    const folder = temporaryFolder('dump');
    symlinkSync(new URL('../../sql', import.meta.url).pathname, join(folder, 'sql'));
    // what the words say for Docker, without it; the plain engine has no use for the lines of TimescaleDB
    const docker = 'docker() { case $* in \'compose exec -T database \'*) shift 4; "$@" ;; esac; }\n';
    const run = (script: string, to: DatabaseAddress) =>
      shell(
        docker + (engine === 'plain' ? script.replaceAll(/^.*timescaledb_.*\n/gm, '') : script),
        { PATH: `${local?.bin}:/usr/bin:/bin`, ...addressVariables(to) },
        folder,
      );
    const token = await fill(place);
    await goOn(place, token);
    const before = await bodies(place);
    await serve(place, () => run(words('docker compose exec -T database pg_dump'), target));
    const other = await openServer(engine, local?.bin ?? '');
    await run(words('docker compose up --wait database'), other.target);
    await keepsItsPromise(other.place, before, token, context);
  });

  test.skipIf(local === undefined)(
    'a base backup and the log since then, to any moment',
    { timeout: TIMEOUT_MS },
    async (context) => {
      const { place, target, run } = await openServer(engine, local?.bin ?? '');
      const token = await fill(place);
      await run(words('psql -X -d postgres -c "alter system set archive_mode'));
      await run(words('pg_basebackup'));
      await goOn(place, token);
      const before = await bodies(place);
      const moment = await onConnection(target, {}, async (sql) => {
        const [row] = await sql<[{ time: string; lsn: string }]>`
          select clock_timestamp()::text as time, pg_create_restore_point('before the mistake')::text as lsn`;
        return row;
      });
      await makeMistake(place);
      const back = words('pg_ctl stop');
      const line = "recovery_target_time = '$MOMENT'";
      for (const [instead, MOMENT] of [
        [line, moment.time],
        ["recovery_target_lsn = '$MOMENT'", moment.lsn],
        ["recovery_target_name = '$MOMENT'", 'before the mistake'],
      ] as const) {
        await run(`rm -rf "$PGDATA.broken"; ${back.replace(line, instead)}`, { MOMENT });
        expect(await bodies(place), instead).toEqual(before);
      }
      await keepsItsPromise(place, before, token, context);
    },
  );
});
