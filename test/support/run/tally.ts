/**
 * The end of a test run's output: what was skipped and why, measured figures, leftovers, what the
 * run cost, and the counts on a line of their own.
 */
import { readFileSync } from 'node:fs';
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
    const slowest = slowestOf(modules);
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
      if (modules.length > SLOWEST) process.stdout.write(`\n${slowest}\n${processorTime()}`);
      const failed = count.failed + left.length + mute.length;
      process.stdout.write(
        `\n${count.passed} passed, ${failed} failed, ${count.skipped} skipped\n`,
      );
    });
  },
};

const WITHOUT_WORDS = '';

/** Who adds a test sees here what it costs. */
const SLOWEST = 10;

function slowestOf(modules: readonly TestModule[]): string {
  const lasted = modules.map((module) => {
    const { duration, setupDuration, collectDuration } = module.diagnostic();
    return { file: module.relativeModuleId, ms: duration + setupDuration + collectDuration };
  });
  const slowest = lasted.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  const lines = slowest.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s ${file}`);
  return [`the ${SLOWEST} slowest files:`, ...lines].join('\n');
}

/**
 * Of this run with all processes that it started and that have ended, its database servers among
 * them. Linux alone tells it: the fields 14 to 17 of `stat` (proc(5)), in hundredths of a second.
 */
function processorTime(): string {
  try {
    const afterName = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1) ?? '';
    const ticks = afterName.split(' ').slice(11, 15).map(Number);
    return `${Math.round(ticks.reduce((sum, one) => sum + one, 0) / 100)} seconds of processor time`;
  } catch {
    return 'the time of the processor is not known on this system';
  }
}

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
