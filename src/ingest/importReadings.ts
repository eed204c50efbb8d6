/**
 * Imports files of readings. Repeating an import changes nothing and completes an interrupted one.
 * While one batch is being written, the next is read and validated; two are never written at once,
 * because the later of two values for one time must win.
 */

import { InputError } from '../base/inputError.ts';
import type { Log } from '../base/log.ts';
import { AIRSERIES } from '../base/shell.ts';
import type { Sql } from '../database/client.ts';
import type { Means } from './formats/format.ts';
import { type ImportSummary, makeImportReport, type SourceReport } from './importReport.ts';
import {
  checkDeclarations,
  FILE_LIMITS,
  type ReadingBatch,
  readReadings,
} from './reading/collect.ts';
import { findDateFormat } from './reading/dateFormat.ts';
import type { Declarations } from './reading/declarations.ts';
import { asRefusal, type Doubt, stoppingDoubt } from './reading/doubt.ts';
import type { Findings } from './reading/doubts.ts';
import type { SourceFacts } from './reading/facts.ts';
import type { ReadingInput } from './reading/reading.ts';
import { COMMAND_LINE } from './reading/vocabulary.ts';
import { notUtf8 } from './rows/encoding.ts';
import { openSource } from './rows/source.ts';
import { doubtsAmongOthers } from './store/amongOthers.ts';
import { type Copier, makeCopier } from './store/copyReadings.ts';
import { assignSensors, checkDeclaredOwner, type SensorsOfDevices } from './store/deviceSensors.ts';
import { findMoved } from './store/movedSensors.ts';
import { withTransitions } from './store/transitions.ts';
import { readSensorId } from './store/validate.ts';

type Source = Awaited<ReturnType<typeof openSource>>;
/** `terminal`: stderr is one, and progress is drawn on it. */
type Options = { now: Date; log: Log; terminal: boolean; format?: Declarations | undefined };

/**
 * Imports files in their order; the path `-` is standard input. `sql` is a pool of at least two
 * connections in the role airseries_ingest. A file that cannot be read is logged and noted in the
 * summary; rejects with any error of the database, and with InputError for a declaration that cannot
 * be followed, and a declared sensor or device that the network does not have. Aggregates follow at
 * the next refresh.
 */
export async function importReadings(
  sql: Sql,
  paths: readonly string[],
  { now, log, terminal, format: declared }: Options,
): Promise<ImportSummary> {
  if (declared !== undefined) await checkDeclaredOwner(sql, declared);
  const format = declared && (await withTransitions(sql, declared, now));
  if (format !== undefined) checkDeclarations(format); // here, because of zones that only the server knows
  const sources: Source[] = [];
  const report = makeImportReport(log, terminal, () => partRead(sources), declared?.timeZone);
  /** A source with an error does not keep the others from being imported. */
  const attempt = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      report.failed(error.message);
    });
  for (const path of paths) await attempt(openSource(path).then((source) => sources.push(source)));
  const started = performance.now();
  // standard input may take days; that does not make its readings future ones
  const clock = () => new Date(now.getTime() + (performance.now() - started));
  const importSource = makeSourceImport(sql, clock);
  for (const source of sources)
    await attempt(importSource(source, format, report.source(source.name)));
  return report.end(paths);
}

/** Undefined where a size is unknown. */
function partRead(sources: readonly Source[]): number | undefined {
  const total = sources.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  return Number.isNaN(total) ? undefined : sources.reduce((sum, { read }) => sum + read, 0) / total;
}

