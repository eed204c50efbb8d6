/** `npm run test:faults`: every test of this folder, including the long ones, one file at a time because they measure time. */
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
