/** Joining and leaving when processes are killed: no server is left behind, and the next start works. */
import { spawn } from 'node:child_process';
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  isGone,
  isUp,
  open,
  openElsewhere,
  postmasterPid,
  processesOf,
  query,
  responds,
  TIMEOUT_MS,
  temporaryDirectory,
  until,
} from './support.ts';

test('a server stops when its only user is killed', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const { child, server } = await openElsewhere(directory);
  const { wrapper, watcher } = processesOf(server);
  child.kill('SIGKILL');
  await until(() => !isUp(server) && isGone(wrapper) && isGone(watcher));
  expect(await responds(await open(directory))).toBe(true);
});

test('a server stays up when one of its two users is killed', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const { child } = await openElsewhere(directory);
  const mine = await open(directory);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
  expect(await responds(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('a server whose wrapper was killed still stops with its last user', { timeout: TIMEOUT_MS }, async () => {
  const mine = await open(temporaryDirectory());
  process.kill(processesOf(mine).wrapper, 'SIGKILL');
  expect(await responds(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('release stops a server whose wrapper and watcher were killed', { timeout: TIMEOUT_MS }, async () => {
  const mine = await open(temporaryDirectory());
  const { wrapper, watcher } = processesOf(mine);
  for (const pid of [wrapper, watcher]) process.kill(pid, 'SIGKILL');
  expect(await responds(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('a server without users, wrapper and watcher is replaced', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const { child, server } = await openElsewhere(directory);
  await query(server, (sql) => sql`create table kept (n int)`);
  const { wrapper, watcher } = processesOf(server);
  const old = postmasterPid(server);
  for (const pid of [wrapper, watcher, child.pid ?? 0]) process.kill(pid, 'SIGKILL');
  await until(() => isGone(watcher));
  expect(isUp(server)).toBe(true);
  const mine = await open(directory);
  expect(mine.startedHere).toBe(true);
  expect(postmasterPid(mine)).not.toBe(old);
  expect(processesOf(mine).postgres).toEqual([postmasterPid(mine)]);
  expect(await query(mine, (sql) => sql`select n from kept`)).toEqual([]);
});

test('the users of a replaced server keep the new one up', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const mine = await open(directory);
  const { wrapper, watcher } = processesOf(mine);
  for (const pid of [wrapper, watcher]) process.kill(pid, 'SIGKILL');
  const other = await openElsewhere(directory);
  expect(other.server.startedHere).toBe(true);
  await other.release();
  expect(await responds(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('a killed server takes its wrapper and watcher with it, and the first user to notice restarts it with its data', {
  timeout: TIMEOUT_MS,
}, async () => {
  const directory = temporaryDirectory();
  const mine = await open(directory);
  await query(mine, (sql) => sql`create table kept (n int)`);
  const { wrapper, watcher } = processesOf(mine);
  process.kill(postmasterPid(mine), 'SIGKILL');
  await until(() => isGone(wrapper) && isGone(watcher));
  const next = await open(directory);
  expect(await query(next, (sql) => sql`select n from kept`)).toEqual([]);
  await mine.release();
  expect(await responds(next)).toBe(true);
});

test('an unrelated process that has the id in a stale postmaster.pid is left alone', {
  timeout: TIMEOUT_MS,
}, async () => {
  const directory = temporaryDirectory();
  const first = await open(directory);
  const file = join(dirname(first.socketDirectory), 'data', 'postmaster.pid');
  const { uid, gid } = statSync(file);
  const text = readFileSync(file, 'utf8');
  await first.release();
  const unrelated = spawn('sleep', ['60'], { uid, gid });
  onTestFinished(() => void unrelated.kill());
  writeFileSync(file, text.replace(/^\d+/, String(unrelated.pid)));
  chownSync(file, uid, gid);
  expect(await responds(await open(directory))).toBe(true);
  expect(isGone(unrelated.pid ?? 0)).toBe(false);
});