/** Imports one source after the other: what is known of sensors holds for all of them. */
function makeSourceImport(sql: Sql, clock: () => Date) {
  const copier = makeCopier(sql);
  const ofDevices: SensorsOfDevices = new Map();
  /** By sensor, whether hourly or daily means were imported. */
  const means = new Map<number, Means>();
  return async (source: Source, declared: Declarations | undefined, report: SourceReport) => {
    copier.begin();
    const writer = makeWriter(copier, source.name, report);
    const most = source.size === undefined ? STORED_OF_STREAM : STORED_OF_FILE;
    const assign = (readings: readonly ReadingInput[]) =>
      assignSensors(sql, readings, undefined, clock(), ofDevices);
    let found: Findings | undefined;
    let failure: InputError | undefined;
    try {
      for await (const batch of readChecked(sql, source, declared, report, assign, clock())) {
        found = batch.found;
        const { readings } = batch;
        const { facts } = found;
        if (facts.means !== undefined) refuseBothMeans(readings, facts.means, means, source.name);
        await copier.add(readings, clock());
        if (copier.isFull(most)) await writer.write(facts);
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failure = error;
    } finally {
      source.close();
      await writer.idle();
    }
    if (found !== undefined) await writer.write(found.facts); // with what stands before a fault
    await writer.idle();
    for await (const withdrawn of copier.end(clock(), source.name)) report.withdrawn(withdrawn);
    report.end(found?.facts);
    if (failure !== undefined) throw failure;
    if (found === undefined) return;
    const doubt =
      stoppingDoubt(found.doubts.of([], COMMAND_LINE)) ??
      (await findMoved(sql, found.doubts, { now: clock() }, COMMAND_LINE)).doubts[0];
    refuseDoubt(doubt, source.name, 'the readings are stored all the same');
    report.hints(found);
  };
}

/** Writes a batch of the copier while the next is read. */
function makeWriter(copier: Copier, source: string, report: SourceReport) {
  let writing: Promise<void> = Promise.resolve();
  return {
    /** Resolves when the batch before is written, and this one has begun. */
    async write(facts: SourceFacts) {
      await writing;
      const batch = copier.take();
      if (batch === undefined) return;
      writing = copier.store(batch, source).then((outcome) => report.stored(outcome, facts));
      writing.catch(() => undefined); // awaited, and handled, before the next batch or at the end
    },
    idle: () => writing,
  };
}

/**
 * The readings of a source. Rejects with InputError before it yields any where the beginning says
 * that a declaration is wrong or missing.
 */
async function* readChecked(
  sql: Sql,
  source: Source,
  declared: Declarations | undefined,
  report: SourceReport,
  assign: (readings: readonly ReadingInput[]) => Promise<ReadingInput[]>,
  now: Date,
): AsyncGenerator<ReadingBatch> {
  // standard input cannot be read twice
  const dateFormat =
    source.size === undefined ? undefined : await findDateFormat(source.name, declared);
  const format = dateFormat === undefined ? declared : { ...declared, dateFormat };
  const batches = assigned(readReadings(source, format, LIMITS), assign);
  yield* checkedBeginning(batches, source, async (first) => {
    const { readings, found } = first;
    const { facts, doubts } = found;
    report.linesBefore(facts);
    const { notUtf8: other } = facts;
    if (other !== undefined)
      throw notUtf8(`${source.name}:${other.line}`, other.encoding, other.text);
    refuseDoubt(stoppingDoubt(doubts.of(readings, COMMAND_LINE)), source.name);
    const [among] = await doubtsAmongOthers(sql, readings, facts, COMMAND_LINE);
    refuseDoubt(among, source.name);
    refuseDoubt((await findMoved(sql, doubts, { now }, COMMAND_LINE)).doubts[0], source.name);
  });
}

/** The same batches, with the sensors of their devices. */
async function* assigned(
  batches: AsyncGenerator<ReadingBatch>,
  assign: (readings: readonly ReadingInput[]) => Promise<ReadingInput[]>,
): AsyncGenerator<ReadingBatch> {
  for await (const batch of batches) yield { ...batch, readings: await assign(batch.readings) };
}

/** As few at once as Copier.add wants them. */
const LIMITS = { ...FILE_LIMITS, batch: 1_000 };

/**
 * Readings that are stored together: each COPY costs about 10 ms, most of it for its five
 * statements, and of a stream that may not end, faults should be told soon.
 */
const STORED_OF_FILE = 25_000;
const STORED_OF_STREAM = 10_000;

/** Readings that are looked at together before any is stored; fewer of a stream that may not end. */
const LOOKED_AT = 50_000;

/**
 * The same batches, after `check` has seen the first with a reading, and what was found in the
 * first 50,000 readings. Rejects as `check` does, before it yields any.
 */
async function* checkedBeginning(
  batches: AsyncGenerator<ReadingBatch>,
  { size }: Source,
  check: (first: ReadingBatch) => Promise<void>,
): AsyncGenerator<ReadingBatch> {
  const held: ReadingBatch[] = [];
  const most = size === undefined ? 1 : LOOKED_AT;
  let failure: unknown;
  for (let count = 0; count < most; count += held.at(-1)?.readings.length ?? 0) {
    const next = await batches.next().catch((error: unknown) => {
      failure = error;
    });
    if (next === undefined || next.done === true) break;
    held.push(next.value);
  }
  const first = held.find(({ readings }) => readings.length > 0) ?? held[0];
  if (first !== undefined) await check(first);
  yield* held;
  if (failure !== undefined) throw failure;
  yield* batches;
}

/** Throws InputError. `stored`: what became of the readings. */
function refuseDoubt(doubt: Doubt | undefined, source: string, stored?: string): void {
  if (doubt !== undefined) throw new InputError(source, asRefusal(doubt, stored), doubt.remedy);
}

const PLURAL = { hour: 'hours', day: 'days' } as const;

/**
 * Hours and days of the same sensor would count twice: rejects with InputError where a sensor in
 * `seen` has the others.
 */
function refuseBothMeans(
  readings: readonly ReadingInput[],
  means: Means,
  seen: Map<number, Means>,
  source: string,
): void {
  for (const { sensorId } of readings) {
    const id = readSensorId(sensorId);
    if (id === undefined) continue;
    const other = seen.get(id) ?? means;
    if (other !== means) {
      throw new InputError(
        source,
        `it contains ${PLURAL[means]} of sensor ${id}, of which ${PLURAL[other]} were imported before, and both together would count twice`,
        `Import either hours or days of a sensor. To replace the ${PLURAL[other]}, delete them first: ` +
          `${AIRSERIES} delete readings --sensor ${id} --from 2000-01-01 --to 2100-01-01`,
      );
    }
    seen.set(id, means);
  }
}
