/** Why a reading could not be used, and what became of all of a file. */
import type { ParameterName } from '../contract/parameters.ts';
import type { Accepted } from './accept.ts';

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
export type ValueReason = `${keyof typeof VALUE_REASONS}:${ParameterName}`;

export type Summary = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Whole readings, by reason. */
  quarantined: Partial<Record<ReadingReason, number>>;
  /** Single values left out of readings, by reason and parameter. */
  values: Partial<Record<ValueReason, number>>;
  /** Of the accepted: without a placement at their time, because the sensor stood nowhere or was suspicious. */
  withoutStation: number;
  /** Lines for which the quarantine had no room. */
  leftOut: number;
  ignoredColumns: string[];
  /** A source could not be read to its end; what came before is in. */
  failed: boolean;
  failures: string[];
};

export function emptySummary(): Summary {
  return {
    received: 0,
    accepted: 0,
    unchanged: 0,
    quarantined: {},
    values: {},
    withoutStation: 0,
    leftOut: 0,
    ignoredColumns: [],
    failed: false,
    failures: [],
  };
}

export function noteBatch(summary: Summary, outcome: Accepted, ignored: ReadonlySet<string>): void {
  summary.received += outcome.received;
  summary.accepted += outcome.accepted;
  summary.unchanged += outcome.unchanged;
  summary.withoutStation += outcome.withoutStation;
  summary.leftOut += outcome.leftOut;
  for (const { reason } of outcome.quarantined) summary.quarantined[reason] = (summary.quarantined[reason] ?? 0) + 1;
  for (const { reason } of outcome.values) summary.values[reason] = (summary.values[reason] ?? 0) + 1;
  const known = new Set(summary.ignoredColumns);
  summary.ignoredColumns.push(...[...ignored].filter((name) => !known.has(name)));
}
