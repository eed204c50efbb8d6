/**
 * An extra can be removed with its folders and its line, and so can all of them: a copy of the
 * project without it compiles with its tests, and the tests of composition, configuration, schema and
 * house pass there, as do tests of readings in our own form; without any extra, all of `npm test` does.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXTRAS } from '../../src/extras.ts';
import { isComplete } from '../support/complete.ts';
import { patient } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs, skipUnless } from '../support/tools.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_COPIED = ['node_modules', '.git', 'dist', '.airseries'];
/** Tests of the composition, the configuration, the schema, the house, and readings in our own form. */
const TESTS = [
  'test/whole/project/house.test.ts',
  'test/whole/config.test.ts',
  'test/whole/mistakes/settings.test.ts',
  'test/whole/wiring.test.ts',
  'test/whole/startAndStop/service.test.ts',
  'test/lab/mutants',
  'test/schema',
  'test/serve/firstBuild.test.ts',
  'test/ingest/canonical.test.ts',
  'test/extras/feeds/canonical.test.ts',
];

/** Of extras that need two, such as `archive+pages`, the tests go with either. */
function copyWithout(extras: readonly string[]): string {
  const copy = join(temporaryFolder('removed'), 'airseries');
  cpSync(PROJECT, copy, {
    recursive: true,
    filter: (path) => path === PROJECT || !NOT_COPIED.includes(basename(path)),
  });
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
  for (const room of ['src', 'sql', 'test'].map((name) => join(copy, name, 'extras')))
    for (const name of existsSync(room) ? readdirSync(room) : [])
      if (name.split('+').some((part) => extras.includes(part)))
        rmSync(join(room, name), { recursive: true });
  const list = join(copy, 'src/extras.ts');
  let text = readFileSync(list, 'utf8');
  for (const extra of extras) {
    const line = new RegExp(`^import \\{ (\\w+) \\} from './extras/${extra}/extra.ts';\n`, 'm');
    const name = line.exec(text)?.[1];
    text = text.replace(line, '').replace(new RegExp(`^  ${name},.*\n`, 'm'), '');
  }
  writeFileSync(list, text);
  return copy;
}

async function run(folder: string, ...words: string[]) {
  const [program = '', ...args] = words;
  const { NODE_OPTIONS, VITEST, VITEST_POOL_ID, VITEST_WORKER_ID, ...env } = process.env;
  delete env.TEST_TIMESCALE_URL; // a second run there would drop the templates of this one
  const options = { cwd: folder, env, maxBuffer: 1e8 };
  return await promisify(execFile)(program, args, options).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }),
  );
}

const NAMES = EXTRAS.map(({ name }) => name);

/** Builds the copy, and resolves to it; its program and its tests must compile. */
async function built(...extras: string[]): Promise<string> {
  const copy = copyWithout(extras);
  for (const extra of extras) expect(existsSync(join(copy, 'src/extras', extra))).toBe(false);
  const silent = { stdout: '', stderr: '' };
  expect(await run(copy, 'npm', 'run', '-s', 'build')).toEqual(silent);
  expect(await run(copy, 'npx', 'tsc', '-p', 'test', '--noEmit')).toEqual(silent);
  return copy;
}

async function expectPassed(copy: string, ...tests: string[]): Promise<void> {
  const { stdout, stderr } = await run(copy, 'npx', 'vitest', 'run', ...tests);
  expect(stdout.trimEnd().split('\n').at(-1), stderr).toMatch(/^[1-9]\d* passed, 0 failed, /);
}

describe('without an extra', needs('all'), () => {
  it.for(NAMES)(
    'the project builds and passes its tests without extra %s',
    { timeout: patient(600_000) },
    async (extra) => {
      await expectPassed(
        await built(extra),
        ...TESTS.filter((path) => !path.includes(`/${extra}/`)),
      );
    },
  );
});

const isThere = skipUnless(NAMES.length > 0, 'there is no extra to take away');
describe('without any extra', isThere.skip ? isThere : needs('all'), () => {
  it('the project builds and passes its tests', { timeout: patient(900_000) }, async () => {
    expect(isComplete).toBe(true);
    await expectPassed(await built(...NAMES));
  });
});
