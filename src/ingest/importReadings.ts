/**
 * Imports files of readings, one after the other: each is staged as a whole, looked at, and stored.
 * Repeating an import changes nothing and completes an interrupted one.
 */

import { InputError } from '../base/inputError.ts';
import type { Log } from '../base/log.ts';
import { AIRSERIES } from '../base/shell.ts';
import type { Sql } from '../database/client.ts';
import type { ReadingFormats } from './formats.ts';
import {
  addReasons,
  exampleOf,
  type ImportSummary,
  makeImportReport,
  type SourceReport,
} from './importReport.ts';
import { entryOf, type Plan, refusedIfOwned, unusedIn } from './plan.ts';
import { FILE_LIMITS, type Limits, type ReadingBatch } from './reading/batches.ts';
import type { Declarations } from './reading/declarations.ts';
import { asDoubt, asRefusal, type Doubt, stoppingDoubt } from './reading/doubt.ts';
import { type Findings, type Means, refusalsOf } from './reading/facts.ts';
import type { ReadingInput } from './reading/reading.ts';
import { COMMAND_LINE } from './reading/vocabulary.ts';
import { openSource } from './rows/source.ts';
import { replacedBy } from './store/accept.ts';
import { describeStage } from './store/describe.ts';
import { assignSensors, checkDeclaredOwner, type SensorsOfDevices } from './store/deviceSensors.ts';
import { addCounts, beginImport, endImport, noCounts, wasImported } from './store/imports.ts';
import { type Looked, lookAtStage } from './store/look.ts';
import { findMoved } from './store/movedSensors.ts';
import { addReplaced, describeReplaced, NOTHING_REPLACED } from './store/replaced.ts';
import { type Stage, type Staged, withStage } from './store/stage.ts';
import { withTransitions } from './store/transitions.ts';
import { type ReadingReason, readSensorId } from './store/validate.ts';

type Source = Awaited<ReturnType<typeof openSource>>;
/** Decides by its plan whether a source is stored. */
export type Confirm = {
  /** False: it is stored without a plan. `isNew`: no file of its format was imported before. */
  isWanted(source: { format: string; isNew: boolean }): boolean;
  decide(plan: Plan): Promise<boolean>;
};

