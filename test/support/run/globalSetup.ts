/**
 * Builds the programs that tests run as processes, starts the servers before all test files, and
 * provides their addresses.
 */
import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { openServers, type Targets } from './servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    targets: Targets;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { slowness, all } = project.getProvidedContext();
  process.stderr.write(`\n=== limits of time: ${slowness} times a quiet machine’s ===\n`);
  if (!all)
    process.stderr.write('=== without the slower and rarer tests of npm run test:all ===\n');
  // builds if the sources have changed
  execFileSync(process.execPath, ['src/airseries.js', '--version'], { stdio: ['ignore', 2, 2] });
  const { targets, close } = await openServers();
  project.provide('targets', targets);
  return close;
}
