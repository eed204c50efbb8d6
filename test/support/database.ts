/** Databases for test files, on every engine that this run covers. */
import { describe, inject } from 'vitest';
import type { Engine } from '../../src/schema/aggregates.ts';
import { makeDatabase, makeEmptyDatabase, type TestDatabase } from './makeDatabase.ts';

export type { TestDatabase };

const targets = inject('targets');

/** The engines of this run, plain PostgreSQL first. */
export const engines = Object.keys(targets) as Engine[];

export function onEveryEngine(name: string, tests: (engine: Engine) => void): void {
  describe.each(engines)(`${name} (%s)`, tests);
}

/**
 * For what doesn't depend on how data are stored or read: on TimescaleDB where there is one, else
 * on plain PostgreSQL.
 */
export function onOneEngine(name: string, tests: (engine: Engine) => void): void {
  describe.each(engines.slice(-1))(`${name} (%s)`, tests);
}

export const testDatabase = (engine: Engine, timeZone = 'Asia/Yerevan') =>
  makeDatabase(targets, engine, timeZone);

/** A database without any migration; or, with a template, all that is in that. */
export const emptyDatabase = (engine: Engine, template?: string) =>
  makeEmptyDatabase(targets, engine, template);
