/**
 * Imports files of readings. Repeating an import changes nothing and completes an interrupted one.
 * While one batch is being written, the next is read and validated; two are never written at once,
 * because the later of two values for one time must win.
 */

import { InputError } from '../base/inputError.ts';
import type { Log } from '../base/log.ts';
import { makeProgress, type Progress } from '../base/progress.ts';
import { AIRSERIES } from '../base/shell.ts';
import type { ReadingColumn } from '../contract/parameters.ts';
import type { Sql } from '../database/client.ts';
import { DECLARE_SHIFT, explainReading, explainValue, hintsOf, NAMES_END } from './explain.ts';
import type { Means } from './formats/format.ts';
import { FILE_LIMITS, type ReadingBatch, readReadings } from './reading/collect.ts';
import { refuseContradictions } from './reading/contradictions.ts';
import { findDateFormat } from './reading/dateFormat.ts';
import type { Declarations } from './reading/declarations.ts';
import { refuseOtherUnits } from './reading/otherUnits.ts';
import type { SourceNotes } from './reading/reader.ts';
import type { ReadingInput } from './reading/reading.ts';
import { addSpan, describeGap, emptySpan, inUtc, type Span } from './reading/span.ts';
import { refuseVerdicts } from './reading/verdicts.ts';
import { openSource } from './rows/source.ts';
import type { Accepted } from './store/accept.ts';
import { type Batch, type Copier, makeCopier, type Stored } from './store/copyReadings.ts';
import { assignSensors, checkDeclaredOwner, type SensorsOfDevices } from './store/deviceSensors.ts';
import {
  addReplaced,
  describeReplaced,
  NOTHING_REPLACED,
  type Replaced,
  type ReplacedValues,
} from './store/replaced.ts';
import { withTransitions } from './store/transitions.ts';
import { type ReadingReason, readSensorId, type ValueReason } from './store/validate.ts';

/** The outcome of all files, as the command prints it. */
type ImportSummary = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Null: no stored value was. */
  replaced: ReplacedValues | null;
  /** The times of what was accepted or unchanged, in UTC; null: nothing was. */
  oldest: string | null;
  newest: string | null;
  /** Whole readings, by reason. */
  quarantined: Partial<Record<ReadingReason, number>>;
  /** Single values left out of readings, by reason and parameter. */
  values: Partial<Record<ValueReason, number>>;
  /** The first of each reason. */
  examples: {
    reason: ReadingReason | ValueReason;
    position: string;
    text: string;
    explanation: string;
  }[];
  /**
   * Accepted readings without a placement at their time: the sensor was at no station or was
   * suspicious.
   */
  without_station: number;
  /** Lines for which the quarantine had no room. */
  left_out_of_quarantine: number;
  /** Rows that --only leaves out. */
  excluded: number;
  /** Columns and keys that are not used. */
  ignored: string[];
  /** Sentences about what was stored and is perhaps not meant so. */
  hints: string[];
  /** The formats that the files were read by. */
  formats: string[];
  /** A source could not be read to its end; the readings before are stored. */
  failed: boolean;
  failures: string[];
};

/** `terminal`: stderr is one, and progress is drawn on it. */
type Source = Awaited<ReturnType<typeof openSource>>;
type Options = { now: Date; log: Log; terminal: boolean; format?: Declarations | undefined };
type Run = {
  sql: Sql;
  copier: Copier;
  format: Declarations | undefined;
  log: Log;
  clock: () => Date;
  summary: ImportSummary;
  progress: Progress;
  span: Span;
  replaced: Replaced;
  ofDevices: SensorsOfDevices;
  /** By sensor, whether hourly or daily means were imported. */
  means: Map<number, Means>;
  total: number | undefined;
};

/**
 * Imports files in their order; the path `-` is standard input. `sql` is a pool of at least two
 * connections in the role airseries_ingest. A file that cannot be read is logged and noted in the
 * summary; rejects with any error of the database, and with InputError for a declared sensor or
 * device that the network does not have. Aggregates follow at the next refresh.
 */
