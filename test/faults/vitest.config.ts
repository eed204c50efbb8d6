/** `npm run test:faults`: every test of this folder, the long ones included, one file at a time, since they measure. */
import { defineConfig } from 'vitest/config';
import { tally } from '../support/tally.ts';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    reporters: ['default', tally],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
});
