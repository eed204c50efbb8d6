/** Says how to take out the rows of a document that is no reading itself. */
import { isObject } from '../rows/json.ts';
import type { Row } from '../rows/row.ts';
import type { Declarations } from './declarations.ts';
import { COMMAND_LINE, type Vocabulary } from './vocabulary.ts';

/**
 * The document has a list of objects in a field, else objects whose keys are times. Undefined: it
 * has neither.
 */
export function nestedRows(
  { names, cells }: Row,
  { say = COMMAND_LINE }: Declarations,
): string | undefined {
  if (names.isTable) return undefined;
  let keyed: string | undefined;
  for (const [at, cell] of cells.entries()) {
    const field = names.list[at] as string;
    const [one] = isObject(cell) || Array.isArray(cell) ? Object.values(cell) : [];
    if (!isObject(one)) continue;
    if (Array.isArray(cell)) return `its rows lie in "${field}": ${takeOut(field)}`;
    if (STARTS_WITH_DATE.test(Object.keys(one)[0] ?? '')) keyed ??= field;
  }
  if (keyed === undefined) return undefined;
  return `its values lie under stations and times in "${keyed}": ${makeRows(keyed, say)}`;
}

const takeOut = (list: string) =>
  `send them by themselves, as jq -c '.${list}[]' takes them out (of GeoJSON: '.${list}[].properties')`;

const STARTS_WITH_DATE = /^\d{4}-\d\d-\d\d/;

const makeRows = (field: string, say: Vocabulary) =>
  `make a row of each, as jq -c '.${field} | to_entries[] | .key as $id | .value | to_entries[] | {device: $id, time: .key, value: .value[2]}' does of UBA's, and add ${say.option('column', 'pm10=value')} and ${say.option('zone', '+01:00')}`;
