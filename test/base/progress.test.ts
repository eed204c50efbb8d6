/** Logs that are made from other logs, and progress that is reported to them. */
import { expect, it } from 'vitest';
import { type Done, type Log, quietLog } from '../../src/base/log.ts';
import { describeProgress, makeProgress } from '../../src/base/progress.ts';

function keeping(): { log: Log; lines: unknown[][] } {
  const lines: unknown[][] = [];
  const write =
    (level: string) =>
    (...given: unknown[]) => {
      lines.push([level, ...given]);
    };
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isLevelEnabled: (level: string) => level !== 'debug',
  };
  return { log, lines };
}

it('a quiet log writes info lines at level debug, and the others as they are', () => {
  const { log, lines } = keeping();
  const quiet = quietLog(log);
  quiet.info('opened');
  quiet.warn({ n: 1 }, 'full');
  expect(lines).toEqual([
    ['debug', {}, 'opened'],
    ['warn', { n: 1 }, 'full'],
  ]);
  const enabled = (['debug', 'info', 'warn'] as const).map((one) => quiet.isLevelEnabled?.(one));
  expect(enabled).toEqual([false, false, true]);
});

it('progress is reported to its log at each step, and logged only when it takes long', () => {
  const { log, lines } = keeping();
  const told: Done[] = [];
  const progress = makeProgress('importing', { ...log, onProgress: (d) => told.push(d) }, false);
  progress.show(1_000, undefined);
  progress.show(120_000, 0.5);
  expect(told.map(describeProgress)).toEqual([
    'after importing 1,000 rows',
    'after importing 120,000 rows',
  ]);
  expect(lines).toEqual([]);
});
