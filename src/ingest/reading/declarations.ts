/**
 * Declarations of the operator or the sender about a source that cannot say it itself; none of
 * it is guessed.
 */
import type { Vocabulary } from './vocabulary.ts';
import type { Transitions } from './zone.ts';

export type Declarations = {
  /** A format; absent: it is recognized. */
  name?: string | undefined;
  /** A declaration of the network file, which the forms read beside the others. */
  source?: object | undefined;
  /** Its name there, for the list of imports. */
  sourceName?: string | undefined;
  /** The zone of the network, for formats whose times are local to it. */
  timeZone?: string | undefined;
  /** The zone of times without an offset, whatever the format says. */
  zone?: string | undefined;
  /**
   * The server's rules of `zone`, else of `timeZone`; empty: it knows no such zone. Absent: it was
   * not asked, and times without an offset are rejected, unless the zone is a fixed offset.
   */
  transitions?: Transitions | undefined;
  /** One of DATE_FORMATS: the order of dates such as 05/06/2026. */
  dateFormat?: string | undefined;
  /** `-1h`: is added to every time, where stamps name the end of an interval. */
  shift?: string | undefined;
  /** `minute`: times are rounded to it, where a spreadsheet rounded them down by a second. */
  round?: string | undefined;
  /** `Validity=1,2,3`: rows in which a column has another value are left out, and counted. */
  only?: readonly string[] | undefined;
  /** `no2=ug/m3`: the unit of a parameter, whatever the format says. */
  units?: readonly string[] | undefined;
  /**
   * `pm25=pm2_5_concentration`: our name for a field (sensor_id, device, time, or a parameter), and
   * theirs.
   */
  columns?: readonly string[] | undefined;
  /** The sensor or the device of all readings that do not name one. */
  sensor?: unknown;
  device?: string | undefined;
  /** The time of readings without one; absent: they are rejected. */
  now?: Date | undefined;
  /** How messages name a declaration; absent: as the command line does. */
  say?: Vocabulary | undefined;
};

/** The parts of `no2=ug/m3`, or of another text around its equals sign at `at`. */
export const pair = (text: string, at = text.indexOf('=')): [string, string] => [
  text.slice(0, at).trim(),
  text.slice(at + 1).trim(),
];
