/**
 * Makes a format of an entry of sources.json, so that a sender whose rows only have other names is
 * data and no code.
 */
import { type ParameterName, RAIN_TOTAL } from '../../../contract/parameters.ts';
import { makeObjectReader, type Names, type Row } from '../../../ingest/rows/row.ts';
import { cellOf, has, isGiven, positionOf } from '../rows/cells.ts';
import { conversionFrom } from '../units.ts';
import { type Declaration, Entry, type JudgedColumn } from './declaration.ts';
import {
  type Format,
  longColumns,
  ownValues,
  type Parameter,
  type Taken,
  text,
  type UnitAt,
  type ValueColumn,
  type ValueColumns,
  type Verdict,
  value,
} from './format.ts';
import { type OwnName, ownName } from './ownNames.ts';

/** Keys of `columns` that are not parameters. */
const SLOTS = ['sensor_id', 'device', 'time', 'interval', 'parameter', 'value', 'unit'] as const;
type Slot = (typeof SLOTS)[number];

type Columns = Declaration['columns'];

export const isJudged = (given: Columns[string]): given is JudgedColumn =>
  typeof given === 'object' && !Array.isArray(given);

/** Makes the error for a declaration that cannot be followed: at a key, and what is wrong. */
type Invalid = (key: readonly string[], what: string) => Error;

/** The formats of a file of entries, in its order. Throws Error for an invalid entry. */
export const formatsOf = (entries: Readonly<Record<string, unknown>>): Format[] =>
  Object.entries(entries).map(([name, given]) => formatOf(name, given));

/** Throws Error for an entry that does not have the form of one, or says what cannot be. */
export function formatOf(name: string, given: unknown): Format {
  const invalid: Invalid = (key, what) =>
    new Error(`sources.json: entry "${name}", key ${key.join('.') || '(itself)'}: ${what}`);
  const read = Entry.safeParse(given);
  if (read.success) return makeFormat(name, read.data, invalid);
  const [issue] = read.error.issues;
  throw invalid((issue?.path ?? []).map(String), issue?.message ?? 'invalid');
}

/** Throws what `invalid` makes for an entry that says what cannot be. */
export function makeFormat(name: string, entry: Entry, invalid: Invalid): Format {
  const parameter = parameterFinder(entry, invalid);
  const layouts = [
    ...entry.cases.map((one) => ({
      when: one.when,
      path: one.values ?? entry.values,
      read: columnReader({ ...entry, columns: { ...entry.columns, ...one.columns } }, invalid),
    })),
    { when: [], path: entry.values, read: columnReader(entry, invalid) },
  ];
  const layoutFor = (names: Names) =>
    layouts.find(({ when }) => when.every((one) => positionOf(names, one) !== undefined)) ??
    (layouts.at(-1) as (typeof layouts)[number]);
  const hasPayload = layouts.some(({ path }) => path !== undefined);
  const { columns } = entry;
  const owners = (['sensor_id', 'device'] as const).flatMap(
    (slot) => slotNames(columns, slot)[0] ?? [],
  );
  const judged = entry.refuse.flatMap(({ where = {} }) => Object.keys(where));
  const unused = lowerCase(entry.unused);
  return {
    name,
    about: entry.about,
    source: entry.page.join(', '),
    recognizes: recognizer(entry),
    ...(entry.any_of !== undefined && { skips: noneOf(entry.any_of) }),
    ...(entry.refuse.length > 0 && { refuses: refuser(entry) }),
    columns: (names) => ({
      ...layoutFor(names).read(names, hasPayload ? NO_VALUES : undefined),
      ...(entry.corrected !== undefined && { corrected: positionOf(names, entry.corrected) }),
      ...(entry.systems !== undefined && { unitAt: unitsBySystem(entry.systems, names) }),
      others: text(names, ...judged),
    }),
    ...(hasPayload && {
      payload: ({ names }: Row) => {
        const { path = '', read: readColumns } = layoutFor(names);
        return { path, values: (inner: Names) => readColumns(inner).values };
      },
    }),
    ...(entry.rows !== undefined && {
      document: {
        rows: entry.rows,
        ...(entry.prefix !== undefined && { prefix: entry.prefix }),
        ...(entry.labels !== undefined && {
          labels: { key: entry.labels.in, fields: entry.labels.fields },
        }),
      },
    }),
    ...(columns.parameter !== undefined && { isLong: true }),
    parameter,
    ...(entry.mixed && { isMixed: true }),
    ...(entry.names_end && { namesEnd: true }),
    zone: entry.zone,
    shift: entry.shift,
    dateFormat: entry.date_format,
    units: new Map(Object.entries(checkedUnits(entry, invalid)) as [ParameterName, string][]),
    only: [
      ...onlyOf(entry.only, { isOfFormat: true }),
      ...onlyOf(entry.skip, { isOfFormat: true, isRefused: true }),
    ],
    ...(entry.reduced !== undefined && { reduced: lowerCase(entry.reduced) }),
    unused: unused.filter((one) => !one.startsWith('*')),
    unusedEnds: unused.flatMap((one) => (one.startsWith('*') ? one.slice(1) : [])),
    ...(entry.header !== undefined && {
      header: { list: entry.header, delimiter: entry.delimiter },
    }),
    secret: entry.secret,
    appends: entry.appends,
    push: entry.push,
    needs: {
      owner: entry.owner ?? owners.join(' or '),
      time: 'for the time',
      all: () => entry.needs,
    },
  };
}

