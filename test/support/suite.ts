/** Vitest's configuration of a suite: all tests but the long ones of faults, less what is left out. */
import { configDefaults, defineConfig } from 'vitest/config';
import { limits } from './limits.ts';
import { SlowestFirst } from './slowestFirst.ts';
import { tally } from './tally.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** True for `npm run test:all`. */
    all: boolean;
  }
}

/**
 * Slow, and rarely the first to fail: `npm run test:all` runs them too, as the workflow does. The
 * test named beside each holds the same promise in `npm test`.
 */
const RARE = [
  'test/deploy/dockerfile.test.ts', // package.test.ts: what is packed, and that it runs alone
  'test/ingest/http/hostileMemory.test.ts', // hostileBodies.test.ts: each body, and what is made of it
  'test/database/backup.test.ts', // restore.test.ts: a dump, with what may be forgotten around it
  'test/extras/embedded/home.test.ts', // server.test.ts: nobody else may enter; mistakes.test.ts: DATA_DIR
  'test/support/run.test.ts', // of the tests' own tools
  'test/faults/embedded.test.ts', // embedded/owner.test.ts: a killed server is started again by its owner
  'test/faults/replicas.test.ts', // serve/otherHistory.test.ts: never older after newer
  'test/scale/scale.test.ts', // its parts, one by one: serve/otherHistory.test.ts, aggregate/claims.test.ts
  'test/processes.test.ts', // embedded/owner.test.ts, aggregate/claims.test.ts: each of its steps
  'test/upgrade/roll.test.ts', // upgrade.test.ts, rebuild.test.ts: the same versions, without load
  'test/extras/pages/fold.test.ts', // pages.test.ts: all of it is sent; the browser folds
  'test/extras/pages/docs.test.ts', // openapi.test.ts: what the reference says
  'test/extras/pages/history.test.ts', // series.test.ts, pages.test.ts: the numbers and their places
  'test/extras/pages/widget.test.ts', // pages.test.ts: what the frame holds, which the widget shows
  'test/extras/pages/transitions.test.ts', // views.test.ts: what an open page asks for, and shows
];

/** `all`: with RARE, in every zone, and on every engine (database.ts). */
export const suite = ({ all }: { all: boolean }) =>
  defineConfig({
    test: {
      ...limits,
      provide: { ...limits.provide, all },
      include: ['test/**/*.test.ts'],
      // the long ones: npm run test:faults
      exclude: [...configDefaults.exclude, 'test/faults/long/**', ...(all ? [] : RARE)],
      globalSetup: ['test/support/globalSetup.ts'],
      reporters: ['default', tally],
      sequence: { sequencer: SlowestFirst },
      // of the simulation's zones: it would otherwise keep one core busy long after everything else
      maxConcurrency: 3,
      // no test file changes a module, so they share them: importing took a seventh of the time
      isolate: false,
      // on two cores: each waits for a database server or a process now and then
      maxWorkers: 3,
    },
  });
