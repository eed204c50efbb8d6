/** A reading between its source and its validation. */
import type { ReadingColumn } from '../../contract/parameters.ts';
import type { Row } from '../rows/row.ts';

/** A reading as it came; nothing of it is checked yet. */
export type ReadingInput = {
  sensorId: unknown;
  /** The name of its device for itself, which stands for the sensor where there is no id. */
  device?: string;
  measuredAt: unknown;
  values: Readonly<Partial<Record<ReadingColumn, unknown>>>;
  /** The whole reading as text, for the quarantine. */
  text: string;
  /** The row of a table that it is from. */
  row?: Pick<Row, 'names' | 'cells'>;
  /** Line number in its source, counted from 1. */
  line?: number;
  /** It could not even be parsed. */
  unreadable?: true;
  /** Why it could not. */
  why?: string;
  /** Its time is that of its arrival, because it has none. */
  hasArrivalTime?: true;
  /** Its sender has corrected PM2.5 and humidity, so no formula of the network may do it again. */
  isCorrected?: true;
  /** Its feed lists it long after newer ones of its sensor. */
  isOutdated?: true;
};

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
export function quarantineText({ text, row }: ReadingInput): string {
  if (row === undefined) return text;
  const named = row.names.list.map((name, index): [string, unknown] => [name, row.cells[index]]);
  return JSON.stringify(Object.fromEntries(named));
}
