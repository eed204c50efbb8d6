/** Builds the programs that tests run as processes, starts the servers before all test files, and provides their addresses. */
import { execFileSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { openServers, type Targets } from './servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    targets: Targets;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' });
  utimesSync('dist/.tsbuildinfo', new Date(), new Date()); // or src/airseries.js would build again, beside the tests
  const { targets, close } = await openServers();
  project.provide('targets', targets);
  return close;
}
