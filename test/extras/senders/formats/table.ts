/** The shape of a format's table: what is sent, what is stored of it, and what is refused. */
import type { ReadingColumn } from '../../../../src/contract/parameters.ts';
import { NOW } from '../../../support/clock.ts';

/** The usual time of a sample: 8:00 UTC, some hours before it arrives. */
export const T = '2026-11-20T08:00:00Z';
export const AN_HOUR_LATER = '2026-11-20T09:00:00Z';
/** T in seconds since 1970. */
export const SECONDS = Date.parse(T) / 1_000;
/** The time of readings that bring none. */
export const ARRIVAL = NOW.toISOString().replace('.000Z', 'Z');

/** What the consoles of the samples measure outdoors, each with names of its own. */
export const OUTDOORS = {
  temperature: 5,
  humidity: 93,
  pressure: 100_000.07,
  wind_direction: 270,
  wind_speed: 4.47,
  uv: 1,
  pm25_raw: 6.6,
};

/** What a console sends: the fields of a form, here in several parts. */
export const form = (...parts: string[]) =>
  Object.fromEntries(new URLSearchParams(parts.join('&')));

export type FormatTable = {
  /** Its name in src/extras/senders/formats. */
  format: string;
  /** Its columns are known by their places, so they cannot be turned around. */
  isPositional?: true;
  samples: readonly Sample[];
};

export type Sample = {
  /** The sample in a few words, as in "CSV of the history API". */
  what: string;
  /** Declarations of its sender, like the options of `import readings`. */
  declared?: Declared;
  /** The stored readings, in our units, rounded to three decimals. Null: left empty (S3). */
  stored: readonly StoredReading[];
  /** Each row or value that is not used, with words of the explanation. */
  refused?: readonly Refused[];
  /** Names that are reported as not used. */
  ignored?: readonly string[];
  /** How many rows are accepted, where several of one parameter each are one reading. */
  rows?: number;
  /** How many rows `only` leaves out. */
  excluded?: number;
  /** The format is not recognized by itself, so its sender must name it. */
  isNamed?: true;
  /** mutated.test.ts changes this text at random. Its values must be in our units. */
  isMutated?: true;
} & Sent;

/** Either lines of text, or an object or a list that is sent as JSON. */
type Sent = { lines: readonly string[] } | { json: object };

type Owner = { sensor?: number; device?: string };
export type StoredReading = Owner & { time: string } & {
  [name in ReadingColumn]?: number | null;
};
/** A row whose sensor or device cannot be told has neither; a feed leaves such rows out. */
export type Refused = Owner & { why: string };

export type Declared = Owner & {
  /** `pm25=PM2_5_mean` */
  column?: readonly string[];
  /** `no2=ug/m3` */
  unit?: readonly string[];
  /** `Validity=1,2,3` */
  only?: readonly string[];
  zone?: string;
  shift?: string;
  dateFormat?: string;
};
