/**
 * An extra can be removed with its folders and its line: a copy of the project without it compiles,
 * and the tests of composition, configuration, schema and house pass there, as do those of readings in
 * our own form.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXTRAS } from '../../src/extras.ts';
import { patient } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';

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

function copyWithout(extra: string): string {
  const copy = join(temporaryFolder('removed'), 'airseries');
  cpSync(PROJECT, copy, {
    recursive: true,
    filter: (path) => path === PROJECT || !NOT_COPIED.includes(basename(path)),
  });
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
  for (const room of ['src', 'sql', 'test'])
    rmSync(join(copy, room, 'extras', extra), { recursive: true, force: true });
  const list = join(copy, 'src/extras.ts');
  const text = readFileSync(list, 'utf8');
  const line = new RegExp(`^import \\{ (\\w+) \\} from './extras/${extra}/extra.ts';\n`, 'm');
  const name = line.exec(text)?.[1];
  writeFileSync(list, text.replace(line, '').replace(new RegExp(`^  ${name},.*\n`, 'm'), ''));
  return copy;
}

async function run(folder: string, ...words: string[]) {
  const [program = '', ...args] = words;
  const { NODE_OPTIONS, VITEST, VITEST_POOL_ID, VITEST_WORKER_ID, ...env } = process.env;
  const options = { cwd: folder, env, maxBuffer: 1e8 };
  return await promisify(execFile)(program, args, options).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }),
  );
}

describe('without an extra', needs('all'), () => {
  it.for(EXTRAS.map(({ name }) => name))(
    'the project builds and passes its tests without extra %s',
    { timeout: patient(600_000) },
    async (extra) => {
      const copy = copyWithout(extra);
      expect(existsSync(join(copy, 'src/extras', extra))).toBe(false);
      expect(await run(copy, 'npm', 'run', '-s', 'build')).toEqual({ stdout: '', stderr: '' });
      const { stdout, stderr } = await run(copy, 'npx', 'vitest', 'run', ...TESTS);
      expect(stdout.trimEnd().split('\n').at(-1), stderr).toMatch(/^[1-9]\d* passed, 0 failed, /);
    },
  );
});
