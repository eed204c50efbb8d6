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
  process.stderr.write(`\n=== limits of time: ${slowness} times those of a quiet machine ===\n`);
  if (!all)
    process.stderr.write('=== without what is slower and rarer, which npm run test:all has ===\n');
  // it builds if the sources have changed since
  execFileSync(process.execPath, ['src/airseries.js', '--version'], { stdio: ['ignore', 2, 2] });
  const { targets, close } = await openServers();
  project.provide('targets', targets);
  return close;
}
