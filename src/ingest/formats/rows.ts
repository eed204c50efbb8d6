/** Readings as JSON objects: what their keys mean is looked up as their profile says. */
import type { ParameterName } from '../../contract/parameters.ts';
import type { ReadingInput } from '../validate.ts';
import {
  chooseProfile,
  declaredColumns,
  type Fields,
  type Format,
  isOwn,
  type Meaning,
  ownerOf,
  readFields,
} from './fields.ts';
import { isObject, isTooDeep, unreadable } from './json.ts';
import { type LineReader, MOST_IGNORED } from './lines.ts';
import { readMeasured, type SomeValues } from './long.ts';
import type { Profile } from './profiles.ts';
import { makeTimeReader } from './times.ts';

type Row = Readonly<Record<string, unknown>>;

export type RowReader = LineReader & {
  /**
   * The readings of a parsed element, or of a whole document with rows in it. `text` is what the quarantine records, `line` its number in
   * the source.
   */
  readValue(value: unknown, text: string, line: number): ReadingInput[];
};

/** A bound, because a file may have new keys on every line. */
const MOST_REMEMBERED = 1_000;

/** Reads NDJSON and elements of arrays. The first object says which profile it is, and may throw InputError for what was declared wrongly. */
export function rowReader(format: Format = {}): RowReader {
  const notes = { ignored: new Set<string>(), undeclared: new Map<ParameterName, string>(), usedServerTime: false };
  let chosen: { profile: Profile; readRow: ReadRow } | undefined;
  const choose = (has: (path: string) => boolean) => {
    const profile = chooseProfile(format.name, has);
    return { profile, readRow: makeRowReader(profile, format, notes) };
  };
  const readValue: RowReader['readValue'] = (value, text, line) => {
    if (!isObject(value)) return [unreadable(text, line)];
    chosen ??= choose((path) => at(value, path.split('.')) !== undefined);
    const { profile, readRow } = chosen;
    const rows = rowsOf(profile, value);
    if (rows !== undefined) {
      return rows.map((row, index) => readInner(row, index + 1, readRow)).filter((reading) => reading !== undefined);
    }
    const reading = readRow(value, text, line);
    return reading === undefined ? [] : [reading];
  };
  return {
    ignored: notes.ignored,
    undeclared: notes.undeclared,
    get format() {
      return (chosen?.profile ?? chooseProfile(format.name, () => false)).name;
    },
    get isLong() {
      return chosen?.profile.long !== undefined && chosen.profile.long.list === undefined;
    },
    get usedServerTime() {
      return notes.usedServerTime;
    },
    readValue,
    read({ number, text, tooLong }) {
      if (tooLong || isTooDeep(text)) return unreadable(text, number);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        return unreadable(text, number);
      }
      return readValue(value, text, number);
    },
  };
}

function readInner(row: unknown, line: number, readRow: ReadRow): ReadingInput | undefined {
  const text = JSON.stringify(row);
  return isObject(row) ? readRow(row, text, line) : unreadable(text, line);
}

/** The rows within a document, each with the fields of the document that it does not have itself; undefined: it has none. */
function rowsOf({ rows: key, header }: Profile, document: Row): unknown[] | undefined {
  if (key === undefined || !Array.isArray(document[key])) return undefined;
  const { [key]: rows, ...rest } = document;
  const names = header === undefined ? undefined : rest[header];
  return (rows as unknown[]).map((row) => {
    if (isObject(row)) return { ...rest, ...row };
    if (!Array.isArray(row) || !Array.isArray(names)) return row;
    return {
      ...rest,
      [header as string]: undefined,
      ...Object.fromEntries(names.map((name, index) => [name, row[index]])),
    };
  });
}

