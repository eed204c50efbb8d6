/**
 * Follows a declaration of the network file. What an option can say too, it says as the option
 * does: a file that was imported with options is read alike by the source that the plan prints. The
 * rest (where rows are in a document, columns with a verdict or in a list, rows of
 * one parameter) is laid over a format as an entry of sources.json would say it.
 */
import { InputError } from '../../../base/inputError.ts';
import type { ParameterName } from '../../../contract/parameters.ts';
import { OWN_FORMAT } from '../../../ingest/formats.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { Declaration, type Entry, SourceWords } from './declaration.ts';
import { makeFormat } from './entry.ts';
import type { Format, Taken, ValueColumn, ValueColumns } from './format.ts';
import { chooseFormat } from './formats.ts';
import { ownName } from './ownNames.ts';
import { unitInName } from './unitInName.ts';

/** Columns of an entry that no option names. */
const OF_ENTRIES = ['parameter', 'value', 'unit', 'interval'];

/** A declaration, apart in what options can say, and what is laid over its format. */
type Source = { words: SourceWords; options: Options; layer: Format };

type Options = {
  columns: readonly string[];
  units: readonly string[];
  only: readonly (readonly [column: string, values: readonly string[]])[];
};

/** A stored declaration is the same object for all bodies of a minute. */
const read = new WeakMap<object, Source>();

/** The declaration of a named source; undefined: no source is named. Throws InputError for an invalid one. */
export function sourceIn({ source }: Declarations): Source | undefined {
  if (source === undefined) return undefined;
  const found = read.get(source) ?? readSource(source);
  read.set(source, found);
  return found;
}

function readSource(given: object): Source {
  const parsed = SourceWords.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid((issue?.path ?? []).map(String), issue?.message ?? 'invalid');
  }
  const words = parsed.data;
  const columns = Object.entries(words.columns);
  const isOption = ([ours, theirs]: (typeof columns)[number]) =>
    typeof theirs === 'string' && !OF_ENTRIES.includes(ours);
  const entry: Entry = {
    ...NO_ENTRY,
    columns: Object.fromEntries(columns.filter((one) => !isOption(one))),
    own_names: words.own_names,
    parameters: words.parameters,
    systems: words.systems,
    skip: words.skip,
    rows: words.rows,
    prefix: words.prefix,
    labels: words.labels,
    values: words.values,
    cases: words.cases,
    header: words.header,
    delimiter: words.delimiter,
  };
  const pairs = (all: readonly [string, unknown][]) => all.map(([key, one]) => `${key}=${one}`);
  return {
    words,
    options: {
      columns: pairs(columns.filter(isOption)),
      units: pairs(Object.entries(words.units)),
      only: Object.entries(words.only ?? {}),
    },
    layer: makeFormat('source', entry, invalid),
  };
}

/** Keys of an entry beside its declaration. */
const NO_ENTRY: Entry = {
  ...Declaration.parse({}),
  about: '',
  page: [],
  needs: '',
  recognize: [],
  mixed: false,
  refuse: [],
  names_end: false,
  unused: [],
};

/** A declaration that cannot be followed, at a key of it. */
export class InvalidSource extends InputError {
  readonly key: readonly string[];

  constructor(key: readonly string[], problem: string) {
    super(`source, key ${key.join('.')}`, problem, 'Correct it in the network file.');
    this.key = key;
  }
}

const invalid = (key: readonly string[], what: string) => new InvalidSource(key, what);

/** The declarations of a source, and beside it others, which take precedence word by word. */
export function declaredBy(source: object, beside: Declarations): Declarations {
  const { words } = sourceIn({ source }) as Source;
  const hasOwner = (beside.sensor ?? beside.device) !== undefined;
  return {
    ...beside,
    source,
    name: beside.name ?? words.format ?? OWN_FORMAT,
    zone: beside.zone ?? words.zone,
    shift: beside.shift ?? words.shift,
    round: beside.round ?? words.round,
    dateFormat: beside.dateFormat ?? words.date_format,
    device: hasOwner ? beside.device : words.device,
  };
}

/** The format of what is declared, for rows like `row`. Throws InputError for an unknown name. */
export function formatFor(declared: Declarations, row: Row): Format {
  const format = chooseFormat(declared.name, row);
  const source = sourceIn(declared);
  return source === undefined ? format : laidOver(format, source.layer);
}

/** A format, and first what a source says. */
function laidOver(format: Format, layer: Format): Format {
  const payload = layer.payload;
  return {
    ...format,
    columns: (names) => takenFirst(layer.columns(names), format.columns(names), payload),
    ...(payload !== undefined && {
      payload(row) {
        const { path, values } = payload(row);
        return {
          path,
          values: (names) => valuesFirst(values(names), format.columns(names).values),
        };
      },
    }),
    ...(layer.document !== undefined && { document: layer.document }),
    ...(layer.header !== undefined && { header: layer.header }),
    ...(layer.isLong && { isLong: true }),
    ...(layer.parameter !== undefined && {
      parameter: (name) => layer.parameter?.(name) ?? format.parameter?.(name),
    }),
    only: [...(layer.only ?? []), ...(format.only ?? [])],
  };
}

function takenFirst(first: Taken, then: Taken, payload: Format['payload']): Taken {
  const isTimed = (first.time ?? []).length > 0;
  return {
    ...then,
    sensor: [...(first.sensor ?? []), ...(then.sensor ?? [])],
    device: [...(first.device ?? []), ...(then.device ?? [])],
    ...(isTimed && { time: first.time ?? [], isTimeJoined: first.isTimeJoined }),
    interval: first.interval ?? then.interval,
    values: payload === undefined ? valuesFirst(first.values, then.values) : {},
    unitAt: first.unitAt ?? then.unitAt,
    long: first.long ?? then.long,
  };
}

function withUnitInName(column: ValueColumn, parameter: ParameterName): ValueColumn {
  if (column.unit !== undefined || ownName(column.field) !== undefined) return column;
  const said = unitInName(column.field, parameter);
  return { ...column, unit: said.unit, unknownUnit: said.unknown, isForeign: true };
}

/** Columns of a source displace the format's. No unit is assumed for them (S6). */
function valuesFirst(first: ValueColumns, then: ValueColumns): ValueColumns {
  const foreign = Object.entries(first).map(([parameter, columns]) => [
    parameter as ParameterName,
    columns.map((column) => withUnitInName(column, parameter as ParameterName)),
  ]);
  return { ...then, ...Object.fromEntries(foreign) };
}
