/**
 * Turns the rows of one source into readings, in steps: whether a row counts, which of its cells
 * are read (plan.ts), the reading in it (readRow.ts), and its time. Only the time depends on the
 * rows before: their order tells the two hours of a night in which the clocks go back.
 */
import type { Limits } from '../../../ingest/reading/batches.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import { countUnused, type UnusedCells } from '../../../ingest/reading/facts.ts';
import { type ReadingInput, unreadable } from '../../../ingest/reading/reading.ts';
import type { Header } from '../../../ingest/rows/csv.ts';
import { explainEncoding, notUtf8 } from '../../../ingest/rows/encoding.ts';
import {
  makeObjectReader,
  type Names,
  type ObjectReader,
  type Row,
  type Unreadable,
} from '../../../ingest/rows/row.ts';
import type { Format, Only } from '../formats/format.ts';
import { formatFor } from '../formats/source.ts';
import { cellOf, rowWithin } from '../rows/cells.ts';
import { EVERY_VALUE } from './declarations.ts';
import type { Findings } from './doubts.ts';
import { noteUnusedCells } from './facts.ts';
import { problemsOf, unnamedTime } from './header.ts';
import { type Layout, layoutOf, type Plan, planOf } from './plan.ts';
import { intervalAt, NO_INTERVAL, readRow, refusedRow, sensorOf } from './readRow.ts';
import type { SeenRow } from './seenRow.ts';
import { type TimeColumn, timeColumnOf } from './timeColumn.ts';
import { makeTimeReader, shiftOf, zoneOf } from './times.ts';
import { noteNamed, noteUsedColumns } from './usedColumns.ts';
import { leftOut, readNamedValues } from './values.ts';

export type Reader = {
  format: Format;
  /**
   * Checks the header of a table, and notes its columns. Throws InputError for one that cannot be
   * used, unless `isTrial`: its rows are read all the same, for a plan.
   */
  begin(header: Header, position: string, isTrial: boolean): void;
  /** Undefined for a row whose parameter is unknown. Throws InputError as ownerOf does. */
  read(row: Row | Unreadable): ReadingInput | undefined;
  /** The fields of a document that mean something for each of its rows. */
  sharedBy(document: Row): [name: string, cell: unknown][];
};

/**
 * A reader for rows like `first`. Adds to what is found. Throws InputError for an unknown format and
 * a declaration that cannot be followed.
 */
export function makeReader(
  first: Row,
  declared: Declarations,
  { facts, doubts }: Findings,
  { isPlanned = false }: Pick<Limits, 'isPlanned'> = {},
): Reader {
  const format = formatFor(declared, first);
  const layout = layoutOf(format, declared);
  const { planFor, toRead } = makePlanner(layout);
  const timeOf = makeTimeReader(format, declared, doubts.observersOf);
  facts.format = format.name;
  facts.means = format.means;
  facts.isLong = format.isLong === true;
  facts.declared = new Set(layout.units.keys());
  facts.shift = shiftOf(format, declared);
  facts.zone = zoneOf(format, declared);

  /** The counts of the cells that are not used, once for the rows with the same names. */
  const notedOf = (planned: Planned, { names, payload }: Row): UnusedCells => {
    if (planned.unusedCells === undefined) {
      noteUsedColumns(facts, layout, planned.plan, names, payload?.names);
      planned.unusedCells = noteUnusedCells(facts, planned.plan);
    }
    return planned.unusedCells;
  };

  /** The reading with its time; undefined: its values are left out. Adds to `seen`. */
  const withTime = (reading: ReadingInput, seen: SeenRow, column: TimeColumn) => {
    const { row, plan, owner, given } = seen;
    const excluded = plan.hasVerdicts ? leftOut(row, plan) : 0;
    facts.excluded += excluded;
    if (excluded > 0 && Object.keys(reading.values).length === 0) return undefined;
    if (reading.hasArrivalTime === true) facts.usedServerTime = true;
    else seen.column = column;
    const interval = declared.shift === undefined ? intervalAt(row, plan) : 0;
    if (interval === undefined) {
      const refused = refusedRow({ ...row, why: NO_INTERVAL }, declared, reading.sensorId);
      return plan.table === undefined ? refused : { ...refused, columns: plan.table };
    }
    seen.time = timeOf(given, owner, interval, reading.values);
    reading.measuredAt = seen.time.at;
    seen.reading = reading;
    return reading;
  };

  /** True until the first row of a plan whose header names no time. */
  let isTimeOpen = false;

  const read: Reader['read'] = (given) => {
    if ('unreadable' in given) return unreadable(given.text, given.line, given.why);
    if (given.encoding !== undefined) facts.encoding = given.encoding.name;
    if (given.encoding !== undefined && isUsed(given, planFor(given).plan)) {
      const { encoding, text, line } = given;
      facts.notUtf8 ??= { encoding, text, line };
      if (!isPlanned) return unreadable(text, line, explainEncoding(encoding));
    }
    const isWhole = format.payload === undefined;
    if (isWhole && isExcluded(given, layout.only.length > 0 ? planFor(given).plan.only : [])) {
      facts.excluded += 1;
      return undefined;
    }
    if (format.skips?.(given) === true) return undefined;
    const row = toRead(given);
    if ('unreadable' in row) return refusedRow(row, declared);
    const planned = planFor(row);
    const { plan, timeColumn } = planned;
    if (!isWhole && isExcluded(row, plan.only)) {
      facts.excluded += 1;
      return undefined;
    }
    if (isTimeOpen) {
      isTimeOpen = false;
      facts.refusals.push(...unnamedTime(row, declared.say));
    }
    const named = readNamedValues(row, plan, layout);
    if (named === undefined) return refusedRow(row, declared, sensorOf(row, plan));
    const reading = readRow(row, plan, named, declared);
    if (reading === undefined && plan.isMixed) return undefined;
    const seen: SeenRow = {
      format,
      row,
      plan,
      named,
      owner: reading?.sensorId ?? reading?.device,
      given: reading?.measuredAt,
      column: undefined,
      time: undefined,
      reading: undefined,
    };
    const isTimed = reading !== undefined && reading.unreadable !== true;
    const result = isTimed ? withTime(reading, seen, timeColumn) : reading;
    countUnused((row.payload ?? row).cells, notedOf(planned, row));
    doubts.see(seen);
    if (named.length > 0) noteNamed(facts, layout, named);
    return result;
  };

  return {
    format,
    read,
    begin(header, position, isTrial) {
      const planned = planFor(header);
      const { plan } = planned;
      const { encoding, text, line } = header;
      if (encoding !== undefined && isUsed(header, plan)) {
        if (!isTrial) throw notUtf8(position, encoding, text);
        facts.notUtf8 ??= { encoding, text, line };
      }
      for (const problem of problemsOf(header, position, layout, plan, declared)) {
        if (!isTrial) throw problem;
        facts.refusals.push(problem);
      }
      isTimeOpen = isTrial && plan.time.positions.length === 0 && declared.now === undefined;
      facts.isLong = format.isLong === true && plan.long !== undefined;
      if (encoding !== undefined) facts.encoding = encoding.name;
      facts.delimiter = header.names.delimiter;
      notedOf(planned, header);
      doubts.seeHeader(format, plan);
    },
    sharedBy(document) {
      const { taken } = planFor(document).plan;
      const { list } = document.names;
      const { prefix = '' } = format.document ?? {};
      return list.flatMap((name, index) =>
        taken.has(index) ? [[prefix + name, document.cells[index]]] : [],
      );
    },
  };
}

