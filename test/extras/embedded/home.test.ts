/** The home of a cluster: its permissions, its sockets, and the user who owns and runs it. */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unprivilegedUser } from '../../../src/extras/embedded/home.ts';
import { needs } from '../../support/tools.ts';
import { homeOf, isUp, open, openElsewhere, responds, temporaryDirectory } from './support.ts';

const UNRELATED_USER = { uid: 12345, gid: 12345 };

test('all processes use another directory for the socket if the path is too long', async () => {
  const directory = join(temporaryDirectory(), 'd'.repeat(100), 'e'.repeat(100));
  const mine = await open(directory);
  onTestFinished(() => rmSync(mine.target.host, { recursive: true, force: true }));
  expect(mine.target.host).toMatch(/^\/tmp\/airseries-[0-9a-f]{16}$/);
  expect(lstatSync(mine.target.host).mode & 0o777).toBe(0o700);
  const other = await openElsewhere(directory);
  expect(other.server).toMatchObject({ target: mine.target, startedHere: false });
  expect(await responds(mine)).toBe(true);
  await other.close();
});

test('a socket directory that others can enter is rejected', async () => {
  const directory = join(temporaryDirectory(), 'd'.repeat(100));
  const { target, close } = await open(directory);
  onTestFinished(() => rmSync(target.host, { recursive: true, force: true }));
  await close();
  chmodSync(target.host, 0o777);
  await expect(open(directory)).rejects.toThrow(/must belong to user \d+ alone/);
});

test('a path may contain characters that are special to shells and lists', async () => {
  const server = await open(join(temporaryDirectory(), `a b,c"d'e$f*%`));
  expect(await responds(server)).toBe(true);
});

test('the error of a server that cannot start gives the reason', async () => {
  const directory = temporaryDirectory();
  const server = await open(directory);
  await server.close();
  appendFileSync(join(homeOf(server), 'data', 'postgresql.conf'), 'no_such_setting = 1\n');
  await expect(open(directory)).rejects.toThrow(
    /does not start.*unrecognized configuration parameter "no_such_setting"/s,
  );
});

test('root joins a server that an ordinary user started', needs('root', 'otherUser'), async () => {
  const user = unprivilegedUser();
  const directory = temporaryDirectory();
  chownSync(directory, user.uid, UNRELATED_USER.gid);
  chmodSync(directory, 0o2755); // the home has a group that its user is not in
  const env = { PATH: process.env.PATH, HOME: directory, TMPDIR: directory };
  const other = await openElsewhere(join(directory, 'data'), { ...user, env });
  const mine = await open(join(directory, 'data')); // as root
  expect(mine.startedHere).toBe(false);
  expect(statSync(homeOf(mine)).uid).toBe(user.uid);
  expect(await responds(mine)).toBe(true);
  await mine.close();
  expect(isUp(mine)).toBe(true);
  await other.close();
  expect(isUp(mine)).toBe(false);
});

test(
  'data are stored in /var/lib if the server cannot enter the data directory',
  needs('root'),
  async () => {
    const closed = join(temporaryDirectory(), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const server = await open(join(closed, 'data'));
    const home = homeOf(server);
    onTestFinished(() => rmSync(dirname(home), { recursive: true, force: true }));
    expect(home).toMatch(/^\/var\/lib\/airseries\/[0-9a-f]{16}\/bundled-\d+$/);
    expect(await responds(server)).toBe(true);
    await server.close();
    chmodSync(closed, 0o755); // now the server could enter, but the cluster stays where it is
    expect(homeOf(await open(join(closed, 'data')))).toBe(home);
    expect(existsSync(join(closed, 'data', 'bundled-18'))).toBe(false);
  },
);
