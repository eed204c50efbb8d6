/**
 * The history windows (H1): the keys of every history response, in their order, and the buckets of
 * each.
 */

export type Window = {
  /** Its key in a history response. */
  readonly key: string;
  /** The unit of its buckets. */
  readonly unit: 'hour' | 'day' | 'month';
  /** Number of buckets, including those without data. */
  readonly count: number;
  /** True if the last of them is the current bucket, which is not complete. */
  readonly running: boolean;
};

export const WINDOWS = [
  { key: '24h', unit: 'hour', count: 24, running: false },
  { key: '7d', unit: 'hour', count: 168, running: false },
  { key: '30d', unit: 'day', count: 30, running: false },
  { key: '1y', unit: 'month', count: 12, running: true },
  { key: '2y', unit: 'month', count: 24, running: true },
] as const satisfies readonly Window[];
