/**
 * Rule A10 by simulation: after any sequence of writes, deletions, network changes and refreshes,
 * some of them killed or concurrent, every bucket follows from the readings, and the engines agree.
 * 50 steps in each zone, and the corpus, on each engine. `npm test` has the corpus on one engine.
 */
import { expect, it } from 'vitest';
import { engines, onEveryEngineInAll, testDatabase } from '../../support/database.ts';
import { patient } from '../../support/patience.ts';
import { needs } from '../../support/tools.ts';
import { allPairs, pairsOf, ZONES } from './axes.ts';
import { compareBuckets } from './compare.ts';
import { readCorpus } from './corpus.ts';
import { allBuckets, playSteps } from './run.ts';
import { chapterSeed, describeStep, makeSteps } from './steps.ts';

/** A seed for each zone, chosen so that every pair occurs in one of them. */
const seedOf = (zone: (typeof ZONES)[number]) => 258 + ZONES.indexOf(zone);
const STEPS_PER_ZONE = 50;

it('the simulation meets every pair of event, moment, value, statement and zone', () => {
  const missing = allPairs();
  for (const zone of ZONES) {
    for (const step of makeSteps(zone, chapterSeed(seedOf(zone), 0), STEPS_PER_ZONE))
      for (const pair of pairsOf(step, zone)) missing.delete(pair);
  }
  expect([...missing]).toEqual([]);
});

it.concurrent.each(ZONES)(
  `every bucket in %s is correct after each of ${STEPS_PER_ZONE} steps, and the engines agree`,
  { timeout: patient(600_000), ...needs('all') },
  async (zone) => {
    const steps = makeSteps(zone, chapterSeed(seedOf(zone), 0), STEPS_PER_ZONE);
    const databases = await Promise.all(engines.map((engine) => testDatabase(engine, zone)));
    const failures = await Promise.all(databases.map((database) => playSteps(database, steps)));
    for (const [index, failure] of failures.entries()) {
      const step = failure === undefined ? undefined : steps[failure.step];
      const message = `${engines[index]}, ${step && describeStep(step, zone)}. Shrink it: npm run sim -- --zone ${zone} --steps ${STEPS_PER_ZONE} --seed ${seedOf(zone)}`;
      expect(failure, message).toBeUndefined();
    }
    const [first, ...others] = await Promise.all(
      databases.map((database) => allBuckets(database.as('airseries_owner', 'UTC'))),
    );
    expect(first?.size).toBeGreaterThan(40);
    for (const other of others) expect(compareBuckets(first ?? new Map(), other)).toEqual([]);
    await Promise.all(databases.map((database) => database.drop()));
  },
);

onEveryEngineInAll('corpus', (engine) => {
  it.each(readCorpus())('every bucket is correct after $why ($name)', async ({ zone, steps }) => {
    const database = await testDatabase(engine, zone);
    expect(await playSteps(database, steps)).toBeUndefined();
    await database.drop();
  });
});
