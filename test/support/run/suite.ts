/** Vitest's configuration of each suite: `npm test`, and the two of `npm run test:all`. */
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
  'test/extras/senders/zoneRules.test.ts', // feeds/pullDue.test.ts: the rules of the database (Z5); aggregate/zoneRules.test.ts: their changes
  'test/extras/embedded/backup.test.ts', // restore.test.ts: a dump; its commands copy a folder
  'test/database/backup.test.ts', // restore.test.ts: a dump, with the calls that people forget
  'test/extras/embedded/home.test.ts', // owner.test.ts: nobody else may enter; embedded/surroundings.test.ts: DATA_DIR
  'test/support/run/run.test.ts', // the tests' own tools
  'test/extras/embedded/restart.test.ts', // embedded/owner.test.ts: a killed server is started again by its owner
  'test/whole/faults/killedImports.test.ts', // importsAtOnce.test.ts, ingest/store/imports.test.ts: interrupted otherwise, and undone
  'test/whole/scale/scale.test.ts', // its parts, one by one: serve/otherHistory.test.ts, aggregate/claims.test.ts
  'test/whole/upgrade/roll.test.ts', // upgrade.test.ts, rebuild.test.ts: the same versions, without load
  'test/extras/archive/archiveFaults.test.ts', // archive.test.ts: missing and damaged files are made again, by one session
  'test/extras/archive/roundTrip.test.ts', // csv.test.ts: the files, byte for byte; senders/formats/formats.test.ts: how they are read
  'test/extras/archive/copy.test.ts', // archiveService.test.ts: each file with the hash of the index; serve.test.ts: ranges, validators
  'test/extras/archive/lateReading.test.ts', // record.test.ts: its rows; archive.test.ts: the files that follow them
  'test/aggregate/progress.test.ts', // base/progress.test.ts: a line of progress and its log; changeLog.test.ts: no hour is lost
  'test/database/keptHours.test.ts', // aggregate/keptHours.test.ts: only what is missing is restored
  'test/aggregate/tampering.test.ts', // audit.test.ts: wrong, missing and surplus buckets are named and mended
  'test/aggregate/retention.test.ts', // engines.test.ts: expired readings are deleted, and their aggregates stay
  'test/extras/demo/demo.test.ts', // demo/wiring.test.ts: a service with it; demo/readings.test.ts: what it invents
  'test/serve/coldDocuments.test.ts', // windows.test.ts: the same documents, by value
  'test/serve/cacheCoherence.test.ts', // cache.test.ts, dataVersion.test.ts: each rule of the cache
  'test/extras/pages/docs.test.ts', // openapi.test.ts: the content of the reference
  'test/extras/pages/history.test.ts', // series.test.ts: the numbers; pages.test.ts: each part, and each page in a browser, once
  'test/extras/pages/widget.test.ts', // pages.test.ts: the frame, which the widget shows, and one station in it
  'test/extras/pages/transitions.test.ts', // pages.test.ts: every part, as it is sent at each moment
  'test/extras/pages/map.test.ts', // pages.test.ts: a map with its pins; its places, as they are sent
  'test/extras/pages/fit.test.ts', // pages.test.ts: each page in a browser, once
];

/**
 * `test`: the tests that every change must pass. `all`: with RARE, in every zone, and on every
 * engine (database.ts). `long`: the folders of that name, one file at a time, because they measure
 * time.
 */
export const suite = (mode: string) => {
  const isLong = mode === 'long';
  const all = isLong || mode === 'all';
  return defineConfig({
    test: {
      ...limits,
      provide: { ...limits.provide, all },
      testTimeout: isLong ? 2 * limits.testTimeout : limits.testTimeout,
      include: [isLong ? 'test/**/long/**/*.test.ts' : 'test/**/*.test.ts'],
      exclude: [
        ...configDefaults.exclude,
        ...(isLong ? [] : ['test/**/long/**']),
        ...(all ? [] : RARE),
      ],
      globalSetup: ['test/support/run/globalSetup.ts'],
      reporters: ['default', tally],
      sequence: { sequencer: SlowestFirst },
      // the zones of the simulation would otherwise keep one core busy long after everything else
      maxConcurrency: 3,
      // no test file changes a module, so they share them: importing took a seventh of the time
      isolate: isLong,
      // on two cores: four took 498 s of processor and 258 s, three 472 and 254
      maxWorkers: isLong ? 1 : 3,
    },
  });
};
