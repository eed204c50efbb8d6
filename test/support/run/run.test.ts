/**
 * A test run itself: it names skipped tests and leftovers, needs no program but Node, and ends its
 * servers however it breaks off.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../patience.ts';
import { type Running, runProgram } from '../program.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { listProcesses } from './processes.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const CONFIG = 'test/support/run/fixture/vitest.config.ts';

/** Runs a fixture without any program on the PATH; Node is named by its path. */
const run = (name: string, TMPDIR: string, more: Record<string, string> = {}): Running =>
  runProgram(
    [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--config', CONFIG, `${name}.`],
    { folder: ROOT, environment: { PATH: '', TMPDIR, ...more } },
  );

const lastLines = (stdout: string, count: number) => stdout.trimEnd().split('\n').slice(-count);

describe('a test run', () => {
  it('a test run says why tests are skipped, and fails if one is skipped without a reason', async () => {
    const { code, stdout } = await run('skips', temporaryFolder('run')).finished;
    const file = 'test/support/run/fixture/skips.fixture.ts';
    expect([code, ...lastLines(stdout, 4)]).toEqual([
      1,
      `SKIPPED, since the moon is not full: 2 in ${file}`,
      `SKIPPED, since the sky is cloudy: 1 in ${file}`,
      `SKIPPED WITHOUT A REASON: ${file} > says nothing`,
      '0 passed, 1 failed, 4 skipped',
    ]);
  });

  it('a test run names the process and the folder that a test has left, and removes both', async () => {
    const folder = temporaryFolder('run');
    const { code, stdout } = await run('leaves', folder).finished;
    const [left = '', ...others] = lastLines(stdout, 3);
    const [, pid] = /^LEFT BEHIND: process (\d+): .* setInterval/.exec(left) ?? [];
    expect([code, ...others]).toEqual([
      1,
      expect.stringMatching(/^LEFT BEHIND: folder .*\/airseries-left-\w+$/),
      '1 passed, 2 failed, 0 skipped',
    ]);
    await until(() => !isRunning(Number(pid)), 'the process has ended');
    expect(foldersIn(folder)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'a test run that breaks off by %s ends the processes of its tests, and removes its folder',
    async (signal) => {
      const folder = temporaryFolder('run');
      const LEFT_BY = join(temporaryFolder('left'), 'names');
      const broken = run('leaves', folder, { LEFT_BY });
      await until(
        () => existsSync(LEFT_BY) && readFileSync(LEFT_BY, 'utf8') !== '',
        'the test hangs',
      );
      const [pid] = readFileSync(LEFT_BY, 'utf8').split(' ');
      expect(isRunning(Number(pid))).toBe(true);
      broken.kill(signal);
      const { stderr } = await broken.finished; // the process that clears away writes there as well
      expect(stderr).toContain('the test run broke off: ending its servers, removing');
      expect(isRunning(Number(pid))).toBe(false);
      expect(foldersIn(folder)).toEqual([]);
    },
  );
});

const isRunning = (pid: number) => listProcesses().some((process) => process.pid === pid);
/** The folders of runs, without the cache that tsx keeps there. */
const foldersIn = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('airseries-'));
