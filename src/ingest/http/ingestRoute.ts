/**
 * Accepts the readings of a request's body in the name of its sender, and answers with the outcome.
 */
import { STATUS_CODES } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { Clock } from '../../base/clock.ts';
import type { ParameterName } from '../../contract/parameters.ts';
import type { QueryPool } from '../../database/queryPool.ts';
import { Problem, sendBody } from '../../http/send.ts';
import { droppedValue, explainReading, explainValue } from '../explain.ts';
import type { IngestObserver } from '../observer.ts';
import type { ReadingBatch } from '../reading/collect.ts';
import type { ZoneConflict } from '../reading/declarations.ts';
import { suspectUnits } from '../reading/otherUnits.ts';
import type { SourceNotes } from '../reading/reader.ts';
import type { ReadingInput } from '../reading/reading.ts';
import { type Accepted, acceptReadings, type Scope, UnauthorizedSensors } from '../store/accept.ts';
import { assignSensors } from '../store/deviceSensors.ts';
import { type BodyLimits, bodyOf, readBody } from './body.ts';
import { senderOf } from './tokens.ts';

/** The dependencies of every ingestion endpoint. */
export type IngestDeps = {
  /** A pool in the role airseries_ingest. */
  writes: QueryPool;
  clock: Clock;
  /** Undefined: nothing is counted. */
  observer?: IngestObserver | undefined;
  /** How long a body may take to arrive, from when the token was looked up. */
  bodyMs: number;
  /** Where Node and the database server have other rules of a declared zone. */
  zoneConflictOf?: ((zone: string | undefined) => Promise<ZoneConflict | undefined>) | undefined;
};

/**
 * The readings of a body, and how they were read if there is a choice. Rejects with Problem for one
 * that has none.
 */
export type ReadReadings = (
  body: Buffer,
  req: Request,
  context: { scope: Scope; now: Date },
) => Promise<Pick<ReadingBatch, 'readings'> & Partial<ReadingBatch>>;

/** Values that an answer names. */
const MOST_VALUES = 1_000;

/**
 * The handlers of a route, to come after authentication. The answer is 403 if the sender is not
 * authorized for one of the sensors, and 422 if nothing was usable, unless `neverRefuses`: firmware
 * that sends again what was refused would not stop. Errors of `read` and of the database are passed
 * on.
 */
export function ingestRoute(
  { writes, clock, observer, bodyMs }: IngestDeps,
  limits: Omit<BodyLimits, 'timeMs'>,
  read: ReadReadings,
  { neverRefuses = false } = {},
): RequestHandler[] {
  const ingest: RequestHandler = async (req, res) => {
    const now = clock();
    const { name, scope } = senderOf(res);
    const { readings: given, notes } = await read(bodyOf(req), req, { scope, now });
    const readings = await assignSensors(writes, given, scope, now);
    const options = { now, source: name, scope, onWrite: observer?.onWrite };
    const outcome = await acceptReadings(writes, readings, options).catch((error: unknown) => {
      throw error instanceof UnauthorizedSensors ? forbidden(error) : error;
    });
    observer?.onBatch(scope.provider, outcome);
    const { received, accepted, unchanged, quarantined, overflowed } = outcome;
    const values = outcome.values.slice(0, MOST_VALUES).map(({ index, reason }) => {
      const parameter = reason.slice(reason.indexOf(':') + 1) as ParameterName;
      return { index, ...droppedValue(reason, readings[index]?.values[parameter]) };
    });
    const answer = {
      received,
      accepted,
      unchanged,
      quarantined,
      ...(values.length > 0 && { values }),
      ...(outcome.values.length > MOST_VALUES && {
        more_values: outcome.values.length - MOST_VALUES,
      }),
      ...(notes !== undefined && describeSource(notes, readings, outcome)),
      ...(overflowed > 0 && { left_out_of_quarantine: overflowed }),
    };
    res.set('Cache-Control', 'no-store');
    const isUnusable = !neverRefuses && received > 0 && accepted + unchanged === 0;
    const body = isUnusable ? { ...explained(outcome, readings), ...answer } : answer;
    sendBody(req, res, isUnusable ? 422 : 200, Buffer.from(JSON.stringify(body)));
  };
  return [readBody({ ...limits, timeMs: bodyMs }), ingest];
}

/** The part of an answer that says how the body was read. */
function describeSource(
  notes: SourceNotes,
  readings: readonly ReadingInput[],
  { values }: Accepted,
) {
  // with hints of their own
  const leftOut = new Set(values.map(({ reason }) => reason.slice(reason.indexOf(':') + 1)));
  const stored = suspectUnits(readings, notes).filter(({ parameter }) => !leftOut.has(parameter));
  const hints = stored.map(
    ({ parameter, field, unit, option, example }) =>
      `${field} looks like ${unit}, for example ${example}: if it is, add ?unit=${parameter}=${option} to the address`,
  );
  return {
    ...(notes.ignored.size > 0 && { ignored: [...notes.ignored] }),
    ...(hints.length > 0 && { hints }),
    format: notes.format,
    ...(notes.excluded > 0 && { excluded: notes.excluded }),
    ...(notes.usedServerTime && { time: 'server' }),
  };
}

/**
 * Why nothing of a body could be used, in the form of a problem: each reason once, with the first
 * reading that has it.
 */
function explained({ received, quarantined, values }: Accepted, readings: readonly ReadingInput[]) {
  const sentences = new Map<string, string>();
  for (const { index, reason } of quarantined) {
    if (sentences.has(reason)) continue;
    sentences.set(reason, explainReading(reason, readings[index] ?? {}) ?? reason);
  }
  for (const { index, reason } of values) {
    if (sentences.has(reason)) continue;
    const parameter = reason.slice(reason.indexOf(':') + 1) as ParameterName;
    sentences.set(reason, explainValue(reason, readings[index]?.values[parameter]));
  }
  const what =
    received === 1
      ? 'The reading could not be used'
      : `None of the ${received} readings could be used`;
  const detail = `${what}: ${[...sentences.values()].join('; ')}.`;
  return { status: 422, title: STATUS_CODES[422], detail };
}

/** How many sensors a message names at most. */
const NAMED = 20;

function forbidden({ sensors }: UnauthorizedSensors): Problem {
  const all = sensors.split(', ');
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  const named = `${all.length === 1 ? 'sensor' : 'sensors'} ${all.slice(0, NAMED).join(', ')}${more}`;
  return new Problem(
    403,
    `This token may not send for ${named}. Nothing of this request was stored.`,
  );
}
