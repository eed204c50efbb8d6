/** Values on their way to the server and back: whole columns as arrays, and timestamps. */

const ITEM = /^[^\s,{}"\\]+$/;

/**
 * A PostgreSQL array literal, to be sent as text and cast; many times faster than the driver's own
 * arrays. For numbers and for words without spaces, commas, braces, quotes or backslashes; `NULL`
 * is null. Throws on any other item. Without items it is `{}`, which `unnest` of several arrays
 * pads with nulls.
 */
export function arrayLiteral(items: readonly (number | string)[]): string {
  for (const item of items) {
    if (typeof item === 'string' && item !== 'NULL' && !ITEM.test(item)) {
      throw new TypeError(`an array literal cannot contain ${JSON.stringify(item)}`);
    }
  }
  return `{${items.join(',')}}`;
}

/**
 * `$1::text::int[], $2::text::real[], …`: parameters of these types, cast from text because the
 * driver sends text unchanged.
 */
export function textParameters(types: readonly string[]): string {
  return types.map((type, index) => `$${index + 1}::text::${type}`).join(', ');
}

/**
 * The types that the driver is given in place of its own: arrays of int and text without escapes,
 * and timestamps as ISO 8601 text. Named explicitly because the driver would otherwise fetch all
 * array types on every new connection, where an error cannot be caught.
 */
export const DRIVER_TYPES = {
  int4s: {
    to: 1007,
    from: [1007],
    serialize: String,
    parse: (text: string) => itemsOf(text).map(Number),
  },
  texts: { to: 1009, from: [1009], serialize: String, parse: itemsOf },
  timestamptz: { to: 1184, from: [1184], serialize: toTimestamp, parse: toIso },
};

function itemsOf(array: string): string[] {
  return array === '{}' ? [] : array.slice(1, -1).split(',');
}

function toTimestamp(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value;
}

/**
 * `2026-11-20 13:00:00.25+04`, as PostgreSQL writes it, becomes `2026-11-20T13:00:00+04:00`;
 * `infinity` stays as it is.
 */
function toIso(text: string): string {
  const parts = /^(\S+) (\d\d:\d\d:\d\d)(?:\.\d+)?([+-]\d\d)(:\d\d)?/.exec(text);
  return parts === null ? text : `${parts[1]}T${parts[2]}${parts[3]}${parts[4] ?? ':00'}`;
}
