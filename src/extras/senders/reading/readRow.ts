/** Reads a row by its plan: whose it is, its values, and its time as it is written. */
import type { ReadingColumn } from '../../../contract/parameters.ts';
import { readNumber } from '../../../ingest/numbers.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import { NESTED, type ReadingInput, unreadable } from '../../../ingest/reading/reading.ts';
import type { Row, Unreadable } from '../../../ingest/rows/row.ts';
import { textAt } from '../formats/format.ts';
import { cellAt, isGiven } from '../rows/cells.ts';
import { ownerOf } from './declarations.ts';
import type { Slot } from './mapped.ts';
import { nestedRows } from './nestedRows.ts';
import type { Plan } from './plan.ts';
import { type NamedValue, readValues } from './values.ts';

/**
 * The reading of a row. `named`: its values whose parameters it names. Undefined: the row names
 * only unknown parameters, and has no other value. Throws InputError as ownerOf does.
 */
export function readRow(
  row: Row,
  plan: Plan,
  named: readonly NamedValue[],
  declared: Declarations,
): ReadingInput | undefined {
  const device = scalar(readSlot(row, plan.device));
  if (typeof device === 'number' && Math.abs(device) > Number.MAX_SAFE_INTEGER)
    return unreadable(row.text, row.line, ROUNDED);
  const owner = ownerOf(declared, sensorOf(row, plan), device);
  const values = readValues(row, plan);
  for (const { column, value } of named) if (column !== undefined) values[column] = value;
  if (hasNoValue(values)) {
    if (plan.isMixed || (named.length > 0 && plan.isLong)) return undefined;
    const isOfNobody = owner.sensor === undefined && owner.device === undefined;
    // messages of other formats have lists beside their values
    const nested = isOfNobody || plan.isOwn ? nestedRows(row, plan, declared) : undefined;
    if (nested !== undefined) return unreadable(row.text, row.line, nested);
  }
  const stamp = readSlot(row, plan.time);
  const time = stamp === NOW ? undefined : stamp;
  const reading: ReadingInput = {
    sensorId: owner.sensor,
    measuredAt: typeof time === 'object' ? NESTED : (time ?? declared.now?.toISOString()),
    values,
    text: row.text,
    line: row.line,
  };
  if (owner.device !== undefined) reading.device = String(owner.device);
  if (time === undefined && declared.now !== undefined) reading.hasArrivalTime = true;
  if (plan.table !== undefined) reading.columns = plan.table;
  if (plan.corrected !== undefined && isGiven(cellAt(row, plan.corrected)))
    reading.isCorrected = true;
  return reading;
}

const ROUNDED =
  'its device is a number above 2^53, whose last digits JSON does not keep: send it in quotes';

/** The senders of Weather Underground's protocol say so that they have no clock. */
const NOW = 'now';

/** As many as `--shift` takes. */
const MOST_MINUTES = 2_880;

/**
 * The length of the interval that ends at the time of a row, in microseconds; 0: its rows have none;
 * undefined: the row does not say it, or says no number of minutes.
 */
export function intervalAt(row: Row, { interval }: Plan): number | undefined {
  if (interval === undefined) return 0;
  const minutes = readNumber(cellAt(row, interval));
  return typeof minutes === 'number' && minutes > 0 && minutes <= MOST_MINUTES
    ? Math.round(minutes * 60_000_000)
    : undefined;
}

export const NO_INTERVAL =
  'its time is the end of an interval, whose minutes are not a number from 1 to 2880';

/** A row that cannot be used, whose sensor may be known all the same. */
export const refusedRow = (
  { text, line, why }: Pick<Row, 'text' | 'line'> & Partial<Pick<Unreadable, 'why'>>,
  declared: Declarations,
  sensor?: unknown,
): ReadingInput => ({
  ...unreadable(text, line, why),
  sensorId: ownerOf(declared, sensor, undefined).sensor,
});

export function sensorOf(row: Row, { sensor }: Plan): unknown {
  const given = scalar(readSlot(row, sensor));
  return typeof given === 'string' && given.endsWith('.0') ? withoutFraction(given) : given;
}

/** Pandas makes floats of a column of whole numbers in which one is missing: sensor `11.0`. */
const withoutFraction = (id: string): string => id.replace(/^(\d+)\.0$/, '$1');

function readSlot(row: Row, slot: Slot): unknown {
  const cell = textIn(row, slot);
  return cell === undefined && slot.otherwise !== undefined ? readSlot(row, slot.otherwise) : cell;
}

function textIn(row: Row, { positions, isJoined }: Slot): unknown {
  if (!isJoined) return textAt(row, positions);
  const parts = positions.map((position) => textAt(row, [position]));
  return parts.some((part) => part === undefined) ? undefined : parts.map(String).join(' ');
}

/** Objects and lists cannot name a sensor or a device. */
const scalar = (given: unknown): unknown => (typeof given === 'object' ? undefined : given);

function hasNoValue(values: ReadingInput['values']): boolean {
  for (const name in values) if (values[name as ReadingColumn] !== NESTED) return false;
  return true;
}
