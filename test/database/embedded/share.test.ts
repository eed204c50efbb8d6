/** One server for all processes of a data directory: the first starts it, the last ends it. */
import { describe, expect, test } from 'vitest';
import { findLocalTimescale } from '../../../src/database/embedded/server.ts';
import {
  answers,
  isUp,
  local,
  open,
  openElsewhere,
  processesOf,
  query,
  TIMEOUT_MS,
  temporaryDirectory,
} from './support.ts';

describe.each(['bundled', 'local'] as const)('%s', (kind) => {
  const here = test.skipIf(kind === 'local' && local === undefined);

  here('keeps its data over a restart', { timeout: TIMEOUT_MS }, async () => {
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

  here('is shared by two processes until the last one leaves', { timeout: TIMEOUT_MS }, async () => {
    const directory = temporaryDirectory();
    const other = await openElsewhere(directory, kind);
    const mine = await open(directory, kind);
    expect([other.server.startedHere, mine.startedHere]).toEqual([true, false]);
    expect(mine.socketDirectory).toBe(other.server.socketDirectory);
    await other.release(); // the one that had started it
    expect(await answers(mine)).toBe(true);
    await mine.release();
    expect(isUp(mine)).toBe(false);
  });

  here('is one server after simultaneous first starts', { timeout: TIMEOUT_MS }, async () => {
    const directory = temporaryDirectory();
    const others = await Promise.all([1, 2, 3].map(() => openElsewhere(directory, kind)));
    expect(others.filter(({ server }) => server.startedHere)).toHaveLength(1);
    const mine = await open(directory, kind);
    expect(processesOf(mine).postgres).toHaveLength(1);
    await Promise.all(others.map(({ release }) => release()));
    expect(await answers(mine)).toBe(true);
  });

  here('answers everybody who was let in while others come and go', { timeout: TIMEOUT_MS }, async () => {
    const directory = temporaryDirectory();
    const comeAndGo = async () => {
      for (let round = 0; round < 15; round += 1) {
        const server = await open(directory, kind);
        expect(await answers(server)).toBe(true);
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

test('letting go twice is letting go once', { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const [one, two] = [await open(directory), await open(directory)];
  await Promise.all([one.release(), one.release()]);
  expect(await answers(two)).toBe(true);
});

test('text has an order and a case that no system library decides', { timeout: TIMEOUT_MS }, async () => {
  const server = await open(temporaryDirectory());
  const [row] = await query(server, (sql) => sql`select upper('ք') as upper, 'Z' < 'a' as by_code_point`);
  expect(row).toEqual({ upper: 'Ք', by_code_point: true });
});
