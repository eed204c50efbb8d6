/**
 * What a data directory holds already: a database that this program cannot serve is named, with
 * what to do, and not left for an empty one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { makeHome, runAs } from '../../../src/extras/embedded/home.ts';
import { openEmbeddedServer } from '../../../src/extras/embedded/server.ts';
import { findLocalTimescale } from '../../support/localServer.ts';
import { skipUnless } from '../../support/tools.ts';
import {
  homeOf,
  local,
  NO_LOCAL,
  open,
  query,
  responds,
  TIMEOUT_MS,
  temporaryDirectory,
} from './support.ts';

const log = makeLog('silent');
const installed = await findLocalTimescale();

/**
 * A data directory with what is left of servers: what their clusters contain isn't looked at before
 * they are started.
 */
function holding(...names: string[]): string {
  const dataDirectory = temporaryDirectory();
  for (const name of names) {
    const { directory, data } = makeHome(dataDirectory, 99);
    mkdirSync(data);
    renameSync(directory, join(dataDirectory, name));
  }
  return dataDirectory;
}

const refusal = (dataDirectory: string) =>
  openEmbeddedServer({ dataDirectory, log }).then(
    () => 'none',
    (error: Error) => error.message,
  );

test('a database of an installed PostgreSQL is not started, and the commands that are named dump it', {
  timeout: TIMEOUT_MS,
  ...skipUnless(installed?.bin.startsWith('/usr/lib/postgresql/') === true, NO_LOCAL),
}, async () => {
  const dataDirectory = join(temporaryDirectory(), "people's data");
  const server = await open(dataDirectory, local);
  await query(server, async (sql) => {
    await sql`create extension timescaledb`;
    await sql`create table kept as select 'Երևան' as word`;
  });
  await server.close();
  const home = homeOf(server);
  const name = `local-${Number.parseInt(server.version, 10)}`;
  renameSync(home, join(dataDirectory, name));

  const message = await refusal(dataDirectory);
  expect(message).toMatch(/^The database in \S+people's data\/local-\d+ \(DATA_DIR\) was made by/);
  expect(readdirSync(dataDirectory)).toEqual([name]); // no other cluster was made
  const commands = [...message.matchAll(/^ {2}(.*)$/gm)].map(([, line = '']) => line);
  const folder = temporaryDirectory();
  const shell = (command: string) =>
    execFileSync('/bin/sh', ['-ec', command], { cwd: folder, encoding: 'utf8' });
  for (const command of commands) shell(command);
  expect(existsSync(join(dataDirectory, name, 'data', 'postmaster.pid'))).toBe(false);
  expect(shell('pg_restore -f - airseries.dump')).toMatch(/COPY public\.kept.*\nԵրևան\n/);
});

test.each([
  [
    'bundled-17',
    /bundled-17 \(DATA_DIR\) needs PostgreSQL 17\. This version of airseries brings PostgreSQL 18\.4\. Start the version of airseries that made/,
  ],
  [
    'local-15',
    /local-15 \(DATA_DIR\) was made by an installed PostgreSQL 15 with TimescaleDB.*\/15\/bin\/pg_ctl start .*pg_dump.*DATABASE_URL/s,
  ],
])('%s alone', async (name, said) => {
  const dataDirectory = holding(name);
  expect(await refusal(dataDirectory)).toMatch(said);
  expect(readdirSync(dataDirectory)).toEqual([name]);
});

test('of several databases none is chosen silently', async () => {
  expect(await refusal(holding('bundled-18', 'local-15'))).toContain(
    'local-15 (DATA_DIR) was made by',
  );
  expect(await refusal(holding('bundled-18', 'bundled-19'))).toMatch(
    /There are 2 databases .*bundled-18 and .*bundled-19\. .*Move the other folder away/,
  );
});

test('what a start that was killed has left of a new cluster is removed by the next', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dataDirectory = temporaryDirectory();
  const { directory, user } = makeHome(dataDirectory, 18);
  const drafts = () => readdirSync(directory).filter((each) => each.startsWith('draft-'));
  const leave = (name: string) => runAs(user, 'mkdir', ['-p', join(directory, name, 'base')]);
  await leave('draft-1');
  const first = await open(dataDirectory);
  expect([drafts(), await responds(first)]).toEqual([[], true]);
  await first.close();
  await leave('draft-2');
  expect([await responds(await open(dataDirectory)), drafts()]).toEqual([true, []]);
});
