/**
 * A PostgreSQL array literal of plain words and numbers, to be sent as text and cast: many times faster than the driver's own arrays.
 * Empty is `{}`; among the arguments of `unnest` a short one is padded with nulls.
 */
export function arrayLiteral(items: readonly (number | string)[]): string {
  return `{${items.join(',')}}`;
}
