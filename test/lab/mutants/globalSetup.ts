/** Gives the tests the servers that test/lab/mutants/main.ts has opened. */
import type { TestProject } from 'vitest/node';

export function setup(project: TestProject): void {
  project.provide('targets', JSON.parse(process.env.MUTANTS_TARGETS ?? ''));
}
