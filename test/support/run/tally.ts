/**
 * The end of a test run's output: what was skipped and why, measured figures, leftovers, and the
 * counts on a line of their own.
 */
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { beginRun, endRun } from './leftovers.ts';

let folder: string | undefined;
let isFiltered = false;

/**
 * A figure is an annotation of a test: `annotate('row 2: 34 MB')`. A leftover folder or process
 * counts as a failure, and so does a test that is skipped without saying what is missing
 * (tools.ts).
 */
export const tally: Reporter = {
  onInit({ config }: Vitest) {
    folder ??= beginRun();
    isFiltered = config.testNamePattern !== undefined;
  },
  onTestRunEnd(modules, errors, reason) {
    const figures: string[] = [];
    const missing = new Map<string, TestCase[]>();
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // if a hook fails, its tests are skipped
      for (const suite of [module, ...module.children.allSuites()])
        count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state] += 1;
        figures.push(...test.annotations().map(({ message }) => message));
        const why = state === 'skipped' ? whySkipped(test) : undefined;
        if (why !== undefined) missing.set(why, [...(missing.get(why) ?? []), test]);
      }
    }
    const mute = reason === 'interrupted' || isFiltered ? [] : (missing.get(WITHOUT_WORDS) ?? []);
    missing.delete(WITHOUT_WORDS);
    process.on('exit', () => {
      const left = folder === undefined ? [] : endRun(folder);
      if (left.length + mute.length > 0) process.exitCode = 1;
      for (const figure of figures) process.stdout.write(`\n${figure}`);
      for (const [why, tests] of missing)
        process.stdout.write(`\nSKIPPED, since ${why}: ${tests.length} in ${filesOf(tests)}`);
      for (const test of mute)
        process.stdout.write(
          `\nSKIPPED WITHOUT A REASON: ${test.module.relativeModuleId} > ${test.fullName}`,
        );
      for (const one of left) process.stdout.write(`\nLEFT BEHIND: ${one}`);
      const failed = count.failed + left.length + mute.length;
      process.stdout.write(
        `\n${count.passed} passed, ${failed} failed, ${count.skipped} skipped\n`,
      );
    });
  },
};

const WITHOUT_WORDS = '';

/** The reason; undefined if a failure above the test gives it. */
function whySkipped(test: TestCase): string | undefined {
  const { note } = test.result() as { note?: string };
  for (let at: TestSuite | TestModule = test.parent; ; at = at.parent) {
    if (at.errors().length > 0) return undefined;
    if (at.type === 'module') break;
  }
  return test.meta().missing ?? note ?? WITHOUT_WORDS;
}

const filesOf = (tests: TestCase[]): string =>
  [...new Set(tests.map(({ module }) => module.relativeModuleId))].join(', ');
