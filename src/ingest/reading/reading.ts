/** A reading between its source and its validation. */
import type { ReadingColumn } from '../../contract/parameters.ts';
import { splitCsvLine } from '../rows/csv.ts';
import type { Columns } from '../rows/row.ts';

/** A table as far as its lines are to be explained later. */
export type TableColumns = Pick<Columns, 'list' | 'delimiter'> & {
  /** The positions of measured values. */
  measured: readonly number[];
  /** Positions that nothing is read from. */
  unused: readonly number[];
};

/** A reading as it came; nothing of it is checked yet. */
export type ReadingInput = {
  sensorId: unknown;
  /** The name of its device for itself, which stands for the sensor where there is no id. */
  device?: string;
  measuredAt: unknown;
  values: Readonly<Partial<Record<ReadingColumn, unknown>>>;
  /** The whole reading as text, for the quarantine. */
  text: string;
  /**
   * The columns of the table that its text is a line of. Keeping its whole row instead costs an import
   * a sixth more of the processor, most of it to collect garbage.
   */
  columns?: TableColumns;
  /** Line number in its source, counted from 1. */
  line?: number;
  /** It could not even be parsed. */
  unreadable?: true;
  /** Why it could not. */
  why?: string;
  /** It got the time of its arrival, because it has none. */
  hasArrivalTime?: true;
  /** Its sender has corrected PM2.5 and humidity, so no formula of the network may do it again. */
  isCorrected?: true;
  /** Its feed lists it long after newer ones of its sensor. */
  isOutdated?: true;
};

/** Replaces an object or a list, which is never a number, and need not be kept. */
export const NESTED = 'nested';

/** A reading that could not be parsed. */
export function unreadable(text: string, line: number, why?: string): ReadingInput {
  const reading: ReadingInput = {
    sensorId: undefined,
    measuredAt: undefined,
    values: {},
    text,
    line,
    unreadable: true,
  };
  return why === undefined ? reading : { ...reading, why };
}

/** The text of a reading for the quarantine: a line of CSV would say nothing without its header. */
export function quarantineText({ text, columns }: ReadingInput): string {
  if (columns === undefined) return text;
  const cells = splitCsvLine(text, columns.delimiter) ?? [];
  const named = columns.list.map((name, index): [string, unknown] => [name, cells[index]]);
  return JSON.stringify(Object.fromEntries(named));
}
