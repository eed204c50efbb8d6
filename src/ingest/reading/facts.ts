/**
 * Findings about a source while it is read: facts for reports and answers, and doubts. No
 * reading depends on it.
 */
import type { ParameterName } from '../../contract/parameters.ts';
import type { Encoding } from '../rows/encoding.ts';
import type { Doubt } from './doubt.ts';
import type { ReadingInput } from './reading.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The interval that the rows of a file are means of. */
export type Means = 'hour' | 'day';

/** Facts that the core reports or asks about; who reads foreign forms has more. */
export type SourceFacts = {
  /** The name of its format. */
  format: string;
  /** Undefined: its rows are no means of hours or days. */
  means?: Means | undefined;
  /** Columns, keys or names of parameters that are not used, as far as they were met. */
  ignored: Set<string>;
  /** Rows with a value, or the name of a parameter. */
  rows: number;
  /** Parameters of our own names whose unit nobody says, and the fields they are in. */
  undeclared: Map<ParameterName, string>;
  /** Parameters whose unit is declared, whatever the source says; undefined: none can be. */
  declared: ReadonlySet<ParameterName> | undefined;
  /** True if a row has one parameter, so that several are one reading. */
  isLong: boolean;
  /** The hours and minutes of all times, as `08:00`; null: they have several. */
  timeOfDay: string | null | undefined;
  /** Titles and comments before the first header. */
  linesBefore: number;
  /** Rows, and single values of others, that `only` leaves out. */
  excluded: number;
  /** True if a reading got the time of its arrival, because it had none. */
  usedServerTime: boolean;
  /** The first row of which something that is read is not UTF-8. */
  notUtf8: { encoding: Encoding; line: number; text: string } | undefined;
};

export const makeFacts = (format: string): SourceFacts => ({
  format,
  ignored: new Set(),
  rows: 0,
  undeclared: new Map(),
  declared: undefined,
  isLong: false,
  timeOfDay: undefined,
  linesBefore: 0,
  excluded: 0,
  usedServerTime: false,
  notUtf8: undefined,
});

/**
 * At most this many names are reported as not used: a file may bring a new one on every line.
 */
export const MOST_IGNORED = 100;

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

export type Doubts = {
  /** By sensor or device, and place: to be compared with the network. */
  places: ReadonlyMap<string, OwnPlace>;
  /**
   * The doubts, the gravest first. `readings`: those whose values are looked at; none where that
   * was done before. `without`: parameters whose values are explained elsewhere.
   */
  of(readings: readonly ReadingInput[], say: Vocabulary, without?: ReadonlySet<string>): Doubt[];
  /** Doubts about times, which count where rows of one sensor and time contradict each other. */
  ofContradictions(say: Vocabulary): Doubt[];
};

export type Findings<Facts extends SourceFacts = SourceFacts> = { facts: Facts; doubts: Doubts };

/** For a source in our own form, which leaves nothing open. */
export const makeFindings = (format: string): Findings => ({
  facts: makeFacts(format),
  doubts: { places: new Map(), of: () => [], ofContradictions: () => [] },
});
