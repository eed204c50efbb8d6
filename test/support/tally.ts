/** What a run of the tests says last: the figures that tests measured, what was left behind, and the counts alone on a line. */
import type { Reporter } from 'vitest/reporters';
import { beginRun, endRun } from './leftovers.ts';

let folder: string | undefined;

/** A figure is a test's annotation: `annotate('row 2: 34 MB')`. A folder or a process that is left behind counts as failed. */
export const tally: Reporter = {
  onInit() {
    folder ??= beginRun();
  },
  onTestRunEnd(modules, errors) {
    const figures: string[] = [];
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // a hook that failed leaves its tests skipped
      for (const suite of [module, ...module.children.allSuites()]) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state]++;
        figures.push(...test.annotations().map(({ message }) => message));
      }
    }
    process.on('exit', () => {
      const left = folder === undefined ? [] : endRun(folder);
      if (left.length > 0) process.exitCode = 1;
      for (const figure of figures) process.stdout.write(`\n${figure}`);
      for (const one of left) process.stdout.write(`\nLEFT BEHIND: ${one}`);
      process.stdout.write(
        `\n${count.passed} passed, ${count.failed + left.length} failed, ${count.skipped} skipped\n`,
      );
    });
  },
};
