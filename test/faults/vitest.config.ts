/**
 * `npm run test:faults`: every test of this folder, including the long ones, one file at a time
 * because they measure time.
 */
import { defineConfig } from 'vitest/config';
import { limits } from '../support/limits.ts';
import { tally } from '../support/tally.ts';

export default defineConfig({
  test: {
    ...limits,
    provide: { ...limits.provide, all: true },
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    reporters: ['default', tally],
    testTimeout: 2 * limits.testTimeout,
    maxWorkers: 1,
  },
});
