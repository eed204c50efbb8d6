/**
 * What the simulation varies. A fault in keeping aggregates up to date hides where two of these meet (a deletion that ends on a
 * local midnight, a correction in the hour that happens twice), so the run asserts that every pair of them was met.
 */

/** Asunción's clocks skip a midnight, even that of the first of a month; the hours of the last three begin at other minutes than UTC's. */
export const ZONES = [
  'Asia/Yerevan',
  'Europe/Berlin',
  'America/New_York',
  'UTC',
  'America/Asuncion',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Adelaide',
] as const;

/** What happens. */
export const EVENTS = [
  'insert',
  'late',
  'correct',
  'repeat',
  'delete',
  'suspect',
  'flag',
  'move',
  'regroup',
  'hide',
  'retire',
  'formula',
] as const;

/** Where in time, relative to an anchor day. */
export const PLACES = ['midnight', 'month', 'hour', 'within', 'before', 'transition', 'leap'] as const;

/** Which values. */
export const VALUES = ['plain', 'sparse', 'zero', 'negative', 'high', 'wind'] as const;

/** In what shape of statement. */
export const STATEMENTS = ['one', 'run', 'gap', 'edge', 'scattered'] as const;

export type Axes = {
  event: (typeof EVENTS)[number];
  place: (typeof PLACES)[number];
  value: (typeof VALUES)[number];
  statement: (typeof STATEMENTS)[number];
};

/** All pairs of values of two different axes, as `axis=value axis=value`. */
export function allPairs(): Set<string> {
  const axes = { event: EVENTS, place: PLACES, value: VALUES, statement: STATEMENTS, zone: ZONES };
  const pairs = new Set<string>();
  for (const [a, left] of Object.entries(axes)) {
    for (const [b, right] of Object.entries(axes)) {
      if (a < b) for (const x of left) for (const y of right) pairs.add(`${a}=${x} ${b}=${y}`);
    }
  }
  return pairs;
}

/** The pairs that one step meets. */
export function pairsOf(step: Axes, zone: string): string[] {
  const named = Object.entries({ ...step, zone });
  return named.flatMap(([a, x]) => named.filter(([b]) => a < b).map(([b, y]) => `${a}=${x} ${b}=${y}`));
}
