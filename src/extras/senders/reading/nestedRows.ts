/** Says how to take out the rows of a document that is not a reading itself. */

import type { Declarations } from '../../../ingest/reading/declarations.ts';
import { COMMAND_LINE, type Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { isObject } from '../../../ingest/rows/json.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { readPushedValues } from '../formats/airrohr.ts';
import type { Plan } from './plan.ts';

type Given = Readonly<Record<string, unknown>>;
/** The document, for the shapes below. */
type Document = {
  given: Given;
  /** Keys whose values each of its rows needs, such as `sensor_id`. */
  shared: readonly string[];
  say: Vocabulary;
};

/** The first shape that a document has counts; each says where its rows are. */
const SHAPES: readonly ((document: Document) => string | undefined)[] = [
  ofAirrohr,
  ofPandas,
  listsByKey,
  listWithin,
  underTimes,
  columnsOfValues,
];

/** Undefined: the document has no shape that is known. */
export function nestedRows(
  { names, cells }: Row,
  { taken }: Pick<Plan, 'taken'>,
  { say = COMMAND_LINE }: Declarations,
): string | undefined {
  if (names.isTable || cells.every(isScalar)) return undefined;
  const given = Object.fromEntries(names.list.map((name, index) => [name, cells[index]]));
  const shared = names.list.filter((_, index) => taken.has(index) && isScalar(cells[index]));
  for (const shape of SHAPES) {
    const found = shape({ given, shared, say });
    if (found !== undefined) return found;
  }
  return undefined;
}

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
const STARTS_WITH_DATE = /^\d{4}-\d\d-\d\d/;
const isIndex = (key: string) => /^\d+$/.test(key) || STARTS_WITH_DATE.test(key);

/** A body of the firmware names its device, and no sensor as Sensor.Community's feed does. */
function ofAirrohr({ given }: Document): string | undefined {
  return readPushedValues(given) === undefined || given.sensor !== undefined
    ? undefined
    : 'it is what the airRohr firmware sends: send it to /v1/push/airrohr';
}

/** `df.to_json()` without more: values lie under names and row numbers, or the other way round. */
function ofPandas({ given }: Document): string | undefined {
  const isSplit = Array.isArray(given.columns) && Array.isArray(given.data);
  const inner = Object.values(given);
  const isTable =
    inner.length > 0 &&
    inner.every((one) => isObject(one) && Object.values(one).every(isScalar)) &&
    [Object.keys(given), inner.flatMap((one) => Object.keys(one as object))].some(
      (keys) => keys.length > 0 && keys.every(isIndex),
    );
  return isSplit || isTable ? PANDAS : undefined;
}

const PANDAS =
  "its rows are not one object each; with pandas, write it with orient='records', lines=True: df.reset_index().to_json(FILE, orient='records', lines=True)";

const isListOfObjects = (value: unknown): value is unknown[] =>
  Array.isArray(value) && isObject(value[0]);

const isListOfLists = (value: unknown): boolean => {
  const [first] = Array.isArray(value) ? value : [];
  return Array.isArray(first) && first.length > 1 && first.every(isScalar);
};

/** A list for each device. */
function listsByKey({ given }: Document): string | undefined {
  const lists = Object.entries(given);
  if (lists.length < 2 || !lists.every(([, value]) => isListOfObjects(value))) return undefined;
  const names = lists.map(([name]) => name);
  return `its rows lie in "${names.slice(0, 2).join('", "')}": ${SEND} ${jq('to_entries[] | .key as $key | .value[] + {device: $key}')} takes them out`;
}

/** Levels that are looked through for a list. */
const DEEPEST_LIST = 4;

/** The nearest list of rows, where it has one: `readings`, `data.items`. */
function listWithin({ given, shared }: Document): string | undefined {
  let level: [path: readonly string[], value: Given][] = [[[], given]];
  for (let depth = 0; depth < DEEPEST_LIST; depth += 1) {
    const next: typeof level = [];
    for (const [path, object] of level) {
      for (const [key, value] of Object.entries(object)) {
        const here = [...path, key];
        if (isListOfObjects(value)) return takeOut(here, value[0] as Given, shared);
        if (isListOfLists(value)) return nameFields(here);
        if (isObject(value)) next.push([here, value]);
      }
    }
    level = next;
  }
  return undefined;
}

const SEND = 'send them by themselves, as';
const jq = (program: string) => `jq -c '${program.replaceAll("'", String.raw`'\''`)}'`;
const pathOf = (keys: readonly string[]) =>
  keys
    .map((key, at) =>
      /^[a-z_]\w*$/i.test(key) ? `.${key}` : `${at === 0 ? '.' : ''}[${JSON.stringify(key)}]`,
    )
    .join('');

function takeOut(path: readonly string[], first: Given, shared: readonly string[]): string {
  const missing = shared.filter((key) => first[key] === undefined && /^[a-z_]\w*$/i.test(key));
  const added = missing.length === 0 ? '' : ` + {${missing.join(', ')}}`;
  const inner = first.type === 'Feature' ? '.properties' : '';
  return `its rows lie in "${path.join('.')}": ${SEND} ${jq(`${pathOf(path)}[]${inner}${added}`)} takes them out`;
}

const nameFields = (path: readonly string[]) =>
  `its rows are lists in "${path.join('.')}": name their fields, as ${jq(`${pathOf(path)}[] | {sensor_id: .[0], time: .[1], pm25: .[2]}`)} does`;

/** Values under stations and times. */
function underTimes({ given, say }: Document): string | undefined {
  const found = Object.entries(given).find(([, cell]) => {
    const [one] = isObject(cell) ? Object.values(cell) : [];
    return isObject(one) && STARTS_WITH_DATE.test(Object.keys(one)[0] ?? '');
  });
  if (found === undefined) return undefined;
  const program = `${pathOf([found[0]])} | to_entries[] | .key as $id | .value | to_entries[] | {device: $id, time: .key, value: .value[2]}`;
  return `its values lie under stations and times in "${found[0]}": make a row of each, as ${jq(program)} does of UBA's, and add ${say.option('column', 'pm10=value')} and ${say.option('zone', '+01:00')}`;
}

/** A list of values for each name, as Open-Meteo has them. */
function columnsOfValues({ given }: Document): string | undefined {
  const within = [[undefined, given] as const, ...Object.entries(given)];
  const found = within.find(([, value]) => isObject(value) && hasColumns(value));
  if (found === undefined) return undefined;
  const path = found[0] === undefined ? '' : `${pathOf([found[0]])} | `;
  const program = `${path}. as $all | range([.[] | length] | max) as $n | $all | map_values(.[$n])`;
  return `its values lie in a list for each name: make a row of each, as ${jq(program)} does`;
}

const hasColumns = (object: Given): boolean => {
  const lists = Object.values(object);
  const [first] = lists;
  return (
    lists.length > 1 &&
    Array.isArray(first) &&
    lists.every((one) => Array.isArray(one) && one.length === first.length && one.every(isScalar))
  );
};
