import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/reporters';
import { beginRun, endRun } from './test/support/leftovers.ts';

let folder: string | undefined;

/** Ends the run with its counts alone on a line, for whoever reads the end of a log. What the run left behind counts as failed. */
const tally: Reporter = {
  onInit() {
    folder ??= beginRun();
  },
  onTestRunEnd(modules, errors) {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // a hook that failed leaves its tests skipped
      for (const suite of [module, ...module.children.allSuites()]) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state]++;
      }
    }
    process.on('exit', () => {
      const left = folder === undefined ? [] : endRun(folder);
      if (left.length > 0) process.exitCode = 1;
      for (const one of left) process.stdout.write(`\nLEFT BEHIND: ${one}`);
      process.stdout.write(
        `\n${count.passed} passed, ${count.failed + left.length} failed, ${count.skipped} skipped\n`,
      );
    });
  },
};

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    reporters: ['default', tally],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxConcurrency: 3, // of the simulation's zones: it would otherwise keep one core busy long after everything else
    maxWorkers: 2, // two databases servers work beside them
  },
});
