/**
 * Readings in our own form, CSV with a header or JSON objects: our names and units, `sensor_id` or
 * `device`, and a time with an offset. Nothing is guessed, and nothing can be declared.
 */
import { InputError } from '../base/inputError.ts';
import {
  READING_COLUMNS,
  READING_COLUMNS_BY_NAME,
  type ReadingColumn,
} from '../contract/parameters.ts';
import { OWN_FORMAT, type ReadingFormats } from './formats.ts';
import { inBatches, type Limits, type Slice } from './reading/batches.ts';
import type { Declarations } from './reading/declarations.ts';
import {
  countUnused,
  makeFacts,
  makeFindings,
  noteUnused,
  noteUsed,
  type SourceFacts,
  type UnusedCells,
} from './reading/facts.ts';
import { isLocal } from './reading/instants.ts';
import { NESTED, type ReadingInput, unreadable } from './reading/reading.ts';
import { type Header, makeHeader, rowOfLine, splitCsvLine } from './rows/csv.ts';
import { explainEncoding, notUtf8 } from './rows/encoding.ts';
import { type Line, LONGEST_LINE, splitLines } from './rows/lines.ts';
import { isDocument, readDocument, rowOfObject } from './rows/objects.ts';
import { makeObjectReader, type Names, type Row, type Unreadable } from './rows/row.ts';
import { peek, type Source } from './rows/source.ts';

const NEEDED = `Needed are sensor_id or device, time with an offset, and parameters by name: ${READING_COLUMNS.map(({ name }) => name).join(', ')}; in CSV, separated by commas.`;

/** The fields of rows with the same names, by their positions; -1: they have none. */
type Fields = {
  sensor: number;
  device: number;
  time: number;
  values: readonly (readonly [name: ReadingColumn, position: number])[];
  unused: readonly number[];
};

function fieldsOf({ positions, list }: Names): Fields {
  const at = (...names: readonly string[]) =>
    names.map((name) => positions.get(name)).find((position) => position !== undefined) ?? -1;
  const [sensor, device, time] = [at('sensor_id'), at('device'), at('measured_at', 'time')];
  const values = READING_COLUMNS.map(
    ({ name }) => [name as ReadingColumn, at(name)] as const,
  ).filter(([, position]) => position >= 0);
  const used = new Set([sensor, device, time, ...values.map(([, position]) => position)]);
  return { sensor, device, time, values, unused: [...list.keys()].filter((one) => !used.has(one)) };
}

/** Notes what the fields of rows with the same names are used for; returns those that are not used. */
function noteFields(facts: SourceFacts, { list }: Names, fields: Fields): UnusedCells {
  const { sensor, device, time, values, unused } = fields;
  const slots = [
    ['sensor_id', sensor],
    ['device', device],
    ['time', time],
  ] as const;
  for (const [name, at] of [...slots, ...values]) {
    const column = list[at];
    const unit = READING_COLUMNS_BY_NAME.get(name as ReadingColumn)?.unit ?? null;
    const said_by = unit === null ? null : 'our name';
    if (column !== undefined) noteUsed(facts, column, { column, parameter: name, unit, said_by });
  }
  return unused.flatMap((at) => {
    const counted = noteUnused(facts, list[at] as string);
    return counted === undefined ? [] : [[at, counted] as const];
  });
}

/** A reader of rows, which notes the fields that are used, and those that are not. */
function makeReader(facts: SourceFacts) {
  const known = new WeakMap<Names, Fields & { unusedCells: UnusedCells }>();
  const fieldsFor = (names: Names) => {
    const found = known.get(names);
    if (found !== undefined) return found;
    const fields = fieldsOf(names);
    const noted = { ...fields, unusedCells: noteFields(facts, names, fields) };
    known.set(names, noted);
    return noted;
  };
  const read = (row: Row | Unreadable): ReadingInput => {
    if ('unreadable' in row) return unreadable(row.text, row.line, row.why);
    const { names, cells, text, line, encoding } = row;
    if (encoding !== undefined) {
      facts.encoding = encoding.name;
      facts.notUtf8 ??= { encoding, text, line };
      return unreadable(text, line, explainEncoding(encoding));
    }
    const { sensor, device, time, values, unused, unusedCells } = fieldsFor(names);
    countUnused(cells, unusedCells);
    const reading: ReadingInput = {
      sensorId: plain(cells[sensor]),
      measuredAt: plain(cells[time]),
      values: Object.fromEntries(
        values.map(([name, at]) => [name, cells[at] === '' ? null : plain(cells[at])]),
      ),
      text,
      line,
    };
    const named = cells[device];
    if (typeof named === 'string' && named !== '') reading.device = named;
    if (names.isTable) {
      const measured = values.map(([, at]) => at);
      reading.columns = { list: names.list, delimiter: names.delimiter, measured, unused };
    }
    return reading;
  };
  return { fieldsFor, read };
}

