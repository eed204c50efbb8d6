/** One server for all processes of a data directory: the first starts it, and it stops with the last. */
import { describe, expect, test } from 'vitest';
import { findLocalTimescale } from '../../../src/database/embedded/server.ts';
import {
  isUp,
  local,
  open,
  openElsewhere,
  processesOf,
  query,
  responds,
  TIMEOUT_MS,
  temporaryDirectory,
} from './support.ts';

describe.each(['bundled', 'local'] as const)('%s', (kind) => {
  const here = test.skipIf(kind === 'local' && local === undefined);

  here('keeps its data across a restart', { timeout: TIMEOUT_MS }, async () => {
    const directory = temporaryDirectory();
    const first = await open(directory, kind);
    expect(first).toMatchObject({ kind, port: 5432, user: 'airseries', database: 'airseries', startedHere: true });
    await query(first, async (sql) => {
      await sql`create table kept (word text)`;
      await sql`insert into kept values ('Երևան')`;
    });
    await first.release();
    expect(isUp(first)).toBe(false);
    const second = await open(directory, kind);
    expect(second.startedHere).toBe(true);
    expect(await query(second, (sql) => sql`select word, lower(word) as lower from kept`)).toEqual([
      { word: 'Երևան', lower: 'երևան' },
    ]);
  });

  here('stays up until the second of two processes leaves', { timeout: TIMEOUT_MS }, async () => {
    const directory = temporaryDirectory();
    const other = await openElsewhere(directory, kind);
    const mine = await open(directory, kind);
    expect([other.server.startedHere, mine.startedHere]).toEqual([true, false]);
    expect(mine.socketDirectory).toBe(other.server.socketDirectory);
    await other.release(); // the one that had started it
    expect(await responds(mine)).toBe(true);
    await mine.release();
    expect(isUp(mine)).toBe(false);
  });

  here('is a single server after simultaneous first starts', { timeout: TIMEOUT_MS }, async () => {
    const directory = temporaryDirectory();
    const others = await Promise.all([1, 2, 3].map(() => openElsewhere(directory, kind)));
    expect(others.filter(({ server }) => server.startedHere)).toHaveLength(1);
    const mine = await open(directory, kind);
    // a process that the server has just forked has its name for a moment
    await expect.poll(() => processesOf(mine).postgres).toHaveLength(1);
    await Promise.all(others.map(({ release }) => release()));
    expect(await responds(mine)).toBe(true);
  });

  here('responds to every user while others come and go', { timeout: TIMEOUT_MS }, async () => {
    const directory = temporaryDirectory();
    const comeAndGo = async () => {
      for (let n = 0; n < 15; n += 1) {
        const server = await open(directory, kind);
        expect(await responds(server)).toBe(true);
        await server.release();
      }
    };
    await Promise.all([comeAndGo(), comeAndGo(), comeAndGo()]);
  });
});

test.skipIf(local === undefined)('a local server has the Community edition', { timeout: TIMEOUT_MS }, async () => {
  const server = await open(temporaryDirectory(), 'local');
  expect(server.version).toBe((await findLocalTimescale())?.version);
  await query(server, async (sql) => {
    await sql`create extension timescaledb`;
    expect(await sql`show timescaledb.license`).toEqual([{ 'timescaledb.license': 'timescale' }]);
  });
});

test('releasing twice is the same as releasing once', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const [one, two] = [await open(directory), await open(directory)];
  await Promise.all([one.release(), one.release()]);
  expect(await responds(two)).toBe(true);
});

test('the order and the case of text do not depend on system libraries', { timeout: TIMEOUT_MS }, async () => {
  const server = await open(temporaryDirectory());
  const [row] = await query(server, (sql) => sql`select upper('ք') as upper, 'Z' < 'a' as by_code_point`);
  expect(row).toEqual({ upper: 'Ք', by_code_point: true });
});
