/** The PostgreSQL that comes from npm: its copy for a user who cannot reach it, and its version. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  bundledProgram,
  findBundled,
  runnableBundled,
} from '../../../src/extras/embedded/bundled.ts';
import { embedded } from '../../../src/extras/embedded/extra.ts';
import { makeHome, ROOT_BASE, runAs } from '../../../src/extras/embedded/home.ts';
import { makeMetrics } from '../../../src/metrics/definitions.ts';
import { samplesOf } from '../../metrics/samples.ts';
import { needs } from '../../support/tools.ts';
import { temporaryDirectory } from './support.ts';

test(
  'a bundled PostgreSQL that the server’s user cannot reach is copied once by two processes',
  needs('all', 'root'),
  async () => {
    const directory = join(temporaryDirectory(), 'closed', 'package');
    mkdirSync(join(directory, '..'), { mode: 0o700 });
    cpSync(findBundled().directory, directory, { recursive: true, verbatimSymlinks: true });
    const files = readdirSync(join(directory, 'native/lib'), { withFileTypes: true });
    for (const link of files.filter((each) => each.isSymbolicLink()))
      rmSync(join(directory, 'native/lib', link.name));
    const version = `test-${randomUUID()}`;
    const copy = join(ROOT_BASE, `postgresql-${version}`);
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    const home = makeHome(temporaryDirectory(), 18);
    const run = () => runnableBundled({ directory, version }, home);
    // left by a process that was killed while it copied
    mkdirSync(`${copy}.${randomUUID()}`, { recursive: true });
    expect(await Promise.all([run(), run()])).toEqual([
      join(copy, 'native/bin'),
      join(copy, 'native/bin'),
    ]);
    await runAs(home.user, join(copy, 'native/bin/initdb'), ['--version']);
    expect(readdirSync(ROOT_BASE).filter((name) => name.includes(version))).toHaveLength(1);
  },
);

test('the free space on the disk is not a number where another database is used', async () => {
  const metrics = makeMetrics();
  embedded.metrics?.(metrics);
  expect(samplesOf(await metrics.scrape()).get('airseries_disk_free_bytes')).toBeNaN();
});

test('README.md names the version of PostgreSQL that runs', () => {
  const text = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  expect(text.replace(/\s+/g, ' ')).toContain(`PostgreSQL ${bundledProgram().version}`);
});
