import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/reporters';

/** Ends the run with its counts alone on a line, for whoever reads the end of a log. */
const tally: Reporter = {
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
    process.on('exit', () =>
      process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`),
    );
  },
};

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    reporters: ['default', tally],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2, // two databases servers work beside them
  },
});
