/**
 * The axes that the simulation varies. A fault in refreshing aggregates tends to need two of these
 * together (a deletion that ends on a local midnight, a correction in the hour that occurs twice),
 * so the run asserts that every pair has occurred.
 */

/**
 * Asunción's clocks skip a midnight, even the one that begins a month; the hours of the last three
 * begin at other minutes than UTC's.
 */
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

/** Changes of the network. */
export const NETWORK_EVENTS = [
  'suspect',
  'flag',
  'flag particles',
  'move',
  'regroup',
  'hide',
  'retire',
  'formula',
] as const;

/** The kind of step. An upgrade takes seconds, so it happens beside some, as compression does. */
export const EVENTS = [
  'insert',
  'late',
  'correct',
  'repeat',
  'delete',
  ...NETWORK_EVENTS,
  'retain',
  'tamper',
  'clock',
  'screen',
  'rules',
] as const;

/** The moment of the step, relative to an anchor day. */
export const MOMENTS = [
  'midnight',
  'month',
  'hour',
  'within',
  'before',
  'transition',
  'leap',
] as const;

/** The kind of values. */
export const VALUES = ['plain', 'sparse', 'zero', 'negative', 'high', 'wind'] as const;

/** How the rows of a statement are spread. */
export const STATEMENTS = ['one', 'run', 'gap', 'edge', 'scattered'] as const;

export type Axes = {
  event: (typeof EVENTS)[number];
  moment: (typeof MOMENTS)[number];
  value: (typeof VALUES)[number];
  statement: (typeof STATEMENTS)[number];
};

/** All pairs of values of two different axes, as `axis=value axis=value`. */
export function allPairs(): Set<string> {
  const axes = {
    event: EVENTS,
    moment: MOMENTS,
    value: VALUES,
    statement: STATEMENTS,
    zone: ZONES,
  };
  const pairs = new Set<string>();
  for (const [a, left] of Object.entries(axes)) {
    for (const [b, right] of Object.entries(axes)) {
      if (a < b) for (const x of left) for (const y of right) pairs.add(`${a}=${x} ${b}=${y}`);
    }
  }
  return pairs;
}

/** The pairs that occur in one step. */
export function pairsOf(step: Axes, zone: string): string[] {
  const named = Object.entries({ ...step, zone });
  return named.flatMap(([a, x]) =>
    named.filter(([b]) => a < b).map(([b, y]) => `${a}=${x} ${b}=${y}`),
  );
}
