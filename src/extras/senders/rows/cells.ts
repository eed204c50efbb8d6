/** Finds values in the cells of a row: by names, by paths of keys, and in its payload. */
import { isObject } from '../../../ingest/rows/json.ts';
import type { Names, ObjectReader, Row, Unreadable } from '../../../ingest/rows/row.ts';

/** Where a value is: in a cell of a row, or at a path within the cell. */
export type Position = {
  index: number;
  path: string | undefined;
  /** The cell is one of the row's payload. */
  isInPayload?: true;
};

/**
 * Where a field is: it is a name as a whole (`pm2.5`), in upper or lower case, or else a path of
 * keys (`sensor.id`). Undefined: rows with these names do not have it.
 */
export function positionOf({ positions, isTable }: Names, field: string): Position | undefined {
  const key = field.toLowerCase();
  const index = positions.get(key);
  if (index !== undefined) return { index, path: undefined };
  const dot = field.indexOf('.');
  const head = dot > 0 && !isTable ? positions.get(key.slice(0, dot)) : undefined;
  return head === undefined ? undefined : { index: head, path: field.slice(dot + 1) };
}

/**
 * The value at a path within a value: at each step a key as a whole, or else what stands before its
 * first dot.
 */
function within(value: unknown, path: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  const dot = path.indexOf('.');
  const key = path.slice(0, dot);
  return dot > 0 && Object.hasOwn(value, key) ? within(value[key], path.slice(dot + 1)) : undefined;
}

export function cellAt({ cells, payload }: Row, { index, path, isInPayload }: Position): unknown {
  const cell = isInPayload ? payload?.cells[index] : cells[index];
  return path === undefined ? cell : within(cell, path);
}

/** The value of a field; undefined if the row has no such field. */
export function cellOf(row: Row, field: string): unknown {
  const position = positionOf(row.names, field);
  return position === undefined ? undefined : cellAt(row, position);
}

/** The object at a path, as a row of its own in the same place; undefined if there is none. */
export function rowWithin(
  row: Row,
  field: string,
  read: ObjectReader,
): Row | Unreadable | undefined {
  const object = cellOf(row, field);
  return isObject(object) ? read(object, row.text, row.line) : undefined;
}

/** True if the row has all of these fields. */
export const has = (row: Row, ...fields: readonly string[]): boolean =>
  fields.every((field) => cellOf(row, field) !== undefined);

export const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '';
