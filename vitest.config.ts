import { configDefaults, defineConfig } from 'vitest/config';
import { limits } from './test/support/limits.ts';
import { tally } from './test/support/tally.ts';

export default defineConfig({
  test: {
    ...limits,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/faults/long/**'], // npm run test:faults
    globalSetup: ['test/support/globalSetup.ts'],
    reporters: ['default', tally],
    maxConcurrency: 3, // of the simulation's zones: it would otherwise keep one core busy long after everything else
    isolate: false, // no test file changes a module, so they share them: importing took a seventh of the time
    maxWorkers: 3, // on two cores: each waits for a database server or a process now and then
  },
});
