/**
 * Stateless randomness: a number in a stream is a hash of (seed, stream, counter), so any instant can be computed on its own and is always
 * the same. This lets the feed continue exactly where the history ended.
 */

/** Uniform in [0, 1). */
export function chance(seed: number, stream: number, counter: number): number {
  let h = seed ^ Math.imul(stream, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad) ^ Math.imul(counter, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** Triangular around 0, within −1 … 1. */
export function jitter(seed: number, stream: number, counter: number): number {
  return chance(seed, stream, counter) + chance(seed, stream + 7_919, counter) - 1;
}

/** Value noise: uniform knots in −1 … 1, one per `period` milliseconds, joined smoothly. `at`: ms since 1970. */
export function drift(seed: number, stream: number, at: number, period: number): number {
  const position = at / period;
  const knot = Math.floor(position);
  const part = position - knot;
  const before = chance(seed, stream, knot);
  const after = chance(seed, stream, knot + 1);
  return 2 * (before + (after - before) * part * part * (3 - 2 * part)) - 1;
}
