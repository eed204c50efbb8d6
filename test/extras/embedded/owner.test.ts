/**
 * Processes come, go and are killed: one owns the server, no server is left behind, and the next
 * start works.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  homeOf,
  isGone,
  isUp,
  open,
  openElsewhere,
  postmasterPid,
  processesOf,
  query,
  responds,
  sharedDirectory,
  TIMEOUT_MS,
  until,
} from './support.ts';

/** Each test leaves no server behind, and its data to the next. */
const directory = sharedDirectory();

test('a server stops when its owner is killed', { timeout: TIMEOUT_MS }, async () => {
  const { child, server } = await openElsewhere(directory);
  child.kill('SIGKILL');
  await until(() => Object.values(processesOf(server)).flat().length === 0);
  expect(isUp(server)).toBe(false);
  expect(await responds(await open(directory))).toBe(true);
});

test('a server stays up when a process that only uses it is killed or leaves', {
  timeout: TIMEOUT_MS,
}, async () => {
  const mine = await open(directory);
  const [killed, leaves] = [await openElsewhere(directory), await openElsewhere(directory)];
  expect([mine, killed.server, leaves.server].map(({ startedHere }) => startedHere)).toEqual([
    true,
    false,
    false,
  ]);
  const pid = postmasterPid(mine);
  const exited = new Promise((resolve) => killed.child.once('exit', resolve));
  killed.child.kill('SIGKILL');
  await Promise.all([exited, leaves.close()]);
  expect([await responds(mine), postmasterPid(mine)]).toEqual([true, pid]);
  await mine.close();
  expect(isUp(mine)).toBe(false);
});

test.each(['killed', 'released'])(
  'after the owner was %s, another process starts the server again with its data, and owns it',
  { timeout: TIMEOUT_MS },
  async (how) => {
    const owner = await openElsewhere(directory);
    const mine = await open(directory);
    await query(mine, (sql) => sql`create table ${sql(how)} (n int)`);
    const old = postmasterPid(mine);
    if (how === 'killed') owner.child.kill('SIGKILL');
    else await owner.close();
    await until(() => isUp(mine) && postmasterPid(mine) !== old);
    const next = await open(directory); // once it is ready
    expect(await query(mine, (sql) => sql`select n from ${sql(how)}`)).toEqual([]);
    await next.close();
    expect(await responds(mine)).toBe(true);
    await mine.close();
    expect(isUp(mine)).toBe(false);
  },
);

test('a killed server is started again by its owner', { timeout: TIMEOUT_MS }, async () => {
  const mine = await open(directory);
  const { postgres, others } = processesOf(mine);
  process.kill(postmasterPid(mine), 'SIGKILL');
  await until(() => others.every(isGone) && isUp(mine) && !postgres.includes(postmasterPid(mine)));
  expect((await open(directory)).startedHere).toBe(false); // and it is ready
  await mine.close();
  expect(isUp(mine)).toBe(false);
});

test('a server whose start another one forestalls does not start later', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { child, server } = await openElsewhere(directory);
  child.kill('SIGSTOP'); // else it misses its socket
  const before = processesOf(server);
  const socket = join(homeOf(server), 'run', '.s.PGSQL.5432');
  const log = join(homeOf(server), 'server.log');
  const { uid, gid } = statSync(log);
  rmSync(log);
  execFileSync('mkfifo', [log]); // the next server waits until somebody reads its log
  chownSync(log, uid, gid);
  renameSync(socket, `${socket}.aside`);
  const joining = open(directory);
  await until(() => processesOf(server).others.length > before.others.length);
  renameSync(`${socket}.aside`, socket);
  expect((await joining).startedHere).toBe(false);
  await until(() => processesOf(server).others.length === before.others.length);
  rmSync(log);
  child.kill('SIGKILL');
  await until(() => Object.values(processesOf(server)).flat().length === 0);
});

test('an unrelated process that has the id in a stale postmaster.pid is left alone, and the error names the file', {
  timeout: TIMEOUT_MS,
}, async () => {
  const first = await open(directory);
  const file = join(homeOf(first), 'data', 'postmaster.pid');
  const { uid, gid } = statSync(file);
  const text = readFileSync(file, 'utf8');
  await first.close();
  const unrelated = spawn('sleep', ['60'], { uid, gid });
  onTestFinished(() => void unrelated.kill());
  writeFileSync(file, text.replace(/^\d+/, String(unrelated.pid)));
  chownSync(file, uid, gid);
  await expect(open(directory)).rejects.toThrow(/does not start.*"postmaster.pid" already exists/s);
  expect(isGone(unrelated.pid ?? 0)).toBe(false);
  rmSync(file);
  expect(await responds(await open(directory))).toBe(true);
});
