/**
 * Imports files of readings, one after the other: each is staged as a whole, looked at, and stored.
 * Repeating an import changes nothing and completes an interrupted one.
 */

import { InputError } from '../base/inputError.ts';
import type { Log } from '../base/log.ts';
import { AIRSERIES } from '../base/shell.ts';
import type { Sql } from '../database/client.ts';
import type { ReadingFormats } from './formats.ts';
import { type ImportSummary, makeImportReport, type SourceReport } from './importReport.ts';
import { FILE_LIMITS, type ReadingBatch } from './reading/batches.ts';
import type { Declarations } from './reading/declarations.ts';
import { asRefusal, stoppingDoubt } from './reading/doubt.ts';
import type { Findings, Means, SourceFacts } from './reading/facts.ts';
import type { ReadingInput } from './reading/reading.ts';
import { COMMAND_LINE } from './reading/vocabulary.ts';
import { notUtf8 } from './rows/encoding.ts';
import { openSource } from './rows/source.ts';
import { doubtsAmongOthers } from './store/amongOthers.ts';
import { assignSensors, checkDeclaredOwner, type SensorsOfDevices } from './store/deviceSensors.ts';
import { addCounts, beginImport, endImport, noCounts } from './store/imports.ts';
import { findMoved } from './store/movedSensors.ts';
import { type Stage, type Staged, withStage } from './store/stage.ts';
import { withTransitions } from './store/transitions.ts';
import { readSensorId } from './store/validate.ts';

type Source = Awaited<ReturnType<typeof openSource>>;
/** `terminal`: stderr is one, and progress is drawn on it. */
type Options = {
  now: Date;
  log: Log;
  terminal: boolean;
  formats: ReadingFormats;
  /** False: nothing is kept to undo an import. */
  undoable?: boolean;
  format?: Declarations | undefined;
};

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
  { now, log, terminal, formats, undoable = true, format: declared }: Options,
): Promise<ImportSummary> {
  if (declared !== undefined) await checkDeclaredOwner(sql, declared);
  const format = declared && (await withTransitions(sql, declared, now));
  if (format !== undefined) formats.checkDeclarations(format); // here, because of zones that only the server knows
  const sources: Source[] = [];
  const part = () => partRead(sources);
  const report = makeImportReport(log, terminal, part, formats, declared?.timeZone);
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
  await withStage(sql, async (stage) => {
    const importSource = makeSourceImport(sql, stage, clock, formats, undoable);
    for (const source of sources)
      await attempt(importSource(source, format, report.source(source.name)));
  });
  return report.end(paths);
}

/** Undefined where a size is unknown. */
function partRead(sources: readonly Source[]): number | undefined {
  const total = sources.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  return Number.isNaN(total) ? undefined : sources.reduce((sum, { read }) => sum + read, 0) / total;
}

/** A function that imports one source after the other, by the same stage. */
function makeSourceImport(
  sql: Sql,
  stage: Stage,
  clock: () => Date,
  formats: ReadingFormats,
  undoable: boolean,
) {
  const ofDevices: SensorsOfDevices = new Map();
  /** By sensor, whether hourly or daily means were imported. */
  const means = new Map<number, Means>();
  const store = async (
    { name }: Source,
    staged: Staged,
    facts: SourceFacts,
    report: SourceReport,
  ) => {
    const id = await beginImport(sql, name, facts.format, clock());
    const counts = noCounts();
    for await (const row of stage.store(name, undoable ? id : null, clock())) {
      addCounts(counts, row);
      report.stored(row, staged, facts);
    }
    await endImport(sql, id, counts, staged.span);
  };
  return async (source: Source, declared: Declarations | undefined, report: SourceReport) => {
    const staged = await stage.begin();
    /** The last that is known of the source, with its first readings. */
    let first: ReadingBatch | undefined;
    let found: Findings | undefined;
    let isLookedAt = false;
    let failure: InputError | undefined;
    const look = async () => {
      if (first !== undefined) await refuseDoubts(sql, source, first, clock(), formats);
    };
    try {
      for await (const batch of await readAgain(source, declared, formats)) {
        found = batch.found;
        const { facts } = found;
        const readings = await assignSensors(sql, batch.readings, undefined, clock(), ofDevices);
        if (facts.means !== undefined) refuseBothMeans(readings, facts.means, means, source.name);
        if (first === undefined) report.linesBefore(facts);
        if (first === undefined || first.readings.length === 0) first = { readings, found };
        await stage.add(readings, clock());
        report.staged(staged.rows);
        if (isLookedAt || staged.rows < LOOKED_AT) continue;
        isLookedAt = true; // a large file that is wrong from the beginning is refused soon
        await look();
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failure = error;
    } finally {
      source.close();
      await stage.end();
    }
    if (found === undefined) {
      if (failure !== undefined) throw failure;
      return;
    }
    await look();
    // also what stands before a fault
    if (staged.rows > 0) await store(source, staged, found.facts, report);
    report.end(found.facts, staged.span);
    if (failure !== undefined) throw failure;
    report.hints(found, staged.span);
  };
}
/** The rows of a source; of a file, in the order of its dates. Rejects as findDateFormat does. */
async function readAgain(
  source: Source,
  declared: Declarations | undefined,
  formats: ReadingFormats,
): Promise<AsyncGenerator<ReadingBatch>> {
  // standard input cannot be read twice
  const dateFormat =
    source.size === undefined ? undefined : await formats.dateFormatOf(source.name, declared);
  const format = dateFormat === undefined ? declared : { ...declared, dateFormat };
  return formats.readReadings(source, format, LIMITS);
}

/** As few at once as Stage.add wants them. */
const LIMITS = { ...FILE_LIMITS, batch: 1_000 };

/** Rows after which a file is looked at before it is read to its end. */
const LOOKED_AT = 50_000;

/** Rejects with InputError where a source says that a declaration is wrong or missing. */
async function refuseDoubts(
  sql: Sql,
  { name }: Source,
  { readings, found }: ReadingBatch,
  now: Date,
  formats: ReadingFormats,
): Promise<void> {
  const { facts, doubts } = found;
  const { notUtf8: other } = facts;
  if (other !== undefined) throw notUtf8(`${name}:${other.line}`, other.encoding, other.text);
  const doubt =
    stoppingDoubt(doubts.of(readings, COMMAND_LINE)) ??
    (await doubtsAmongOthers(sql, readings, facts, COMMAND_LINE, formats))[0] ??
    (await findMoved(sql, doubts, { now }, COMMAND_LINE)).doubts[0];
  if (doubt !== undefined) throw new InputError(name, asRefusal(doubt), doubt.remedy);
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
