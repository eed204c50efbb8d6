/**
 * Backups by the commands of the page, which are run as they are written: a dump, and a base backup
 * with the write-ahead log. Each is followed by a mistake and restored; then all bodies are as
 * before, byte for byte, the audit finds nothing, and the service accepts new readings.
 */
import { chownSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, onTestFinished, test } from 'vitest';
import { onConnection } from '../../src/database/client.ts';
import { engines } from '../support/database.ts';
import { findLocalTimescale } from '../support/run/localServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { skipUnless } from '../support/tools.ts';
import { runAs, serverUser } from '../support/users.ts';
import { fill, keepsItsPromise, makeMistake, type Place, TIMEOUT_MS, words } from './backup.ts';

const NO_LOCAL = 'no PostgreSQL with TimescaleDB is installed';
const local = await findLocalTimescale();
const server = serverUser();

/**
 * Commands that are written for Docker, without it; the plain engine leaves out the lines for
 * TimescaleDB.
 */
const inDocker = (commands: string, engine: string) =>
  `docker() { case $* in 'compose exec -T database '*) shift 4; "$@" ;; esac; }
  ${engine === 'plain' ? commands.replaceAll(/^.*timescaledb_.*\n/gm, '') : commands}`;

/** An empty server like the one in the image, stopped after the test. */
async function openServer(engine: string, bin: string) {
  const folder = join(temporaryFolder('backup'), 'server');
  mkdirSync(join(folder, 'sql'), { recursive: true });
  copyFileSync(new URL('../../sql/roles.sql', import.meta.url), join(folder, 'sql/roles.sql'));
  chownSync(folder, server.uid, server.gid);
  const variables = {
    PATH: `${bin}:/usr/bin:/bin`,
    LC_ALL: 'C',
    PGDATA: join(folder, 'data'),
    PGHOST: folder,
    PGUSER: 'airseries',
    BACKUP: join(folder, 'backup'),
    ARCHIVE: join(folder, 'archive'),
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

describe.each(engines)('on %s', (engine) => {
  test('a dump and a base backup with the log since then each restore everything', {
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
