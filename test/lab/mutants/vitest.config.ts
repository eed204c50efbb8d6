/** The tests of one mutant: on servers that are running already. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/lab/mutants/globalSetup.ts'],
    provide: { all: true }, // or what differs on TimescaleDB would go unnoticed
    testTimeout: 300_000,
    hookTimeout: 300_000,
    isolate: false,
    maxWorkers: 2,
  },
});
