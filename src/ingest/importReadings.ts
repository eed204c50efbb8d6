/**
 * Imports files of readings. Repeating an import changes nothing and completes an interrupted one. While one batch is being written, the
 * next is read and validated; two are never written at once, because the later of two values for one time must win.
 */
import type { Sql } from '../database/client.ts';
import { InputError } from '../inputError.ts';
import type { Log } from '../log.ts';
import { makeProgress, type Progress } from '../progress.ts';
import type { Accepted } from './accept.ts';
import { claimMeans } from './claimMeans.ts';
import { type Copier, makeCopier, type Prepared } from './copyReadings.ts';
import { type Format, type ReadingBatch, readReadings } from './formats/readings.ts';
import { openSource, type Source } from './formats/source.ts';
import type { ReadingReason, ValueReason } from './validate.ts';

/** What became of all files, as the command prints it. */
export type ImportSummary = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Whole readings, by reason. */
  quarantined: Partial<Record<ReadingReason, number>>;
  /** Single values left out of readings, by reason and parameter. */
  values: Partial<Record<ValueReason, number>>;
  /** Of the accepted: without a placement at their time, because the sensor was at no station or was suspicious. */
  without_station: number;
  /** Lines for which the quarantine had no room. */
  left_out: number;
  ignored_columns: string[];
  /** A source could not be read to its end; the readings before are stored. */
  failed: boolean;
  failures: string[];
};

/** `terminal`: stderr is one, and progress is drawn on it. */
type Options = { now: Date; log: Log; terminal: boolean; format?: Format | undefined };
type Run = {
  sql: Sql;
  copier: Copier;
  format: Format | undefined;
  log: Log;
  clock: () => Date;
  summary: ImportSummary;
  progress: Progress;
  total: number | undefined;
};

/**
 * Imports files in their order; the path `-` is standard input. `sql` is a pool of at least two connections in the role airseries_ingest.
 * A file that cannot be read is logged and noted in the summary; rejects with any error of the database. Aggregates follow at the next
 * refresh.
 */
export async function importReadings(
  sql: Sql,
  paths: readonly string[],
  { now, log, terminal, format }: Options,
): Promise<ImportSummary> {
  const summary = emptySummary();
  const started = performance.now();
  // standard input may take days, and its readings are not from the future for that
  const clock = () => new Date(now.getTime() + (performance.now() - started));
  const progress = makeProgress('importing', log, terminal);
  const run: Run = { sql, copier: makeCopier(sql), format, log, clock, summary, progress, total: undefined };
  const sources: Source[] = [];
  for (const path of paths) await collectFailure(run, async () => sources.push(await openSource(path)));
  if (sources.every(({ size }) => size !== undefined)) {
    run.total = sources.reduce((sum, { size }) => sum + (size ?? 0), 0);
  }
  let read = 0;
  for (const source of sources) {
    await collectFailure(run, () => importSource(run, source, read));
    read += source.size ?? 0;
  }
  progress.hide();
  const unlogged = (summary.quarantined.unreadable_line ?? 0) - WARNINGS;
  if (unlogged > 0) log.warn(`${unlogged} more unreadable lines were sent to quarantine`);
  return summary;
}

/** A source with an error does not keep the others from being imported. */
async function collectFailure({ summary, log, progress }: Run, work: () => Promise<unknown>): Promise<void> {
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
  const { sql, copier, format, clock, summary, progress } = run;
  const claimed = new Set<number>();
  let writing: Promise<void> = Promise.resolve();
  const write = async ({ readings, ignored }: ReadingBatch, prepared: Prepared, read: number) => {
    const outcome = await copier.store(prepared, source.name);
    warn(run, source, { readings, ignored }, outcome);
    addOutcome(summary, outcome, ignored);
    progress.show(summary.received, run.total === undefined ? undefined : (readBefore + read) / run.total);
  };
  try {
    for await (const batch of readReadings(source, format)) {
      const prepared = await copier.prepare(batch.readings, clock());
      await writing;
      const { means, readings } = batch;
      if (means !== undefined) await claimMeans(sql, readings, { means, claimed, source: source.name });
      writing = write(batch, prepared, source.read);
      writing.catch(() => undefined); // awaited, and handled, before the next batch or at the end
    }
  } finally {
    await writing;
  }
}

const WARNINGS = 10;

/** Logs each ignored column once, and the first unreadable lines. */
function warn(run: Run, source: Source, { readings, ignored }: ReadingBatch, outcome: Accepted): void {
  const { log, summary, progress } = run;
  const unknown = [...ignored].filter((name) => !summary.ignored_columns.includes(name));
  if (unknown.length > 0) {
    progress.hide();
    log.info({ source: source.name, columns: unknown }, 'unknown columns are ignored');
  }
  const lines = outcome.quarantined.filter(({ reason }) => reason === 'unreadable_line');
  for (const { index } of lines.slice(0, Math.max(0, WARNINGS - (summary.quarantined.unreadable_line ?? 0)))) {
    progress.hide();
    log.warn({ position: `${source.name}:${readings[index]?.line}` }, 'unreadable line sent to quarantine');
  }
}

function emptySummary(): ImportSummary {
  return {
    received: 0,
    accepted: 0,
    unchanged: 0,
    quarantined: {},
    values: {},
    without_station: 0,
    left_out: 0,
    ignored_columns: [],
    failed: false,
    failures: [],
  };
}

function addOutcome(summary: ImportSummary, outcome: Accepted, ignored: ReadonlySet<string>): void {
  summary.received += outcome.received;
  summary.accepted += outcome.accepted;
  summary.unchanged += outcome.unchanged;
  summary.without_station += outcome.withoutStation;
  summary.left_out += outcome.leftOut;
  for (const { reason } of outcome.quarantined) summary.quarantined[reason] = (summary.quarantined[reason] ?? 0) + 1;
  for (const { reason } of outcome.values) summary.values[reason] = (summary.values[reason] ?? 0) + 1;
  const listed = new Set(summary.ignored_columns);
  summary.ignored_columns.push(...[...ignored].filter((name) => !listed.has(name)));
}