const NO_VALUES: ValueColumns = {};

const lowerCase = (names: readonly string[]) => names.map((one) => one.toLowerCase());

/** True for a row that has all names of a list, or whose first inner row has them. */
function recognizer({ recognize, rows }: Entry): Format['recognizes'] {
  const isOne = (row: Row) => recognize.some((names) => has(row, ...names));
  if (rows === undefined) return isOne;
  return (row) => {
    if (isOne(row)) return true;
    const [first] = [cellOf(row, rows)].flat();
    if (typeof first !== 'object' || first === null) return false;
    const inner = makeObjectReader()(first as Record<string, unknown>, '', 1);
    return !('unreadable' in inner) && isOne(inner);
  };
}

const noneOf = (names: readonly string[]) => (row: Row) => names.every((one) => !has(row, one));

/** The first reason counts. An empty field counts as absent. */
function refuser({ refuse }: Entry): NonNullable<Format['refuses']> {
  const isRefused = (row: Row, { where, without }: Entry['refuse'][number]) =>
    (where !== undefined &&
      Object.entries(where).some(([field, values]) =>
        values.includes(String(cellOf(row, field))),
      )) ||
    without?.every((field) => !isGiven(cellOf(row, field))) === true;
  return (row) => refuse.find((one) => isRefused(row, one))?.why;
}

const onlyOf = (verdicts: Declaration['only'] = {}, more: { isOfFormat: true; isRefused?: true }) =>
  Object.entries(verdicts).map(([theirs, values]) => ({
    theirs,
    values: new Set(values),
    ...more,
  }));

function checkedUnits({ units }: Entry, invalid: Invalid): Entry['units'] {
  for (const [parameter, unit] of Object.entries(units))
    if (conversionFrom(unit, parameter as ParameterName) === undefined)
      throw invalid(['units', parameter], `${parameter} has no unit "${unit}"`);
  return units;
}

/** Any other number is not a unit of a parameter, so the value is rejected. */
function unitsBySystem(
  { column, units }: NonNullable<Entry['systems']>,
  names: Names,
): UnitAt | undefined {
  const position = positionOf(names, column);
  const differing = new Set(Object.values(units).flatMap((one) => Object.keys(one)));
  return (
    position && {
      position,
      unitOf: (system, parameter) =>
        differing.has(parameter)
          ? (units[String(Number(system))]?.[parameter] ??
            `${column} ${String(system ?? 'is missing')}`)
          : undefined,
    }
  );
}

/** A column with values of a parameter, by its names: the first that a row has counts. */
type Value = OwnName & JudgedColumn;

const slotNames = (columns: Columns, slot: Slot): readonly string[] => {
  const given = columns[slot];
  return given === undefined || isJudged(given) ? [] : [given].flat();
};

