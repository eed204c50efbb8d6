/** Turns records, the values of one row by what their fields mean, into readings. */
import type { ParameterName } from '../../contract/parameters.ts';
import {
  type Fields,
  type Format,
  type Meaning,
  type Measures,
  ownerOf,
  readFields,
} from './fields.ts';
import { MOST_IGNORED, type SourceNotes } from './lines.ts';
import type { Profile } from './profiles.ts';
import { type ReadingInput, unreadable } from './reading.ts';
import { makeTimeReader } from './times.ts';
import { meanOf } from './units.ts';

/** A field that means something, and its name in the source. */
export type Column = Meaning & { name: string };

/** The value of one parameter in a row; the parameter is the first of `names` that is known. */
type Measured = { names: readonly string[]; value: unknown; unit: unknown };

/** A row of any source. Values are texts, numbers or other scalars; undefined, null and empty texts are none. */
export type SourceRecord = {
  columns: readonly (Column | undefined)[];
  /** One for each of the columns. */
  cells: readonly unknown[];
  /** The parameters that the row names itself, in layouts that do so; undefined: that part of the row is malformed. */
  measured: readonly Measured[] | undefined;
  /** The whole row, for the quarantine. */
  text: string;
  /** Its number in the source. */
  line: number;
};

/** The notes of a source before its first line. */
export const makeNotes = ({ name, means }: Profile): SourceNotes => ({
  format: name,
  means,
  isLong: false,
  ignored: new Set(),
  undeclared: new Map(),
  usedServerTime: false,
});

type Mapper = {
  fields: Fields;
  /** Notes a name that is not used. */
  ignore(name: string): void;
  /** Undefined for a row that has a parameter, but none of ours. Throws InputError as ownerOf does. */
  read(record: SourceRecord): ReadingInput | undefined;
};

type SomeValues = { -readonly [name in ParameterName]?: unknown };

/** Adds to `notes`. Throws InputError for a declaration that cannot be followed. */
export function makeMapper(profile: Profile, format: Format, notes: SourceNotes): Mapper {
  const fields = readFields(profile, format);
  const timeOf = makeTimeReader(profile, format);
  const arrival = format.now?.toISOString();
  const unused = unusedOf(profile);
  const { ignored, undeclared } = notes;

  const ignore = (name: string) => {
    if (ignored.size < MOST_IGNORED && !unused.has(name.toLowerCase())) ignored.add(name);
  };
  const noteUnit = ({ isDeclared, parameter }: Measures, name: string) => {
    if (!isDeclared && !undeclared.has(parameter)) undeclared.set(parameter, name);
  };
  /** False: it is no parameter of ours. */
  const addMeasured = (values: SomeValues, name: string, { value, unit }: Measured): boolean => {
    const measures = fields.measuresOf(
      name,
      typeof unit === 'string' && unit !== '' ? unit : undefined,
    );
    if (measures === undefined) return false;
    noteUnit(measures, name);
    if (isGiven(value))
      values[measures.parameter] = measures.convert === null ? value : measures.convert(value);
    return true;
  };

  const read: Mapper['read'] = ({ columns, cells, measured, text, line }) => {
    const values: SomeValues = {};
    const sources: { [name in ParameterName]?: Column } = {};
    const found: { [slot in 'sensor' | 'device' | 'time' | 'start']: Found } = {
      sensor: MISSING,
      device: MISSING,
      time: MISSING,
      start: MISSING,
    };
    for (let index = 0; index < cells.length; index++) {
      const column = columns[index];
      const given = cells[index];
      if (column === undefined || !isGiven(given)) continue;
      if (column.slot !== 'value') {
        if (column.rank < found[column.slot].rank)
          found[column.slot] = { rank: column.rank, value: given };
        continue;
      }
      const { parameter, convert, isMean, name, rank } = column;
      noteUnit(column, name);
      const value = convert === null ? given : convert(given);
      const before = sources[parameter];
      if (before !== undefined) {
        if (isMean && before.rank === rank) {
          values[parameter] = meanOf(values[parameter], value);
          continue;
        }
        const isWorse = before.rank <= rank;
        ignore(isWorse ? name : before.name);
        if (isWorse) continue;
      }
      values[parameter] = value;
      sources[parameter] = column;
    }
    const { sensor: sensorId, device } = ownerOf(format, found.sensor.value, found.device.value);
    if (measured === undefined) return { ...unreadable(text, line), sensorId };
    let isOfOthers = false;
    for (const one of measured) {
      if (
        one.names.some((name) => addMeasured(values, name, one)) ||
        profile.long?.list !== undefined
      )
        continue;
      ignore(one.names[0] ?? '');
      isOfOthers = true;
    }
    if (isOfOthers && Object.keys(values).length === 0) return undefined;
    const time = found.start.value ?? found.time.value;
    if (time === undefined && arrival !== undefined) notes.usedServerTime = true;
    const reading: ReadingInput = {
      sensorId,
      measuredAt: timeOf(time ?? arrival, sensorId ?? device),
      values,
      text,
      line,
    };
    if (device !== undefined) reading.device = String(device);
    return reading;
  };
  return { fields, ignore, read };
}

type Found = { rank: number; value: unknown };
const MISSING: Found = { rank: Number.POSITIVE_INFINITY, value: undefined };

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Names that need not be reported: those that the profile knows to be of no use, and those with a meaning. */
function unusedOf({ unused = [], time, start = '', long }: Profile): Set<string> {
  const paths = [
    ...unused,
    ...time,
    start,
    ...(long?.parameter ?? []),
    ...(long?.value ?? []),
    ...(long?.unit ?? []),
  ];
  return new Set(paths.map((path) => (path.split('.')[0] ?? '').toLowerCase()));
}