/** `terminal`: stderr is one, and progress is drawn on it. */
type Options = {
  now: Date;
  log: Log;
  terminal: boolean;
  formats: ReadingFormats;
  /** False: nothing is kept to undo an import. */
  undoable?: boolean;
  confirm?: Confirm | undefined;
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
  { now, log, terminal, formats, undoable = true, confirm, format: declared }: Options,
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
    const importSource = makeSourceImport({ sql, stage, clock, formats, undoable, confirm });
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

/** Everything that the sources of an import share. */
type Work = {
  sql: Sql;
  stage: Stage;
  clock: () => Date;
  formats: ReadingFormats;
  undoable: boolean;
  confirm: Confirm | undefined;
};

/** A source that waits in the stage. */
type Read = {
  name: string;
  declared: Declarations | undefined;
  staged: Staged;
  /** Its first readings, which are looked at, and all that is known of it. */
  readings: readonly ReadingInput[];
  found: Findings;
  /** Reads its rows once more; undefined for standard input, which cannot be read twice. */
  readAgain: (() => AsyncGenerator<ReadingBatch>) | undefined;
  /** Why it could not be read to its end. */
  failure: InputError | undefined;
  /** Why the order of its dates cannot be told. */
  dates: InputError | undefined;
};

/** A function that imports one source after the other. */
function makeSourceImport(work: Work) {
  const { stage, clock, undoable, sql, confirm } = work;
  const stageSource = makeStaging(work);
  return async (source: Source, declared: Declarations | undefined, report: SourceReport) => {
    const read = await stageSource(source, declared, report);
    const { name, staged, failure } = read;
    const { facts } = read.found;
    const { format } = facts;
    const isNew = confirm !== undefined && !(await wasImported(sql, format));
    const { doubts, corrections } = await lookAt(read, work);
    if (
      confirm?.isWanted({ format, isNew }) &&
      !(await confirm.decide(await planOf(read, doubts, work)))
    )
      return report.left();
    refuse(read, doubts);
    if (staged.rows > 0) {
      const entry = entryOf(read.declared ?? {}, facts);
      const { sourceName } = read.declared ?? {};
      const readBy = { format, declared: entry, sourceName };
      const id = await beginImport(sql, name, readBy, clock());
      const counts = noCounts();
      for await (const row of stage.store(name, clock(), { importId: undoable ? id : null })) {
        addCounts(counts, row);
        report.stored(row, staged, facts);
      }
      await endImport(sql, id, counts, staged.span);
    }
    report.end(facts, staged.span);
    if (failure !== undefined) throw failure; // what stands before it is stored
    report.hints(read.found, corrections, staged.span);
  };
}

/**
 * A function that stages one source after the other. Rejects with InputError for one without a row,
 * and for a large one that is wrong from the beginning.
 */
function makeStaging(work: Work) {
  const { sql, stage, clock, formats, confirm } = work;
  const ofDevices: SensorsOfDevices = new Map();
  /** By sensor, whether hourly or daily means were imported. */
  const means = new Map<number, Means>();
  return async (
    source: Source,
    declared: Declarations | undefined,
    report: SourceReport,
  ): Promise<Read> => {
    const { name } = source;
    const staged = await stage.begin();
    let read: Read | undefined;
    const isPlanned = confirm !== undefined; // a plan says all that there is to say
    const limits = { ...LIMITS, isPlanned };
    let isLookedAt = isPlanned;
    let dates: InputError | undefined;
    try {
      const format = await withDates(source, declared, formats, limits).catch((error: unknown) => {
        if (!isPlanned || !(error instanceof InputError)) throw error;
        dates = error;
        return declared;
      });
      for await (const { readings: given, found } of formats.readReadings(source, format, limits)) {
        const readings = await assignSensors(sql, given, undefined, clock(), ofDevices);
        const { means: mean } = found.facts;
        if (mean !== undefined) refuseBothMeans(readings, mean, means, name);
        if (read === undefined) report.linesBefore(found.facts);
        if (read === undefined || read.readings.length === 0)
          read = {
            name,
            declared,
            staged,
            readings,
            found,
            readAgain:
              source.size === undefined
                ? undefined
                : () => readFile(name, (file) => formats.readReadings(file, format, limits)),
            failure: undefined,
            dates,
          };
        await stage.add(readings, clock());
        report.staged(staged.rows);
        if (isLookedAt || staged.rows < LOOKED_AT) continue;
        isLookedAt = true;
        await stage.end();
        refuse(read, (await lookAt(read, work)).doubts);
      }
    } catch (error) {
      if (!(error instanceof InputError) || read === undefined) throw error;
      read.failure = error;
    } finally {
      source.close();
      await stage.end();
    }
    if (read === undefined) throw new Error(`${name}: neither a row nor a reason`);
    return read;
  };
}

/** The declarations, with the order of a file's dates. Rejects as dateFormatOf does. */
async function withDates(
  source: Source,
  declared: Declarations | undefined,
  formats: ReadingFormats,
  limits: Limits,
): Promise<Declarations | undefined> {
  // standard input cannot be read twice
  const dateFormat =
    source.size === undefined
      ? undefined
      : await formats.dateFormatOf(source.name, declared, limits);
  return dateFormat === undefined ? declared : { ...declared, dateFormat };
}

/** As few at once as Stage.add wants them. */
const LIMITS = { ...FILE_LIMITS, batch: 1_000 };

/** Rows after which a file is looked at before it is read to its end. */
const LOOKED_AT = 50_000;

/** Every doubt about a source, as far as it is staged. */
async function lookAt(read: Read, { sql, stage, clock, formats }: Work): Promise<Looked> {
  const { readings, staged, found } = read;
  const { doubts } = found;
  const looking = { found, say: COMMAND_LINE, formats };
  const looked = await lookAtStage(stage.connection, staged.isUnique, looking, (ordinals) =>
    readRows(read, ordinals),
  );
  const moved = await findMoved(sql, doubts, { now: clock() }, COMMAND_LINE);
  return {
    ...looked,
    doubts: [...doubts.of(readings, COMMAND_LINE), ...looked.doubts, ...moved.doubts],
  };
}

/** The rows of a file that is opened for this alone. */
async function* readFile(
  path: string,
  read: (file: Source) => AsyncGenerator<ReadingBatch>,
): AsyncGenerator<ReadingBatch> {
  const file = await openSource(path);
  try {
    yield* read(file);
  } finally {
    file.close();
  }
}

/** The readings with these ordinals, from 1: a file is read again for those behind its first. */
async function readRows(
  { readings, readAgain }: Read,
  ordinals: readonly number[],
): Promise<ReadingInput[] | undefined> {
  const rows = new Map<number, ReadingInput>();
  const note = (some: readonly ReadingInput[], before: number) => {
    for (const ordinal of ordinals) {
      const reading = some[ordinal - before - 1];
      if (reading !== undefined) rows.set(ordinal, reading);
    }
  };
  note(readings, 0);
  if (rows.size < ordinals.length && readAgain !== undefined) {
    let before = 0;
    for await (const { readings: some } of readAgain()) {
      note(some, before);
      before += some.length;
      if (rows.size === ordinals.length) break;
    }
  }
  const found = ordinals.flatMap((ordinal) => rows.get(ordinal) ?? []);
  return found.length === ordinals.length ? found : undefined;
}

/** Why a source cannot be stored, whatever its values are. */
const refusalsIn = ({ name, found, dates }: Read): InputError[] => [
  ...refusalsOf(name, found.facts),
  ...(dates === undefined ? [] : [dates]),
];

/** Throws InputError for the first reason that keeps a source from being stored. */
function refuse(read: Read, doubts: readonly Doubt[]): void {
  const [refusal] = refusalsIn(read);
  if (refusal !== undefined) throw refusal;
  const doubt = stoppingDoubt(doubts);
  if (doubt !== undefined) throw new InputError(read.name, asRefusal(doubt), doubt.remedy);
}

/** The plan of a source: every doubt, and a trial of the statement that stores it. */
async function planOf(
  read: Read,
  doubts: readonly Doubt[],
  { stage, clock, formats }: Work,
): Promise<Plan> {
  const { name, declared = {}, staged, failure } = read;
  const { facts } = read.found;
  const values = await describeStage(stage.connection);
  const counts = noCounts();
  const reasons: Parameters<typeof addReasons>[0] = { quarantined: {}, values: {} };
  let replaced = NOTHING_REPLACED;
  for await (const row of stage.store(name, clock(), { isTrial: true })) {
    addCounts(counts, row);
    replaced = addReplaced(replaced, replacedBy(row));
    addReasons(reasons, row);
  }
  const isOfNobody =
    facts.refusals.length > 0 &&
    read.readings.every(({ sensorId, device }) => (sensorId ?? device) === undefined);
  const { counts: refused, examples } = isOfNobody
    ? refusedIfOwned(read.readings, clock())
    : {
        counts: Object.entries({ ...reasons.quarantined, ...reasons.values }),
        examples: staged.examples,
      };
  return {
    source: name,
    format: facts.format,
    encoding: facts.encoding,
    delimiter: facts.delimiter ?? null,
    zone: facts.zone ?? null,
    columns: [...facts.columns.values()],
    unused: unusedIn(facts),
    excluded: facts.excluded,
    doubts: [...refusalsIn(read).map(asDoubt), ...doubts].map(({ what, remedy }) => ({
      what,
      remedy,
    })),
    ...(failure !== undefined && { failure: failure.message }),
    received: counts.received,
    accepted: counts.accepted,
    unchanged: counts.unchanged,
    replaced: describeReplaced(replaced) ?? null,
    refused: [...refused].map(([reason, count]) => ({
      count,
      ...exampleOf(reason as ReadingReason, examples, name, formats, declared.timeZone),
    })),
    values,
    entry: entryOf(declared, facts),
  };
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
        `it contains ${PLURAL[means]} of sensor ${id}, whose ${PLURAL[other]} were imported before, and both together would count twice`,
        `Import either hours or days of a sensor. To replace the ${PLURAL[other]}, delete them first: ` +
          `${AIRSERIES} delete readings --sensor ${id} --from 2000-01-01 --to 2100-01-01`,
      );
    }
    seen.set(id, means);
  }
}
