/**
 * The core's interface to the forms in which readings come. The core reads its own (canonical.ts);
 * an extra that reads others as well takes its place, and the composition hands it to imports,
 * pushes, the quarantine and feeds.
 */
import type { z } from 'zod';
import type { ParameterName } from '../contract/parameters.ts';
import type { Limits, ReadingBatch } from './reading/batches.ts';
import type { Declarations } from './reading/declarations.ts';
import type { ReadingInput } from './reading/reading.ts';
import type { Vocabulary } from './reading/vocabulary.ts';
import type { Source } from './rows/source.ts';

/** The name of our own form. */
export const OWN_FORMAT = 'airseries';

export type ReadingFormats = {
  /** As `--format`, `/v1/push/NAME` and a feed's `kind` name them, sorted. */
  names: readonly string[];
  /** The readings of a source, as inBatches yields them. */
  readReadings(
    source: Source,
    declared: Declarations | undefined,
    limits: Limits,
  ): AsyncGenerator<ReadingBatch>;
  /** The reading of a line by itself, an object; undefined if it is not a reading. */
  readLine(text: string): ReadingInput | undefined;
  /** Throws InputError for declarations that cannot be followed, whatever the source. */
  checkDeclarations(declared: Declarations): void;
  /**
   * The order in which the readings of a source write dates such as 05/06/2026; undefined: none is
   * in question, or either fits. Throws InputError where they have both. `input`: its name.
   */
  dateFormatIn(readings: readonly ReadingInput[], input: string): string | undefined;
  /**
   * The same for the file at `path`, by all of its dates. Rejects with InputError, too, where both
   * orders fit every date.
   */
  dateFormatOf(
    path: string,
    declared: Declarations | undefined,
    limits: Limits,
  ): Promise<string | undefined>;
  /** Declarations that the network file may name; undefined: it may name none. */
  sources: SourceForms | undefined;
  /** Options of the command line that declare something about a source. */
  options: readonly DeclaringOption[];
  /** Parameters of an address that do, for a format that the path names or any other. */
  addressParameters: readonly string[];
  /** Parameters that a sender of this format adds, and that say nothing. */
  ownParameters(format: string | undefined): readonly string[];
  /** Senders that push each reading as the query of a GET; undefined: none do. */
  queryPushes: QueryPushes | undefined;
  /** Fields of a form that are dropped: passwords of other services must not get into the quarantine. */
  secretFields: readonly string[];
  /** Text that senders append to the path of a push, as a regular expression. */
  appended: string;
  /** The device that the path of a push names. */
  deviceIn(path: string): string | undefined;
  /** Bodies of a device that name no sensor; undefined: none are read. */
  devicePushes: DevicePushes | undefined;
} & Explaining;

/** Hints for messages about a text or a value that cannot be used. */
export type Explaining = {
  /** A hint at how to write a time that cannot be read, beginning with `; `; '': not known. */
  timeHint(text: string, say: Vocabulary, networkZone: string | undefined): string;
  /** The unit that a single value looks like; undefined: it does not. */
  unitHint(name: ParameterName, value: number): string | undefined;
  /** The remedy where the values of a column look like another unit, `value` among them. */
  declareUnit(
    name: ParameterName,
    value: number,
    units: readonly string[],
    say: Vocabulary,
  ): string;
  /** The declaration that values are in our unit, as they are. */
  ownUnit(name: ParameterName, say: Vocabulary): string;
};

export type SourceForms = {
  /** The schema of a declaration in `sources`. */
  schema: z.ZodType;
  /**
   * A stored declaration, and beside it what an option, an address or a feed says, which takes
   * precedence word by word. Throws InputError for one that this version cannot follow.
   */
  declaredBy(declaration: object, beside: Declarations): Declarations;
  /** True for one whose sender pushes each reading as the query of a GET. */
  isQueryPush(declaration: object): boolean;
};

/** An option as `--help` shows it. A list can be repeated; an id is a whole number. */
export type DeclaringOption = {
  flags: string;
  description: string;
  choices?: readonly string[];
  is?: 'list' | 'id';
};

/** A sensor that may have measured a pushed value. */
export type DeviceSensor = { id: number; kind: string | null };

/** Values that a device measured, whose sensors only the network knows. */
export type DevicePush = {
  /** The device's name for itself: `esp8266-12345678`. */
  device: string;
  /** ISO 8601. */
  measuredAt: string;
  /**
   * The readings of the sensors that it may be of. What belongs to none of them is a reading without
   * a sensor, whose text `fromText` reads.
   */
  readingsOf(sensors: readonly DeviceSensor[]): ReadingInput[];
  /** Why values belong to no sensor; `sensors` are those that the network has for the device. */
  explain(sensors: readonly DeviceSensor[]): string;
};

export type QueryPushes = {
  /** The names of their formats. */
  names: readonly string[];
  /** The name of the format of a query's fields; undefined: none recognizes them. */
  formatOf(fields: Readonly<Record<string, string>>): string | undefined;
};

export type DevicePushes = {
  /** The last part of its path: `/v1/push/NAME`. */
  name: string;
  /** Content types beside JSON's. */
  types: readonly string[];
  /** `header`: a header of the request by its name. Throws SyntaxError for anything but JSON. */
  read(
    body: Buffer,
    request: { isJson: boolean; header(name: string): string | undefined; now: Date },
  ): DevicePush | { refused: string };
  /** The push from which a line of the quarantine was made; undefined: it was no such push. */
  fromText(text: string): DevicePush | undefined;
};
