/** What comes up about a source while it is read, for messages: no reading depends on it. */
import type { ParameterName } from '../../contract/parameters.ts';
import type { Encoding } from '../rows/encoding.ts';
import { type Contradictions, noContradictions } from './contradictions.ts';

/** The interval that the rows of a file are means of. */
export type Means = 'hour' | 'day';

/** A place that readings of a sensor or device give, and the times of the first and the last. */
export type OwnPlace = {
  sensorId: unknown;
  device: string | undefined;
  latitude: number;
  longitude: number;
  /** The field with the latitude. */
  name: string;
  first: string;
  last: string;
};

/** Facts about a source that the core reports or asks about; who reads foreign forms notes more. */
export type SourceNotes = {
  /** The name of its format. */
  format: string;
  /** Undefined: its rows are no means of hours or days. */
  means?: Means | undefined;
  /** Columns, keys or names of parameters that are not used, as far as they were met. */
  ignored: Set<string>;
  /** Rows with a value, or the name of a parameter. Rows of one sensor and time may be merged. */
  rows: number;
  /** Parameters of our own names whose unit nobody says, and the fields they are in. */
  undeclared: Map<ParameterName, string>;
  /** The places that readings give themselves, by sensor or device, and place. */
  places: Map<string, OwnPlace>;
  /** Titles and comments before the first header. */
  linesBefore: number;
  /** Rows, and single values of others, that `only` leaves out. */
  excluded: number;
  /** True if a reading got the time of its arrival, because it had none. */
  usedServerTime: boolean;
  contradictions: Contradictions;
  /** The first row of which something that is read is not UTF-8. */
  notUtf8: { encoding: Encoding; line: number; text: string } | undefined;
};

export const noNotes = (format: string): SourceNotes => ({
  format,
  ignored: new Set(),
  rows: 0,
  undeclared: new Map(),
  places: new Map(),
  linesBefore: 0,
  excluded: 0,
  usedServerTime: false,
  contradictions: noContradictions(),
  notUtf8: undefined,
});

/**
 * At most this many names are reported as not used: a file may bring a new one on every line.
 */
export const MOST_IGNORED = 100;
