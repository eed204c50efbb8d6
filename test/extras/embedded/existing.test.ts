/**
 * A data directory that already holds something: a database that this program cannot serve is named
 * with the remedy, and not passed over for an empty one.
 */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { embedded } from '../../../src/extras/embedded/extra.ts';
import { makeHome } from '../../../src/extras/embedded/home.ts';
import { openEmbeddedServer } from '../../../src/extras/embedded/server.ts';
import { temporaryDirectory } from './support.ts';

const log = makeLog('silent');

/** A data directory with empty clusters of servers: their content is only read at a start. */
function holding(...names: string[]): string {
  const dataDirectory = temporaryDirectory();
  for (const name of names) {
    const { directory, data } = makeHome(dataDirectory, 99);
    mkdirSync(data);
    renameSync(directory, join(dataDirectory, name));
  }
  return dataDirectory;
}

test('messages name the whole path of a DATA_DIR that is given from the current folder', () => {
  expect(embedded.database?.folder({ dataDirectory: 'data' })).toBe(resolve('data'));
});

const refusal = (dataDirectory: string) =>
  openEmbeddedServer({ dataDirectory, log }).then(
    () => 'none',
    (error: Error) => error.message,
  );

test('a database of another major version is refused with the remedy, and left as it is', async () => {
  const dataDirectory = holding('bundled-17');
  expect(await refusal(dataDirectory)).toMatch(
    /bundled-17 \(DATA_DIR\) needs PostgreSQL 17\. This version of airseries brings PostgreSQL 18\.4\. Start the version of airseries that made/,
  );
  expect(readdirSync(dataDirectory)).toEqual(['bundled-17']);
});

test('a database made by a release candidate is refused with the remedy, alone and beside another', async () => {
  const dataDirectory = holding('local-15');
  const refused =
    /local-15 \(DATA_DIR\) was made by a release candidate on an installed PostgreSQL 15, .*network export.*move the folder away/;
  expect(await refusal(dataDirectory)).toMatch(refused);
  expect(readdirSync(dataDirectory)).toEqual(['local-15']);
  expect(await refusal(holding('bundled-18', 'local-15'))).toMatch(refused);
});

test('a file in place of the data directory is refused by its name', async () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(await refusal(file)).toContain(`DATA_DIR (${file}) is a file, or below one, and not a`);
});

test('several databases in a data directory are all named, and no one is chosen silently', async () => {
  expect(await refusal(holding('bundled-18', 'bundled-19'))).toMatch(
    /There are 2 databases .*bundled-18 and .*bundled-19\. .*Move the other folder away/,
  );
});