/** True if a field that something is read from has more than ASCII. */
function isUsed({ names, cells }: Row, { table, taken }: Plan): boolean {
  const isRead = (index: number) =>
    table === undefined ? taken.has(index) : !table.unused.includes(index);
  return cells.some(
    (cell, index) => isRead(index) && NOT_ASCII.test(JSON.stringify([names.list[index], cell])),
  );
}

const NOT_ASCII = /[^\0-\x7f]/;

type Planned = {
  plan: Plan;
  timeColumn: TimeColumn;
  /** Undefined: no row of it was read yet. */
  unusedCells?: UnusedCells;
};

/** Makes the plans of rows, once for those with the same names. */
function makePlanner(layout: Layout) {
  const { format } = layout;
  const plans = new WeakMap<Names, Planned>();
  /** One for the rows with the same names, so that a payload's names tell them, too. */
  const readers = new WeakMap<Names, ObjectReader>();
  return {
    planFor(row: Row): Planned {
      const names = row.payload?.names ?? row.names;
      const known = plans.get(names);
      if (known !== undefined) return known;
      const values = row.payload && format.payload?.(row).values;
      const plan = planOf(layout, row.names, values && { names, values });
      const timeColumn = timeColumnOf(row, plan.time, plan.table?.measured);
      const planned = { plan, timeColumn };
      plans.set(names, planned);
      return planned;
    },
    /** The row, with the object that has the sender's own names, where its format has one. */
    toRead(row: Row): Row | Unreadable {
      const why = format.refuses?.(row);
      if (why !== undefined) return { unreadable: true, text: row.text, line: row.line, why };
      if (format.payload === undefined) return row;
      const { path } = format.payload(row);
      const read = readers.get(row.names) ?? makeObjectReader();
      readers.set(row.names, read);
      const payload = rowWithin(row, path, read);
      if (payload === undefined || 'unreadable' in payload) return payload ?? row;
      return { ...row, payload };
    },
  };
}

/** True if the verdict of the row, or of its payload, is not among the accepted values. */
const isExcluded = (row: Row, only: readonly Only[]): boolean =>
  only.length > 0 &&
  only.some(({ theirs, values, isRefused = false, isOfFormat }) => {
    const inner = isOfFormat ? undefined : row.payload;
    const cell = (inner && cellOf(inner, theirs)) ?? cellOf(row, theirs);
    if (isOfFormat && cell === undefined) return false;
    return values.has(String(cell ?? '').trim()) === isRefused && !values.has(EVERY_VALUE);
  });
