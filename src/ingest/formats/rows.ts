/** Readings as JSON objects: what their keys mean is looked up as their profile says. */
import type { ParameterName } from '../../contract/parameters.ts';
import {
  chooseProfile,
  declaredColumns,
  type Fields,
  type Format,
  isOwn,
  type Meaning,
  MOST_COLUMNS,
  ownerOf,
  readFields,
} from './fields.ts';
import { isObject, isTooDeep } from './json.ts';
import { EXCERPT_LENGTH, type LineReader, MOST_IGNORED, type Read } from './lines.ts';
import { readMeasured, type SomeValues, type Undeclared } from './long.ts';
import type { Profile } from './profiles.ts';
import type { ReadingInput } from './reading.ts';
import { unreadable } from './reading.ts';
import { makeTimeReader } from './times.ts';
import { meanOf } from './units.ts';

type Row = Readonly<Record<string, unknown>>;

export type RowReader = LineReader & {
  /**
   * The readings of a parsed element, or of a whole document with rows in it. `text` is what the quarantine records, `line` its number in
   * the source.
   */
  readValue(value: unknown, text: string, line: number): Read;
};

/** A bound, because a file may have new keys on every line. */
const MOST_REMEMBERED = 1_000;

/** Stands for a value that is an object or a list: it is no number, and need not be kept. */
const NESTED = 'nested';

const TOO_WIDE = `it has more than ${MOST_COLUMNS} fields`;
const TOO_LONG = 'it is longer than 64 KiB or nested too deeply';

/**
 * Reads NDJSON and elements of arrays. The first object says which profile it is; where it fits no other than ours, the first of `ahead` that
 * does says it: rows of airquality.am lack `pm2.5_corrected` where there is none. The first reading throws InputError for what was declared
 * wrongly.
 */
export function rowReader(format: Format = {}, ahead: readonly { text: string }[] = []): RowReader {
  const notes = { ignored: new Set<string>(), undeclared: new Map<ParameterName, string>(), usedServerTime: false };
  let chosen: ReadRows | undefined;
  const known = new Set<string>();
  const profileOf = (value: unknown) => chooseProfile(format.name, (field) => lookUp(value, field) !== undefined);
  const choose = (value: Row): Profile => {
    const first = profileOf(value);
    if (!isOwn(first)) return first;
    for (const { text } of ahead.slice(1)) {
      const profile = profileOf(parsed(text));
      if (!isOwn(profile)) return profile;
    }
    return first;
  };
  /** The other profile that a row is recognized by, if it has a key that no row before it had. */
  const otherProfile = (value: Row): string | undefined => {
    let isNew = false;
    for (const key in value) {
      if (known.has(key)) continue;
      isNew = true;
      if (known.size < MOST_REMEMBERED) known.add(key);
    }
    const profile = isNew ? profileOf(value) : undefined;
    if (profile === undefined || isOwn(profile)) return undefined;
    for (const key in value) known.delete(key);
    return profile.name;
  };
  const readValue: RowReader['readValue'] = (value, text, line) => {
    if (!isObject(value)) return unreadable(text, line);
    chosen ??= makeReadRows(choose(value), format, notes);
    const other = isOwn(chosen.fields.profile) ? otherProfile(value) : undefined;
    if (other !== undefined)
      return unreadable(text, line, `its fields are of format ${other}, but those before it are not: ${SAY_IT}`);
    const { rows } = chosen.fields.profile;
    if (rows !== undefined && Array.isArray(value[rows])) return readDocument(value, text, chosen);
    return chosen.readRow(value, text, line);
  };
  return {
    ignored: notes.ignored,
    undeclared: notes.undeclared,
    get format() {
      return (chosen?.fields.profile ?? chooseProfile(format.name, () => false)).name;
    },
    get isLong() {
      const long = chosen?.fields.profile.long;
      return long !== undefined && long.list === undefined;
    },
    get usedServerTime() {
      return notes.usedServerTime;
    },
    readValue,
    read({ number, text, tooLong }) {
      if (tooLong || isTooDeep(text)) return unreadable(text, number, TOO_LONG);
      const value = parsed(text);
      return value === undefined ? unreadable(text, number) : readValue(value, text, number);
    },
  };
}

const SAY_IT = 'send it by itself, or say the format for all (--format, or POST /v1/push/FORMAT)';

