/** What came of an import, for the command to print. accepted + unchanged + quarantined = received. */
import type { Accepted } from './accept.ts';
import type { ReadingReason, ValueReason } from './reasons.ts';

export type Summary = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Whole readings, by reason. */
  quarantined: Partial<Record<ReadingReason, number>>;
  /** Single values left out of readings, by reason and metric. */
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