/** The columns of `columns`, found in a row's names. Throws Error for a key that is not our name. */
function columnReader({ columns, own_names: ownNames, parameters }: Entry, invalid: Invalid) {
  const areNumbers = Object.values(parameters)
    .flat()
    .some((one) => /^\d+$/.test(one));
  const values = Object.entries(columns).flatMap(([ours, given]): Value[] => {
    if (SLOTS.some((slot) => slot === ours)) {
      if (isJudged(given)) throw invalid(['columns', ours], 'expected names of columns');
      return [];
    }
    return [
      {
        ...parameterOf('columns', ours, invalid),
        ...(isJudged(given) ? given : { column: given }),
      },
    ];
  });
  const slot = (names: Names, one: Slot) => text(names, ...slotNames(columns, one));
  /** `found`: the values, where they are not among these names. */
  return (names: Names, found?: ValueColumns): Taken => ({
    sensor: slot(names, 'sensor_id'),
    device: slot(names, 'device'),
    ...timeIn(names, slotNames(columns, 'time')),
    interval: slot(names, 'interval')[0],
    values: found ?? valuesIn(names, values, ownNames),
    ...(columns.parameter !== undefined && {
      long: longColumns(
        names,
        {
          parameter: slotNames(columns, 'parameter'),
          value: slotNames(columns, 'value'),
          unit: slotNames(columns, 'unit'),
        },
        areNumbers,
      ),
    }),
  });
}

/** The first name that a table has, or in JSON all; the first of several joined by plus signs. */
function timeIn(names: Names, times: readonly string[]): Pick<Taken, 'time' | 'isTimeJoined'> {
  for (const one of times) {
    const parts = one.split('+').map((part) => text(names, part));
    if (parts.length > 1 && parts.every((part) => part.length > 0))
      return { time: parts.flat(), isTimeJoined: true };
    if (parts.length === 1 && parts.flat().length > 0) break;
  }
  return { time: text(names, ...times) };
}

function valuesIn(names: Names, values: readonly Value[], ownNames: boolean): ValueColumns {
  const found: { [parameter in ParameterName]?: ValueColumn[] } = {};
  const taken = new Set<number>();
  for (const { parameter, unit, isTotal, column, only, skip } of values) {
    const all = value(names, ...[column].flat()).map((one) => ({
      ...one,
      unit: one.unit ?? unit,
      isTotal,
      ...((only !== undefined || skip !== undefined) && {
        verdicts: [...verdictsIn(names, only), ...verdictsIn(names, skip, true)],
      }),
    }));
    for (const { position } of all) if (position.path === undefined) taken.add(position.index);
    if (all.length > 0) found[parameter] = [...(found[parameter] ?? []), ...all];
  }
  if (!ownNames) return found;
  for (const [parameter, all] of Object.entries(ownValues(names)) as [
    ParameterName,
    ValueColumn[],
  ][]) {
    const more = all.filter(({ position }) => !taken.has(position.index));
    if (more.length > 0) found[parameter] = [...(found[parameter] ?? []), ...more];
  }
  return found;
}

/** The columns beside a value that a row has. */
const verdictsIn = (
  names: Names,
  verdicts: JudgedColumn['only'] = {},
  isRefused?: true,
): Verdict[] =>
  Object.entries(verdicts).flatMap(([field, values]) => {
    const position = positionOf(names, field);
    return position === undefined
      ? []
      : { position, values: new Set(values), ...(isRefused && { isRefused }) };
  });

function parameterOf(key: string, ours: string, invalid: Invalid): OwnName {
  const own = ownName(ours, PARAMETERS_ALONE);
  if (own !== undefined) return own;
  const known = [...SLOTS, 'a parameter', RAIN_TOTAL.name].join(', ');
  throw invalid([key, ours], `expected one of ${known}, perhaps with a unit`);
}

/** No names but ours. */
const PARAMETERS_ALONE = {};

/** Finds our parameter for a name in a row of one parameter. */
function parameterFinder(
  { parameters }: Entry,
  invalid: Invalid,
): NonNullable<Format['parameter']> {
  const exact = new Map<string, Parameter>();
  const ends: [end: string, parameter: Parameter][] = [];
  for (const [ours, theirs] of Object.entries(parameters)) {
    const { parameter, unit, isTotal } = parameterOf('parameters', ours, invalid);
    const known = { parameter, unit, isTotal };
    for (const one of lowerCase([theirs].flat()))
      if (one.startsWith('*')) ends.push([withoutBlanks(one.slice(1)), known]);
      else exact.set(one, known);
  }
  return (theirs) => {
    const key = theirs.toLowerCase();
    const found = exact.get(key);
    if (found !== undefined || ends.length === 0) return found;
    const bare = withoutBlanks(key);
    return ends.find(([end]) => bare.endsWith(end))?.[1];
  };
}

const withoutBlanks = (text: string) => text.replaceAll(' ', '');
