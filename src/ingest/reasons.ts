/** Why something could not be used (S2). The codes are stored and counted, so they stay as they are; the sentences are for people. */
import type { MetricName } from '../contract/parameters.ts';

/** Of a reading as a whole, in the order in which they are looked for. */
export const READING_REASONS = {
  unreadable_line: 'the line cannot be taken apart: wrong number of fields, invalid JSON, or too long',
  unknown_sensor: 'no sensor of the network has this number',
  unreadable_time: 'the time is not ISO 8601 with Z or an offset',
  no_value: 'no value is left in it',
  in_the_future: 'it is more than 5 minutes in the future',
  before_epoch: 'it is older than the first hour of this database (EPOCH)',
  older_than_retention: 'readings of that time are no longer kept (RAW_RETENTION)',
} as const;

/** Of one value whose reading was kept. */
export const VALUE_REASONS = {
  unreadable: 'the value is not a number',
  out_of_bounds: 'the value is outside the bounds of rule S1',
} as const;

export type ReadingReason = keyof typeof READING_REASONS;
export type ValueReason = `${keyof typeof VALUE_REASONS}:${MetricName}`;
