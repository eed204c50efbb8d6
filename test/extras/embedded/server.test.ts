/** One server for all processes of a data directory. */
import { lstatSync } from 'node:fs';
import { totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { bundledProgram } from '../../../src/extras/embedded/bundled.ts';
import { sharedMegabytes } from '../../../src/extras/embedded/cluster.ts';
import {
  homeOf,
  isUp,
  open,
  openElsewhere,
  processesOf,
  query,
  responds,
  sharedDirectory,
  TIMEOUT_MS,
} from './support.ts';

/** Made by the first test. */
const directory = sharedDirectory();

test('simultaneous first starts leave a single server', { timeout: TIMEOUT_MS }, async () => {
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

test('an embedded server keeps its data across a restart, and has its share of the memory', {
  timeout: TIMEOUT_MS,
}, async () => {
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