export async function importReadings(
  sql: Sql,
  paths: readonly string[],
  { now, log, terminal, format: declared }: Options,
): Promise<ImportSummary> {
  if (declared !== undefined) await checkDeclaredOwner(sql, declared);
  const format = declared && (await withTransitions(sql, declared, now));
  const summary = emptySummary();
  const started = performance.now();
  // standard input may take days; that does not make its readings future ones
  const clock = () => new Date(now.getTime() + (performance.now() - started));
  const progress = makeProgress('importing', log, terminal);
  const run: Run = {
    sql,
    copier: makeCopier(sql),
    format,
    log,
    clock,
    summary,
    progress,
    span: emptySpan(),
    replaced: NOTHING_REPLACED,
    ofDevices: new Map(),
    means: new Map(),
    total: undefined,
  };
  const sources: Source[] = [];
  for (const path of paths)
    await collectFailure(run, async () => sources.push(await openSource(path)));
  if (sources.every(({ size }) => size !== undefined)) {
    run.total = sources.reduce((sum, { size }) => sum + (size ?? 0), 0);
  }
  let read = 0;
  for (const source of sources) {
    await collectFailure(run, () => importSource(run, source, read));
    read += source.size ?? 0;
  }
  progress.hide();
  summary.replaced = describeReplaced(run.replaced) ?? null;
  const { oldest, newest } = run.span;
  summary.oldest = oldest === undefined ? null : inUtc(oldest);
  summary.newest = newest === undefined ? null : inUtc(newest);
  const none = summary.failed && summary.received === 0 ? undefined : whyNothing(summary, paths);
  if (none !== undefined) {
    summary.failed = true;
    summary.failures.push(none);
    log.error(none);
  }
  return summary;
}

/** Why nothing of what was read is stored now; undefined if something is. */
function whyNothing(
  { received, accepted, unchanged, excluded }: ImportSummary,
  paths: readonly string[],
): string | undefined {
  if (accepted + unchanged > 0) return undefined;
  if (received > 0)
    return `none of the ${received} readings could be used. The log has an example of each reason; all of them: ${AIRSERIES} quarantine list`;
  const names = paths.join(', ');
  return excluded > 0
    ? `${names}: --only leaves out every row (${excluded})`
    : `${names}: there is no reading in it: no line follows the header, or its list is empty`;
}

/** A source with an error does not keep the others from being imported. */
async function collectFailure(
  { summary, log, progress }: Run,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    progress.hide();
    log.error(error.message);
    summary.failed = true;
    summary.failures.push(error.message);
  }
}

async function importSource(run: Run, source: Source, readBefore: number): Promise<void> {
  const { sql, copier, clock, summary, progress, log } = run;
  // standard input cannot be read twice
  const found =
    source.size === undefined ? undefined : await findDateFormat(source.name, run.format);
  const format = found === undefined ? run.format : { ...run.format, dateFormat: found };
  copier.begin();
  let excluded = 0;
  let notes: SourceNotes | undefined;
  const span = emptySpan();
  let replacedHere = NOTHING_REPLACED;
  let failure: InputError | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = async (batch: Batch, { ignored }: SourceNotes, read: number) => {
    const outcome = await copier.store(batch, source.name);
    warn(run, source, ignored);
    addSpan(span, outcome.span);
    addExamples(run, source, outcome);
    addOutcome(summary, outcome, ignored);
    replacedHere = addReplaced(replacedHere, outcome.replaced);
    progress.show(
      summary.received,
      run.total === undefined ? undefined : (readBefore + read) / run.total,
    );
  };
  const writeBatch = async () => {
    await writing;
    const batch = copier.take();
    if (batch === undefined || notes === undefined) return;
    writing = write(batch, notes, source.read);
    writing.catch(() => undefined); // awaited, and handled, before the next batch or at the end
  };
  try {
    const all = readReadings(source, format, LIMITS);
    const checked = checkedBeginning(all, source, (first) => {
      warnOfLinesBefore(run, source, first.notes);
      refuseOtherUnits(first.readings, first.notes, source.name);
      refuseDoubts(first.notes, source.name, NOTHING_STORED);
    });
    for await (const batch of checked) {
      const { readings: given } = batch;
      notes = batch.notes;
      summary.excluded += notes.excluded - excluded;
      excluded = notes.excluded;
      if (!summary.formats.includes(notes.format)) summary.formats.push(notes.format);
      const readings = await assignSensors(sql, given, undefined, clock(), run.ofDevices);
      const { means } = notes;
      if (means !== undefined) refuseBothMeans(readings, means, run.means, source.name);
      await copier.add(readings, clock());
      if (copier.isFull(source.size === undefined ? STORED_OF_STREAM : STORED_OF_FILE))
        await writeBatch();
    }
    await writeBatch();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    failure = error;
    await writeBatch(); // with what stands before the fault
  } finally {
    source.close();
    await writing;
    addSpan(run.span, span);
  }
  for await (const { accepted, replaced } of copier.end(clock(), source.name)) {
    summary.accepted += accepted;
    summary.unchanged -= accepted;
    replacedHere = addReplaced(replacedHere, replaced);
  }
  sayReplaced(run, source, replacedHere);
  if (failure !== undefined) throw failure;
  if (notes === undefined) return;
  refuseDoubts(notes, source.name, 'the readings are stored all the same');
  for (const hint of hintsOf(notes, [], undefined, describeGap(span))) {
    const text = `${source.name}: ${hint}`;
    summary.hints.push(text);
    progress.hide();
    log.warn(text);
  }
}

