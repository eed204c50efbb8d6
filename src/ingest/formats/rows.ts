/** Reads JSON objects: recognizes their profile, and finds the fields that it names. */
import {
  chooseProfile,
  declaredColumns,
  type Fields,
  type Format,
  isOwn,
  MOST_COLUMNS,
} from './fields.ts';
import { isObject, isTooDeep } from './json.ts';
import { EXCERPT_LENGTH, type LineReader, type Read, type SourceNotes } from './lines.ts';
import { type Column, makeMapper, makeNotes, type SourceRecord } from './mapper.ts';
import type { Profile } from './profiles.ts';
import { type ReadingInput, unreadable } from './reading.ts';

type Row = Readonly<Record<string, unknown>>;

type RowReader = LineReader & {
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

const NONE: readonly [] = [];

const TOO_WIDE = `it has more than ${MOST_COLUMNS} fields`;
const TOO_LONG = 'it is longer than 64 KiB or nested too deeply';

/**
 * Reads NDJSON and elements of arrays. The first object says which profile it is; where it fits no other than ours, the first of `ahead` that
 * does says it: rows of airquality.am lack `pm2.5_corrected` where there is none. Throws InputError for an unknown format; the first reading
 * does for what else was declared wrongly.
 */
export function rowReader(format: Format = {}, ahead: readonly { text: string }[] = []): RowReader {
  const notes = makeNotes(chooseProfile(format.name, () => false));
  let chosen: ReadRows | undefined;
  const known = new Set<string>();
  const profileOf = (value: unknown) =>
    chooseProfile(format.name, (field) => lookUp(value, field) !== undefined);
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
      return unreadable(
        text,
        line,
        `its fields are of format ${other}, but those before it are not: ${SAY_IT}`,
      );
    const { rows } = chosen.fields.profile;
    if (rows !== undefined && Array.isArray(value[rows])) return readDocument(value, text, chosen);
    return chosen.readRow(value, text, line);
  };
  return {
    notes,
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
  const shared = Object.fromEntries(
    Object.entries(document).filter(([key]) => meaningOf(key) !== undefined),
  );
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
      for (const [index, cell] of given.slice(0, names.length).entries())
        row[names[index] as string] = cell;
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
  return dot > 0 && Object.hasOwn(value, key)
    ? lookUp(value[key], field.slice(dot + 1))
    : undefined;
}

/** A measurement that a decoder gives as an object: `{"value": 21.5, "unit": "°C"}`. */
function inside(given: Row): { value: unknown; unit: string | undefined } {
  const value = Object.hasOwn(given, 'value') ? given.value : given;
  return {
    value,
    unit: typeof given.unit === 'string' && given.unit !== '' ? given.unit : undefined,
  };
}

/** Undefined for a row that is left out. */
type ReadRow = (row: Row, text: string, line: number) => ReadingInput | undefined;
type ReadRows = { fields: Fields; readRow: ReadRow };

function makeReadRows(profile: Profile, format: Format, notes: SourceNotes): ReadRows {
  const { fields, ignore, read } = makeMapper(profile, format, notes);
  notes.format = profile.name;
  notes.isLong = profile.long !== undefined && profile.long.list === undefined;
  const objects = objectsOf(profile, format);

  /** A key means the same in every row, so it is looked up once. */
  const columnIn = ({ prefix, columns }: Place, key: string): Column | null => {
    const known = columns.get(key);
    if (known !== undefined) return known;
    const meaning = fields.meaningOf(prefix + key);
    const column = meaning === undefined ? null : { ...meaning, name: key };
    if (columns.size < MOST_REMEMBERED) columns.set(key, column);
    return column;
  };

  const readRow: ReadRow = (row, text, line) => {
    for (const { field, value, why } of profile.without ?? []) {
      if (String(lookUp(row, field)) === value)
        return why === undefined ? undefined : unreadable(text, line, why);
    }
    const columns: Column[] = [];
    const cells: unknown[] = [];
    let width = 0;
    for (const place of objects) {
      const object = place.path === '' ? row : lookUp(row, place.path);
      if (!isObject(object)) continue;
      for (const key in object) {
        width += 1;
        if (width > MOST_COLUMNS) return unreadable(text, line, TOO_WIDE);
        const given = object[key];
        let column = columnIn(place, key);
        if (column === null) {
          if (place.isReported) ignore(key);
          continue;
        }
        let cell = given;
        if (column.slot === 'value' && isObject(given)) {
          const { value, unit } = inside(given);
          const measures =
            unit === undefined ? undefined : fields.measuresOf(place.prefix + key, unit);
          if (measures !== undefined) column = { ...column, convert: measures.convert };
          cell = value;
        }
        if (typeof cell === 'object' && cell !== null) {
          // a time that is none is rejected, and never that of the arrival
          if (column.slot === 'sensor' || column.slot === 'device') continue;
          cell = NESTED;
        }
        columns.push(column);
        cells.push(cell);
      }
    }
    return read({ columns, cells, measured: measuredIn(row, profile), text, line });
  };
  return { fields, readRow };
}

/** The parameters that a row, or the elements of its list, have by name; undefined: they are malformed. */
function measuredIn(row: Row, { long }: Profile): SourceRecord['measured'] {
  if (long === undefined) return NONE;
  const all = (object: Row, paths: readonly string[] = []) =>
    paths
      .map((path) => lookUp(object, path))
      .filter((value) => value !== undefined && !isObject(value));
  const elements = long.list === undefined ? [row] : lookUp(row, long.list);
  if (!Array.isArray(elements) || elements.length > MOST_COLUMNS) return undefined;
  const measured: NonNullable<SourceRecord['measured']>[number][] = [];
  for (const element of elements as unknown[]) {
    const names = isObject(element) ? all(element, long.parameter) : [];
    if (names.length === 0 && long.list === undefined) return [];
    if (!isObject(element) || typeof names[0] !== 'string') return undefined;
    const [value] = all(element, long.value);
    const [unit] = all(element, long.unit);
    measured.push({ names: names.filter((name) => typeof name === 'string'), value, unit });
  }
  return measured;
}

/** An object within a row in which fields are looked for; `prefix` comes before their keys. */
type Place = {
  path: string;
  prefix: string;
  isReported: boolean;
  columns: Map<string, Column | null>;
};

function objectsOf(profile: Profile, format: Format): Place[] {
  const measured = profile.ours ?? '';
  const values = [...declaredColumns(format), ...Object.keys(profile.values)].flatMap((field) =>
    measured === '' ? field : [field, `${measured}.${field}`],
  );
  const fields = [...(profile.sensor ?? []), ...(profile.device ?? []), ...profile.time, ...values];
  const paths = new Set([
    measured,
    ...fields.map((field) => field.slice(0, Math.max(0, field.lastIndexOf('.')))),
  ]);
  return [...paths].map((path) => ({
    path,
    prefix: path === '' ? '' : `${path}.`,
    columns: new Map(),
    isReported: path === measured && (profile.long === undefined || profile.ours !== undefined),
  }));
}
