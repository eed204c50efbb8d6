/** The PostgreSQL that comes from npm: its copy for a user who cannot reach it, and its version in words. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findBundled, runnableBundled, whyOutdated } from '../../../src/extras/embedded/bundled.ts';
import { makeHome, ROOT_BASE, runAs } from '../../../src/extras/embedded/home.ts';
import { needs } from '../../support/tools.ts';
import { TIMEOUT_MS, temporaryDirectory } from './support.ts';

test('below a folder that the server’s user cannot enter, and without its links, it is copied, once by two at a time', {
  timeout: TIMEOUT_MS,
  ...needs('root'),
}, async () => {
  const directory = join(temporaryDirectory(), 'closed', 'package');
  mkdirSync(join(directory, '..'), { mode: 0o700 });
  cpSync(findBundled().directory, directory, { recursive: true, verbatimSymlinks: true });
  const files = readdirSync(join(directory, 'native/lib'), { withFileTypes: true });
  for (const link of files.filter((each) => each.isSymbolicLink()))
    rmSync(join(directory, 'native/lib', link.name));
  const version = `test-${randomUUID()}`;
  const copy = join(ROOT_BASE, `postgresql-${version}`);
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const home = makeHome(temporaryDirectory(), 'bundled', 18);
  const run = () => runnableBundled({ directory, version }, home);
  expect(await Promise.all([run(), run()])).toEqual([
    join(copy, 'native/bin'),
    join(copy, 'native/bin'),
  ]);
  await runAs(home.user, join(copy, 'native/bin/initdb'), ['--version']);
  expect(readdirSync(ROOT_BASE).filter((name) => name.includes(version))).toHaveLength(1);
});

test.each([
  ['18.4', 'PostgreSQL 18.4; 18.7 is out, and npm has none newer'],
  ['18.7', undefined],
  ['18.10', undefined],
  ['19.0', undefined],
])('PostgreSQL %s has a newer version: %s', (version, words) => {
  expect(whyOutdated(version)).toBe(words);
});

test.each(['README.md', 'CHANGELOG.md'])('%s names the version and the newer one', (path) => {
  const version = findBundled().version.split('.').slice(0, 2).join('.');
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').replace(/\s+/g, ' ');
  expect(text).toContain(whyOutdated(version) ?? version);
});