/** Adds to the summary's, and logs it: of a file that was only to add something it is a surprise. */
function sayReplaced(run: Run, { name }: Source, replaced: Replaced): void {
  run.replaced = addReplaced(run.replaced, replaced);
  const values = describeReplaced(replaced);
  if (values === undefined) return;
  run.progress.hide();
  run.log.info({ source: name, ...values }, 'stored values were replaced or withdrawn');
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
const NOTHING_STORED = 'nothing of it was stored';

/**
 * The same batches, after `check` has seen the first with a reading, and the notes of the first
 * 50,000 readings. Rejects as `check` throws, before it yields any.
 */
async function* checkedBeginning(
  batches: AsyncGenerator<ReadingBatch>,
  { size }: Source,
  check: (first: ReadingBatch) => void,
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
  if (first !== undefined) check(first);
  yield* held;
  if (failure !== undefined) throw failure;
  yield* batches;
}

function refuseDoubts(
  { contradictions, verdicts, namesEnd }: SourceNotes,
  source: string,
  stored: string,
): void {
  if (namesEnd)
    throw new InputError(source, `${NAMES_END}; ${stored}`, `To import it, ${DECLARE_SHIFT}.`);
  refuseVerdicts(verdicts, source, stored);
  refuseContradictions(contradictions, source, stored);
}

function warnOfLinesBefore(
  { log, progress }: Run,
  { name }: Source,
  { linesBefore: lines }: SourceNotes,
): void {
  if (lines === 0) return;
  progress.hide();
  log.info({ source: name, lines }, 'lines before the header are passed over');
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

/** Logs each ignored column once. */
function warn({ log, summary, progress }: Run, source: Source, ignored: ReadonlySet<string>): void {
  const unknown = [...ignored].filter((name) => !summary.ignored.includes(name));
  if (unknown.length > 0) {
    progress.hide();
    log.info({ source: source.name, columns: unknown }, 'unknown columns are ignored');
  }
}

const EXAMPLE_LENGTH = 300;

/** Logs and notes the first reading or value of each reason that could not be used. */
function addExamples(run: Run, source: Source, { readings, quarantined, values }: Stored): void {
  const { summary, log, progress } = run;
  const known = new Set<string>(summary.examples.map(({ reason }) => reason));
  const add = (
    reason: ReadingReason | ValueReason,
    index: number,
    explain: (reading: ReadingInput) => string,
  ) => {
    const reading = readings[index];
    if (reading === undefined || known.has(reason)) return;
    known.add(reason);
    const position = `${source.name}:${reading.line}`;
    const example = {
      reason,
      position,
      text: reading.text.slice(0, EXAMPLE_LENGTH),
      explanation: explain(reading),
    };
    summary.examples.push(example);
    progress.hide();
    log.warn(
      { position, reason },
      `not used: ${example.explanation} (only the first of each reason is shown)`,
    );
  };
  for (const { index, reason } of quarantined) {
    add(reason, index, (reading) => explainReading(reason, reading) ?? reason);
  }
  for (const { index, reason } of values) {
    const parameter = reason.slice(reason.indexOf(':') + 1) as ReadingColumn;
    add(reason, index, (reading) => explainValue(reason, reading.values[parameter]));
  }
}

function emptySummary(): ImportSummary {
  return {
    received: 0,
    accepted: 0,
    unchanged: 0,
    replaced: null,
    oldest: null,
    newest: null,
    quarantined: {},
    values: {},
    examples: [],
    without_station: 0,
    left_out_of_quarantine: 0,
    excluded: 0,
    ignored: [],
    hints: [],
    formats: [],
    failed: false,
    failures: [],
  };
}

function addOutcome(summary: ImportSummary, outcome: Accepted, ignored: ReadonlySet<string>): void {
  summary.received += outcome.received;
  summary.accepted += outcome.accepted;
  summary.unchanged += outcome.unchanged;
  summary.without_station += outcome.withoutStation;
  summary.left_out_of_quarantine += outcome.overflowed;
  for (const { reason } of outcome.quarantined)
    summary.quarantined[reason] = (summary.quarantined[reason] ?? 0) + 1;
  for (const { reason } of outcome.values)
    summary.values[reason] = (summary.values[reason] ?? 0) + 1;
  const listed = new Set(summary.ignored);
  summary.ignored.push(...[...ignored].filter((name) => !listed.has(name)));
}