/** Objects and lists are never values. */
const plain = (cell: unknown): unknown =>
  typeof cell === 'object' && cell !== null ? NESTED : cell;

/** Throws InputError for a header by which no reading can be read. */
function checkHeader({ text }: Header, fields: Fields, position: string): void {
  const invalid = (what: string) =>
    new InputError(position, `the header ${what}: ${JSON.stringify(text.slice(0, 300))}`, NEEDED);
  if (fields.sensor < 0 && fields.device < 0) throw invalid('has no column sensor_id or device');
  if (fields.time < 0) throw invalid('has no column time');
  if (fields.values.length === 0) throw invalid('names no parameter');
}

async function* readSlices(
  { name, bytes }: Source,
  { kind, largestObject }: Limits,
  facts: SourceFacts,
): AsyncGenerator<Slice> {
  const { fieldsFor, read } = makeReader(facts);
  const isEnough = (begun: Buffer) => begun.length > LONGEST_LINE || begun.includes('\n');
  const { start, all } = await peek(bytes, isEnough);
  if (kind === 'document' || (kind === undefined && isDocument(start))) {
    for await (const { rows, ...slice } of readDocument(all, name, largestObject))
      yield { ...slice, readings: rows.map(read) };
    return;
  }
  const readObject = makeObjectReader();
  let isTable = kind === 'csv' ? true : undefined;
  let header: Header | undefined;
  const readTableLine = (line: Line): ReadingInput | undefined => {
    const position = `${name}:${line.number}`;
    if (header === undefined) {
      if (line.encoding !== undefined) throw notUtf8(position, line.encoding, line.text);
      header = makeHeader(line, ',', position);
      facts.delimiter = header.names.delimiter;
      checkHeader(header, fieldsFor(header.names), position);
      return undefined;
    }
    const cells = line.tooLong ? undefined : splitCsvLine(line.text, ',');
    const row = rowOfLine(header, line, cells, line.tooLong);
    return row && read(row);
  };
  for await (const lines of splitLines(all)) {
    const readings: ReadingInput[] = [];
    for (const line of lines) {
      isTable ??= !line.text.startsWith('{');
      const reading = isTable ? readTableLine(line) : read(rowOfObject(line, readObject));
      if (reading !== undefined) readings.push(reading);
    }
    const text = lines.reduce((sum, line) => sum + line.text.length, 0);
    if (lines.length > 0) yield { readings, lastLine: lines.at(-1)?.number ?? 0, text };
  }
}

/** Declarations that say how to read something other than our own form. */
const FOREIGN = ['zone', 'dateFormat', 'shift', 'round', 'only', 'units', 'columns'] as const;

export const canonical: ReadingFormats = {
  names: [OWN_FORMAT],
  readReadings(source, _declared, limits) {
    const found = makeFindings(OWN_FORMAT);
    return inBatches(source.name, readSlices(source, limits, found.facts), found, limits);
  },
  readLine: (text) =>
    makeReader(makeFacts(OWN_FORMAT)).read(rowOfObject({ number: 1, text }, makeObjectReader())),
  checkDeclarations(declared: Declarations) {
    const given = FOREIGN.find((key) => [declared[key] ?? []].flat().length > 0);
    if (given !== undefined)
      throw new InputError(given, 'nothing of this form can be declared', NEEDED);
  },
  dateFormatIn: () => undefined,
  dateFormatOf: async () => undefined,
  sources: undefined,
  options: [],
  addressParameters: [],
  ownParameters: () => [],
  queryPushes: undefined,
  secretFields: [],
  appended: '/?',
  deviceIn: () => undefined,
  devicePushes: undefined,
  timeHint: (text) => (isLocal(text) ? `; ${text} has no offset` : ''),
  unitHint: () => undefined,
  declareUnit: () => `Send it in our unit.`,
  ownUnit: () => 'our unit',
};
