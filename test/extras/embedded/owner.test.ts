/**
 * One server for all processes of a data directory. They come, go and are killed: one owns the
 * server, no server is left behind, and the next start works.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../../../src/extras/embedded/bundled.ts';
import { sharedMegabytes } from '../../../src/extras/embedded/cluster.ts';
import { needs } from '../../support/tools.ts';
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
  until,
} from './support.ts';

/** Made by the first test. Each leaves no server behind, and its data to the next. */
const directory = sharedDirectory();

test('simultaneous first starts leave a single server', needs('all'), async () => {
  const others = await Promise.all([1, 2, 3].map(() => openElsewhere(directory)));
  expect(others.filter(({ server }) => server.startedHere)).toHaveLength(1);
  const mine = await open(directory);
  // a process that the server has just forked has its name for a moment
  await expect.poll(() => processesOf(mine).postgres).toHaveLength(1);
  expect(await responds(mine)).toBe(true);
  await mine.close();
  // the owner last: any other one would start the server again
  const owner = others.find(({ server }) => server.startedHere);
  for (const other of others) if (other !== owner) await other.close();
  await owner?.close();
});

test('an embedded server keeps its data across a restart, and has its share of the memory', async () => {
  const first = await open(directory);
  expect(first).toMatchObject({
    embedded: true,
    version: bundledProgram().version,
    startedHere: true,
  });
  expect(lstatSync(homeOf(first)).mode & 0o777).toBe(0o700); // only its user can enter the cluster
  const [settings] = await query(
    first,
    (sql) => sql`
      select pg_size_bytes(current_setting('shared_buffers')) / 1048576 || ' MB' as shared,
             current_setting('max_wal_size') as wal`,
  );
  const shared = sharedMegabytes(totalmem(), process.constrainedMemory());
  expect(settings).toEqual({ shared: `${shared} MB`, wal: '4GB' });
  await query(first, async (sql) => {
    await sql`create table kept (word text)`;
    await sql`insert into kept values ('Երևան')`;
  });
  await first.close();
  expect(isUp(first)).toBe(false);
  const second = await open(directory);
  expect(second.startedHere).toBe(true);
  // the order and the case of text do not depend on system libraries
  const text = await query(
    second,
    (sql) => sql`select word, lower(word), upper('ք'), 'Z' < 'a' as by_code_point from kept`,
  );
  expect(text).toEqual([{ word: 'Երևան', lower: 'երևան', upper: 'Ք', by_code_point: true }]);
});

test.each([
  ['a quarter of a GB', 256, 0, 64],
  ['2 GB', 2_048, 0, 256],
  ['8 GB', 8_192, 0, 1_024],
  ['256 GB', 262_144, 0, 1_024],
  ['64 GB, a container of 4 GB', 65_536, 4_096, 512],
  ['4 GB, a container without a limit', 4_096, 2 ** 44, 512],
])(
  'an embedded server takes an eighth of the memory, within bounds, on a machine of %s',
  (_, machine, limit, shared) => {
    expect(sharedMegabytes(machine * 1_048_576, limit * 1_048_576)).toBe(shared);
  },
);

test('an unfinished cluster of a start that was killed is removed by the next start', async () => {
  const first = await open(directory);
  const home = homeOf(first);
  await first.close();
  const { uid, gid } = statSync(home);
  mkdirSync(join(home, 'draft-1'));
  chownSync(join(home, 'draft-1'), uid, gid);
  expect(await responds(await open(directory))).toBe(true);
  expect(readdirSync(home).filter((each) => each.startsWith('draft-'))).toEqual([]);
});

test('a server stops when its owner is killed', async () => {
  const { child, server } = await openElsewhere(directory);
  child.kill('SIGKILL');
  await until(() => Object.values(processesOf(server)).flat().length === 0);
  expect(isUp(server)).toBe(false);
  expect(await responds(await open(directory))).toBe(true);
});

test('a server stays up when a process that only uses it ends', needs('all'), async () => {
  const mine = await open(directory);
  const [killed, leaves] = [await openElsewhere(directory), await openElsewhere(directory)];
  const startedHere = [mine, killed.server, leaves.server].map((server) => server.startedHere);
  expect(startedHere).toEqual([true, false, false]);
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
  needs('all'),
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

test('a killed server is started again by its owner', async () => {
  const mine = await open(directory);
  const { postgres, others } = processesOf(mine);
  process.kill(postmasterPid(mine), 'SIGKILL');
  await until(() => others.every(isGone) && isUp(mine) && !postgres.includes(postmasterPid(mine)));
  expect((await open(directory)).startedHere).toBe(false); // and it is ready
  await mine.close();
  expect(isUp(mine)).toBe(false);
});

test('a server that another one forestalls does not start later', needs('all'), async () => {
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

test('a stranger with the id in a stale postmaster.pid is left alone', needs('all'), async () => {
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
