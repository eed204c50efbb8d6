/**
 * Randomness without state: a number in a stream is a hash of (seed, stream, counter), so any instant can be made alone and comes
 * out the same whenever it is made. That is what lets the feed go on exactly where the history ended.
 */

/** Evenly spread in [0, 1). */
export function chance(seed: number, stream: number, counter: number): number {
  let h = seed ^ Math.imul(stream, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad) ^ Math.imul(counter, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** A number around 0, within −1 … 1, near 0 more often than far from it. */
export function jitter(seed: number, stream: number, counter: number): number {
  return chance(seed, stream, counter) + chance(seed, stream + 7_919, counter) - 1;
}

/** Evenly spread knots in −1 … 1, one each `period` milliseconds, joined without a kink: something that persists and drifts. */
export function drift(seed: number, stream: number, at: number, period: number): number {
  const place = at / period;
  const knot = Math.floor(place);
  const part = place - knot;
  const before = chance(seed, stream, knot);
  const after = chance(seed, stream, knot + 1);
  return 2 * (before + (after - before) * part * part * (3 - 2 * part)) - 1;
}
