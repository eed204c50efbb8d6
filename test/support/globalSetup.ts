/** Starts the servers before all test files, and provides their addresses. */
import type { TestProject } from 'vitest/node';
import { openServers, type Targets } from './servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    targets: Targets;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { targets, close } = await openServers();
  project.provide('targets', targets);
  return close;
}