/** Undefined for what is no JSON, or nested too deeply. */
function parsed(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In characters: every row gets what its document says of all, and its own text has the names of its columns. */
const LONGEST_SHARED = 10_000;

/**
 * Reads the rows within a document one by one, as they are asked for. Each has the fields of the document that mean something and that it
 * does not have itself; a row that is a list has its columns named by the document.
 */
function* readDocument(
  document: Row,
  text: string,
  { fields: { profile, meaningOf }, readRow }: ReadRows,
): Generator<ReadingInput | undefined> {
  const { rows, header } = profile as { rows: string; header?: string };
  const columns = header === undefined ? undefined : document[header];
  const names = Array.isArray(columns) ? columns.map(String) : undefined;
  if (isWide(document) || (names?.length ?? 0) > MOST_COLUMNS) {
    yield unreadable(text.slice(0, EXCERPT_LENGTH), 1, TOO_WIDE);
    return;
  }
  const shared = Object.fromEntries(Object.entries(document).filter(([key]) => meaningOf(key) !== undefined));
  if (JSON.stringify([shared, names]).length > LONGEST_SHARED) {
    yield unreadable(text.slice(0, EXCERPT_LENGTH), 1, 'what it says of all its rows is too long');
    return;
  }
  let line = 0;
  for (const given of document[rows] as unknown[]) {
    line += 1;
    const row: Record<string, unknown> = Object.assign(Object.create(null), shared);
    if (isObject(given)) Object.assign(row, given);
    else if (Array.isArray(given) && names !== undefined)
      for (const [index, cell] of given.slice(0, names.length).entries()) row[names[index] as string] = cell;
    else {
      yield unreadable(JSON.stringify(given), line);
      continue;
    }
    yield readRow(row, JSON.stringify(row), line);
  }
}

function isWide(object: Row): boolean {
  let columns = 0;
  for (const _ in object) {
    columns += 1;
    if (columns > MOST_COLUMNS) return true;
  }
  return false;
}

/** The value of a field, which is a key as a whole (`pm2.5`), or else a path (`sensor.id`). */
function lookUp(value: unknown, field: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, field)) return value[field];
  const dot = field.indexOf('.');
  const key = field.slice(0, dot);
  return dot > 0 && Object.hasOwn(value, key) ? lookUp(value[key], field.slice(dot + 1)) : undefined;
}

/** A measurement that a decoder gives as an object: `{"value": 21.5, "unit": "°C"}`. */
function inside(given: Row): { value: unknown; unit: string | undefined } {
  const value = Object.hasOwn(given, 'value') ? given.value : given;
  return { value, unit: typeof given.unit === 'string' && given.unit !== '' ? given.unit : undefined };
}

/** Undefined for a row that is left out. */
type ReadRow = (row: Row, text: string, line: number) => ReadingInput | undefined;
type ReadRows = { fields: Fields; readRow: ReadRow };
type Notes = { ignored: Set<string>; undeclared: Undeclared; usedServerTime: boolean };

function makeReadRows(profile: Profile, format: Format, notes: Notes): ReadRows {
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

  const readRow: ReadRow = (row, text, line) => {
    for (const { field, value, why } of profile.without ?? []) {
      if (String(lookUp(row, field)) === value) return why === undefined ? undefined : unreadable(text, line, why);
    }
    const asItIs = plain.read(row, text, line);
    if (asItIs !== undefined) return asItIs;
    const values: SomeValues = {};
    const sources: { [name in ParameterName]?: { key: string; rank: number } } = {};
    const found: { [slot in 'sensor' | 'device' | 'time']: Found } = {
      sensor: MISSING,
      device: MISSING,
      time: MISSING,
    };
    let columns = 0;
    for (const place of objects) {
      const object = place.path === '' ? row : lookUp(row, place.path);
      if (!isObject(object)) continue;
      for (const key in object) {
        columns += 1;
        if (columns > MOST_COLUMNS) return unreadable(text, line, TOO_WIDE);
        const meaning = meaningIn(place, key);
        if (meaning === null && place.isReported) ignore(key);
        const given = object[key];
        const { value, unit } =
          isObject(given) && meaning?.slot === 'value' ? inside(given) : { value: given, unit: undefined };
        if (meaning === null || value === null || value === undefined) continue;
        const isNested = typeof value === 'object';
        if (meaning.slot !== 'value') {
          // a time that is none is rejected, and never that of the arrival
          const isUsable = value !== '' && (!isNested || meaning.slot === 'time');
          const isBetter = isUsable && meaning.rank < found[meaning.slot].rank;
          if (isBetter) found[meaning.slot] = { rank: meaning.rank, value: isNested ? NESTED : value };
          continue;
        }
        const { parameter, rank, isMean } = meaning;
        const { convert } = (unit === undefined ? undefined : fields.measuresOf(place.prefix + key, unit)) ?? meaning;
        const before = sources[parameter];
        const isWorse = before !== undefined && before.rank <= rank;
        const converted = isNested ? NESTED : convert === null ? value : convert(value);
        if (isMean && before?.rank === rank) values[parameter] = meanOf(values[parameter], converted);
        else if (before !== undefined) ignore(isWorse ? key : before.key);
        if (isWorse) continue;
        values[parameter] = converted;
        sources[parameter] = { key, rank };
      }
    }
    const { sensor: sensorId, device } = ownerOf(format, found.sensor.value, found.device.value);
    const long = readLong(fields, row, values, notes.undeclared, ignore);
    if (long === 'malformed') return { ...unreadable(text, line), sensorId };
    if (long === 'not ours' && Object.keys(values).length === 0) return undefined;
    const given = (profile.start !== undefined && lookUp(row, profile.start)) || found.time.value;
    if (given === undefined && arrival !== undefined) notes.usedServerTime = true;
    const measuredAt = timeOf(given ?? arrival, sensorId ?? device);
    const reading: ReadingInput = { sensorId, measuredAt, values, text, line };
    if (device !== undefined) reading.device = String(device);
    return reading;
  };
  return { fields, readRow };
}

