/** Sudden ends: nothing is left behind, and the next start works. */
import { spawn } from 'node:child_process';
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  answers,
  isGone,
  isUp,
  open,
  openElsewhere,
  postmasterPid,
  processesOf,
  query,
  TIMEOUT_MS,
  temporaryDirectory,
  until,
} from './support.ts';

test('kill -9 of the only user ends the server', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const { child, server } = await openElsewhere(directory);
  const { wrapper, watcher } = processesOf(server);
  child.kill('SIGKILL');
  await until(() => !isUp(server) && isGone(wrapper) && isGone(watcher));
  expect(await answers(await open(directory))).toBe(true);
});

test('kill -9 of one of two users leaves the server to the other', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const { child } = await openElsewhere(directory);
  const mine = await open(directory);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
  expect(await answers(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('a server whose wrapper was killed still ends with its last user', { timeout: TIMEOUT_MS }, async () => {
  const mine = await open(temporaryDirectory());
  process.kill(processesOf(mine).wrapper, 'SIGKILL');
  expect(await answers(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('release ends a server that has lost its wrapper and its watcher', { timeout: TIMEOUT_MS }, async () => {
  const mine = await open(temporaryDirectory());
  const { wrapper, watcher } = processesOf(mine);
  for (const pid of [wrapper, watcher]) process.kill(pid, 'SIGKILL');
  expect(await answers(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('a server left behind alone is replaced', { timeout: TIMEOUT_MS }, async () => {
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

test('users of a replaced server are users of the new one', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const mine = await open(directory);
  const { wrapper, watcher } = processesOf(mine);
  for (const pid of [wrapper, watcher]) process.kill(pid, 'SIGKILL');
  const other = await openElsewhere(directory);
  expect(other.server.startedHere).toBe(true);
  await other.release();
  expect(await answers(mine)).toBe(true);
  await mine.release();
  expect(isUp(mine)).toBe(false);
});

test('a server that dies takes its wrapper along, and comes back with what it had, started by whichever user is first', {
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
  expect(await answers(next)).toBe(true);
});

test('a stale postmaster.pid may name a process of ours by now', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const first = await open(directory);
  const file = join(dirname(first.socketDirectory), 'data', 'postmaster.pid');
  const { uid, gid } = statSync(file);
  const text = readFileSync(file, 'utf8');
  await first.release();
  const stranger = spawn('sleep', ['60'], { uid, gid });
  onTestFinished(() => void stranger.kill());
  writeFileSync(file, text.replace(/^\d+/, String(stranger.pid)));
  chownSync(file, uid, gid);
  expect(await answers(await open(directory))).toBe(true);
  expect(isGone(stranger.pid ?? 0)).toBe(false);
});
