/** Databases for test files, on every engine that this run covers. */
import { describe, inject } from 'vitest';
import type { Engine } from '../../src/schema/aggregates.ts';
import { CORE } from './definitions.ts';
import { makeDatabase, makeEmptyDatabase, type Seed, type TestDatabase } from './makeDatabase.ts';

export type { TestDatabase };

const targets = inject('targets');

/** The engines of this run, plain PostgreSQL first. */
export const engines = Object.keys(targets) as Engine[];

/** True for `npm run test:all`. */
export const isAll = inject('all') ?? false; // undefined in runs with another configuration

export function onEveryEngine(name: string, tests: (engine: Engine) => void): void {
  describe.each(engines)(`${name} (%s)`, tests);
}

/**
 * For tests that don't depend on how data are stored or read. They run on plain PostgreSQL, which
 * every machine has.
 */
export function onOneEngine(name: string, tests: (engine: Engine) => void): void {
  describe.each(engines.slice(0, 1))(`${name} (%s)`, tests);
}

/**
 * For tests of SQL that is the same on every engine, above aggregates that are tested on each. They
 * run on plain PostgreSQL, and in `npm run test:all` on every engine.
 */
export const onEveryEngineInAll = isAll ? onEveryEngine : onOneEngine;

/**
 * The same for the rest of a suite, after its tests that depend on the engine: `if
 * (isRepetition(engine)) return;`
 */
export const isRepetition = (engine: Engine) => !isAll && engine !== engines[0];

export const testDatabase = (engine: Engine, timeZone = 'Asia/Yerevan') =>
  makeDatabase(targets, engine, timeZone);

/** A database that begins with what a test file needs. */
export const seededDatabase = (engine: Engine, seed: Seed) =>
  makeDatabase(targets, engine, 'Asia/Yerevan', undefined, seed);

/** A database without the views and functions of any extra. */
export const coreDatabase = (engine: Engine) => makeDatabase(targets, engine, 'Asia/Yerevan', CORE);

/** A database without any migration, or a copy of a template. */
export const emptyDatabase = (engine: Engine, template?: string) =>
  makeEmptyDatabase(targets, engine, template);
