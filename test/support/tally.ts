/** The end of a test run's output: measured figures, leftovers, and the counts on a line of their own. */
import type { Reporter } from 'vitest/reporters';
import { beginRun, endRun } from './leftovers.ts';

let folder: string | undefined;

/** A figure is an annotation of a test: `annotate('row 2: 34 MB')`. A leftover folder or process counts as a failure. */
export const tally: Reporter = {
  onInit() {
    folder ??= beginRun();
  },
  onTestRunEnd(modules, errors) {
    const figures: string[] = [];
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // if a hook fails, its tests are skipped
      for (const suite of [module, ...module.children.allSuites()])
        count.failed += suite.errors().length;
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
