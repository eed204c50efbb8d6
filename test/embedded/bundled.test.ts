/** Links and copies of the bundled programs, with a package of two small files. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { copyOnce, findBundled, makeLinks, whyOutdated } from '../../src/embedded/bundled.ts';
import { temporaryDirectory } from './support.ts';

function smallPackage(): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'native', 'lib'), { recursive: true });
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  writeFileSync(join(directory, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  writeFileSync(join(directory, 'native', 'lib', 'libx.so.1.2'), 'x', { mode: 0o600 });
  return directory;
}

test('making the links twice does no harm', () => {
  const directory = smallPackage();
  expect([makeLinks(directory), makeLinks(directory)]).toEqual([true, true]);
  expect(readFileSync(join(directory, 'native/lib/libx.so.1'), 'utf8')).toBe('x');
});

test('a copy is complete, linked and readable by all users', async () => {
  const to = join(temporaryDirectory(), 'copy');
  await copyOnce(smallPackage(), to);
  expect(readFileSync(join(to, 'native/lib/libx.so.1'), 'utf8')).toBe('x');
  expect(lstatSync(to).mode & 0o777).toBe(0o755);
  expect(lstatSync(join(to, 'native/lib/libx.so.1.2')).mode & 0o777).toBe(0o644);
});

test('simultaneous copies leave one', async () => {
  const to = join(temporaryDirectory(), 'copy');
  const from = smallPackage();
  await Promise.all([copyOnce(from, to), copyOnce(from, to), copyOnce(from, to)]);
  expect(readdirSync(dirname(to))).toEqual(['copy']);
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
