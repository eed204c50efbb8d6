/**
 * Files of readings become stored readings. Running it again changes nothing and carries on where an interrupted run stopped. While one
 * batch is being written the next is read and validated; two are never written at once, because of two values for one time the later must win.
 */
import type { Sql } from '../database/client.ts';
import { InputError } from '../inputError.ts';
import type { Log } from '../log.ts';
import { makeProgress, type Progress } from '../progress.ts';
import type { Accepted } from './accept.ts';
import { type Copier, makeCopier, type Prepared } from './copyReadings.ts';
import { type Format, type ReadingBatch, readReadings } from './formats/readings.ts';
import { openSource, type Source } from './formats/source.ts';
import { emptySummary, noteBatch, type Summary } from './summary.ts';

type Options = { now: Date; log: Log; terminal: boolean; format?: Format | undefined };
type Run = {
  copier: Copier;
  format: Format | undefined;
  log: Log;
  clock: () => Date;
  summary: Summary;
  progress: Progress;
  total: number | undefined;
};

/** `sql` is a pool of at least two connections in the role airseries_ingest; `-` among the paths is standard input. Aggregates follow at the next refresh. */
export async function importReadings(
  sql: Sql,
  paths: readonly string[],
  { now, log, terminal, format }: Options,
): Promise<Summary> {
  const summary = emptySummary();
  const started = performance.now();
  // a pipe may flow for days, and its readings are not from the future for that
  const clock = () => new Date(now.getTime() + (performance.now() - started));
  const progress = makeProgress('importing', log, terminal);
  const run: Run = { copier: makeCopier(sql), format, log, clock, summary, progress, total: undefined };
  const sources: Source[] = [];
  for (const path of paths) await noteFailure(run, async () => sources.push(await openSource(path)));
  if (sources.every(({ size }) => size !== undefined)) {
    run.total = sources.reduce((sum, { size }) => sum + (size ?? 0), 0);
  }
  let read = 0;
  for (const source of sources) {
    await noteFailure(run, () => importSource(run, source, read));
    read += source.size ?? 0;
  }
  progress.hide();
  const untold = (summary.quarantined.unreadable_line ?? 0) - WARNINGS;
  if (untold > 0) log.warn(`${untold} more unreadable lines were sent to quarantine`);
  return summary;
}

/** A source that is not what it says spoils itself, and not those that come after it. */
async function noteFailure({ summary, log, progress }: Run, work: () => Promise<unknown>): Promise<void> {
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
  const { copier, format, clock, summary, progress } = run;
  let writing: Promise<void> = Promise.resolve();
  const write = async ({ readings, ignored }: ReadingBatch, prepared: Prepared, read: number) => {
    const outcome = await copier.store(prepared, source.name);
    warn(run, source, { readings, ignored }, outcome);
    noteBatch(summary, outcome, ignored);
    progress.show(summary.received, run.total === undefined ? undefined : (readBefore + read) / run.total);
  };
  try {
    for await (const batch of readReadings(source, format)) {
      const prepared = await copier.prepare(batch.readings, clock());
      await writing;
      writing = write(batch, prepared, source.read);
      writing.catch(() => undefined); // it is awaited before the next one
    }
  } finally {
    await writing;
  }
}

const WARNINGS = 10;

/** Names each ignored column once, and the first lines that could not be read. */
function warn(run: Run, source: Source, { readings, ignored }: ReadingBatch, outcome: Accepted): void {
  const { log, summary, progress } = run;
  const strange = [...ignored].filter((name) => !summary.ignoredColumns.includes(name));
  if (strange.length > 0) {
    progress.hide();
    log.info({ source: source.name, columns: strange }, 'unknown columns are ignored');
  }
  const lines = outcome.quarantined.filter(({ reason }) => reason === 'unreadable_line');
  for (const { index } of lines.slice(0, Math.max(0, WARNINGS - (summary.quarantined.unreadable_line ?? 0)))) {
    progress.hide();
    log.warn({ place: `${source.name}:${readings[index]?.line}` }, 'unreadable line sent to quarantine');
  }
}