/** Names that need not be reported: those that the profile knows to be of no use, and those with a meaning. */
function unusedOf({ unused = [], time, start = '', long }: Profile): Set<string> {
  const paths = [...unused, ...time, start, ...(long?.parameter ?? []), ...(long?.value ?? []), ...(long?.unit ?? [])];
  return new Set(paths.map((path) => (path.split('.')[0] ?? '').toLowerCase()));
}

/** Takes rows that have nothing but keys of ours, as NDJSON mostly does, as they are, which is faster. */
function plainRows(profile: Profile, isMapped: boolean, timeOf: (given: unknown, sensor: unknown) => unknown) {
  const plain = new Set<string>();
  const isPlain = (meaning: Meaning | null, key: string): boolean =>
    meaning?.slot === 'value' ? meaning.parameter === key && meaning.convert === null : OWN_KEYS.includes(key);
  const hasOthers = (row: Row): boolean => {
    for (const key in row) if (!plain.has(key) || isObject(row[key]) || Array.isArray(row[key])) return true;
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

/** Adds the parameters that a row, or the elements of its list, have by name. */
function readLong(
  fields: Fields,
  row: Row,
  values: SomeValues,
  undeclared: Undeclared,
  ignore: (name: string) => void,
): 'malformed' | 'not ours' | undefined {
  const { long } = fields.profile;
  if (long === undefined) return undefined;
  const all = (object: Row, paths: readonly string[] = []) =>
    paths.map((path) => lookUp(object, path)).filter((value) => value !== undefined && !isObject(value));
  const elements = long.list === undefined ? [row] : lookUp(row, long.list);
  if (!Array.isArray(elements) || elements.length > MOST_COLUMNS) return 'malformed';
  for (const element of elements as unknown[]) {
    const names = isObject(element) ? all(element, long.parameter) : [];
    if (names.length === 0 && long.list === undefined) return undefined;
    if (!isObject(element) || typeof names[0] !== 'string') return 'malformed';
    const [value] = all(element, long.value);
    const [unit] = all(element, long.unit);
    const isOurs = names.some((name) => readMeasured(fields, values, name, value, unit, undeclared));
    if (isOurs || long.list !== undefined) continue;
    ignore(names[0]);
    return 'not ours';
  }
  return undefined;
}

/** An object within a row in which fields are looked for; `prefix` comes before their keys. */
type Place = { path: string; prefix: string; isReported: boolean; meanings: Map<string, Meaning | null> };

function objectsOf(profile: Profile, format: Format): Place[] {
  const measured = profile.ours ?? '';
  const values = [...declaredColumns(format), ...Object.keys(profile.values)].flatMap((field) =>
    measured === '' ? field : [field, `${measured}.${field}`],
  );
  const fields = [...(profile.sensor ?? []), ...(profile.device ?? []), ...profile.time, ...values];
  const paths = new Set([measured, ...fields.map((field) => field.slice(0, Math.max(0, field.lastIndexOf('.'))))]);
  return [...paths].map((path) => ({
    path,
    prefix: path === '' ? '' : `${path}.`,
    meanings: new Map(),
    isReported: path === measured && (profile.long === undefined || profile.ours !== undefined),
  }));
}