function at(row: Row, keys: readonly string[]): unknown {
  let value: unknown = row;
  for (const key of keys) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Undefined for a row that is left out. */
type ReadRow = (row: Row, text: string, line: number) => ReadingInput | undefined;
type Notes = { ignored: Set<string>; undeclared: Map<ParameterName, string>; usedServerTime: boolean };

function makeRowReader(profile: Profile, format: Format, notes: Notes): ReadRow {
  const { columns = [] } = format;
  const fields = readFields(profile, format);
  const objects = objectsOf(profile, format);
  const timeOf = makeTimeReader(profile, format);
  const arrival = format.now?.toISOString();
  const unused = unusedOf(profile);
  const plain = plainRows(profile, columns.length > 0 || (format.sensor ?? format.device) !== undefined, timeOf);

  /** A key means the same in every row, so it is looked up once. */
  const meaningIn = ({ prefix, meanings }: Place, key: string): Meaning | null => {
    const known = meanings.get(key);
    if (known !== undefined) return known;
    const meaning = fields.meaningOf(prefix + key) ?? null;
    if (meanings.size < MOST_REMEMBERED) meanings.set(key, meaning);
    plain.note(key, meaning);
    if (meaning?.slot === 'value' && !meaning.isDeclared && !notes.undeclared.has(meaning.parameter)) {
      notes.undeclared.set(meaning.parameter, key);
    }
    return meaning;
  };
  const ignore = (key: string) => {
    if (notes.ignored.size < MOST_IGNORED && !unused.has(key.toLowerCase())) notes.ignored.add(key);
  };
  const { field: screened, value: unwanted } = profile.without ?? {};

  return (row, text, line) => {
    if (screened !== undefined && Number(at(row, screened.split('.'))) === unwanted) return undefined;
    const asItIs = plain.read(row, text, line);
    if (asItIs !== undefined) return asItIs;
    const values: SomeValues = {};
    const found: { [slot in 'sensor' | 'device' | 'time']: Found } = {
      sensor: MISSING,
      device: MISSING,
      time: MISSING,
    };
    for (const place of objects) {
      const object = place.path.length === 0 ? row : at(row, place.path);
      if (!isObject(object)) continue;
      for (const key in object) {
        const meaning = meaningIn(place, key);
        if (meaning === null && place.isReported) ignore(key);
        const value = object[key];
        if (meaning === null || value === null || value === undefined) continue;
        if (meaning.slot !== 'value') {
          const isBetter = meaning.rank < found[meaning.slot].rank && value !== '' && !isObject(value);
          if (isBetter) found[meaning.slot] = { rank: meaning.rank, value };
          continue;
        }
        const { parameter, convert } = meaning;
        if (values[parameter] !== undefined) {
          const before = Object.keys(object).find((other) => isOf(meaningIn(place, other), parameter)) ?? key;
          const isBetter = meaning.rank < (meaningIn(place, before)?.rank ?? 0);
          ignore(isBetter ? before : key);
          if (!isBetter) continue;
        }
        values[parameter] = convert === null ? value : convert(value);
      }
    }
    const { sensor: sensorId, device } = ownerOf(format, found.sensor.value, found.device.value);
    const long = readLong(fields, row, values, ignore);
    if (long === 'malformed') return { ...unreadable(text, line), sensorId };
    if (long === 'not ours' && Object.keys(values).length === 0) return undefined;
    const given = found.time.value;
    if (given === undefined && arrival !== undefined) notes.usedServerTime = true;
    const measuredAt = timeOf(given ?? arrival, sensorId ?? device);
    const reading: ReadingInput = { sensorId, measuredAt, values, text, line };
    if (device !== undefined) reading.device = String(device);
    return reading;
  };
}

/** Names that need not be reported: those that the profile knows to be of no use, and those with a meaning. */
function unusedOf({ unused = [], time, long }: Profile): Set<string> {
  const paths = [...unused, ...time, ...(long?.parameter ?? []), ...(long?.value ?? []), ...(long?.unit ?? [])];
  return new Set(paths.map((path) => (path.split('.')[0] ?? '').toLowerCase()));
}

/** Takes rows that have nothing but keys of ours, as NDJSON mostly does, as they are, which is faster. */
function plainRows(profile: Profile, isMapped: boolean, timeOf: (given: unknown, sensor: unknown) => unknown) {
  const plain = new Set<string>();
  const isPlain = (meaning: Meaning | null, key: string): boolean =>
    meaning?.slot === 'value' ? meaning.parameter === key && meaning.convert === null : OWN_KEYS.includes(key);
  const hasOthers = (row: Row): boolean => {
    for (const key in row) if (!plain.has(key)) return true;
    return false;
  };
  return {
    note(key: string, meaning: Meaning | null): void {
      if (isOwn(profile) && !isMapped && isPlain(meaning, key)) plain.add(key);
    },
    /** Undefined: it has other keys, or lacks what a reading needs. */
    read(row: Row, text: string, line: number): ReadingInput | undefined {
      const sensorId = row.sensor_id;
      if (sensorId === undefined || hasOthers(row)) return undefined;
      const given = row.measured_at ?? row.time ?? row.timestamp ?? '';
      return given === '' ? undefined : { sensorId, measuredAt: timeOf(given, sensorId), values: row, text, line };
    },
  };
}

const OWN_KEYS: readonly string[] = ['sensor_id', 'measured_at', 'time', 'timestamp'];

type Found = { rank: number; value: unknown };
const MISSING: Found = { rank: Number.POSITIVE_INFINITY, value: undefined };

const isOf = (meaning: Meaning | null, parameter: ParameterName) =>
  meaning?.slot === 'value' && meaning.parameter === parameter;

/** Adds the parameters that a row, or the elements of its list, have by name. */
function readLong(
  fields: Fields,
  row: Row,
  values: SomeValues,
  ignore: (name: string) => void,
): 'malformed' | 'not ours' | undefined {
  const { long } = fields.profile;
  if (long === undefined) return undefined;
  const all = (object: Row, paths: readonly string[] = []) =>
    paths.map((path) => at(object, path.split('.'))).filter((value) => value !== undefined && !isObject(value));
  const elements = long.list === undefined ? [row] : at(row, long.list.split('.'));
  if (!Array.isArray(elements)) return 'malformed';
  for (const element of elements as unknown[]) {
    const names = isObject(element) ? all(element, long.parameter) : [];
    if (names.length === 0 && long.list === undefined) return undefined;
    if (!isObject(element) || typeof names[0] !== 'string') return 'malformed';
    const [value] = all(element, long.value);
    const [unit] = all(element, long.unit);
    const isOurs = names.some((name) => readMeasured(fields, values, name, value, unit));
    if (isOurs || long.list !== undefined) continue;
    ignore(names[0]);
    return 'not ours';
  }
  return undefined;
}

/** An object within a row in which fields are looked for; `prefix` comes before their keys. */
type Place = { path: readonly string[]; prefix: string; isReported: boolean; meanings: Map<string, Meaning | null> };

function objectsOf(profile: Profile, format: Format): Place[] {
  const fields = [...(profile.sensor ?? []), ...(profile.device ?? []), ...profile.time, ...declaredColumns(format)];
  const measured = profile.ours ?? '';
  const paths = new Set([measured, ...fields.map((field) => field.slice(0, Math.max(0, field.lastIndexOf('.'))))]);
  return [...paths].map((path) => ({
    path: path === '' ? [] : path.split('.'),
    prefix: path === '' ? '' : `${path}.`,
    meanings: new Map(),
    isReported: path === measured && (profile.long === undefined || profile.ours !== undefined),
  }));
}
