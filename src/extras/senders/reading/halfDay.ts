/**
 * Stamps that lack the half of the day (S7): no hour is above 12 or below 1, and the clock turns
 * back, or times occur twice.
 */
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { dateOf, hasTimeOfDay, hourOf } from './stampParts.ts';
import type { TimeColumn } from './timeColumn.ts';
import type { ReadTime } from './times.ts';

/** The stamp before, its column, and whether it was less than the one before. */
type Before = { stamp: string; column: TimeColumn; isFalling: boolean };

export function makeHalfDay() {
  const bySensor = new Map<unknown, Before>();
  let has12 = false;
  /** True if a stamp without an offset has an hour that a clock of 12 hours lacks. */
  let has24Hours = false;
  /** Two consecutive stamps of a sensor that a clock of 24 hours cannot produce. */
  let turn: readonly [before: string, after: string] | undefined;
  return {
    /**
     * A day of 12:00, 1:00 … 12:00, 1:00 … turns back behind twelve, or forward in a file whose
     * newest stamp comes first. Another table begins again.
     */
    see(column: TimeColumn, { stamp, exact }: ReadTime, sensor: unknown): void {
      if (has24Hours || exact === undefined || exact === stamp || !hasTimeOfDay(stamp)) return;
      const hour = hourOf(stamp);
      has24Hours = hour === 0 || hour > 12;
      if (has24Hours) {
        bySensor.clear();
        return;
      }
      has12 ||= hour === 12;
      const before = bySensor.get(sensor);
      if (before?.column !== column) {
        bySensor.set(sensor, { stamp, column, isFalling: false });
        return;
      }
      const [from, to] = before.isFalling ? [1, 12] : [12, 1];
      const turns =
        hour === to && hourOf(before.stamp) === from && dateOf(before.stamp) === dateOf(stamp);
      if (turns) turn ??= [before.stamp, stamp];
      else before.isFalling = stamp < before.stamp;
      before.stamp = stamp;
    },
    doubts: (say: Vocabulary): Doubt[] =>
      has24Hours || turn === undefined ? [] : [halvesOf(`${turn[1]} follows ${turn[0]}`, say)],
    /** The doubt that counts where the same times occur twice, with other values. */
    ofContradictions: (say: Vocabulary): Doubt[] =>
      has24Hours || turn !== undefined || !has12
        ? []
        : [halvesOf('the same times occur twice', say)],
  };
}

const halvesOf = (evidence: string, say: Vocabulary): Doubt => ({
  what: `no time is after 12 o'clock, and ${evidence}: a clock of twelve hours without AM or PM`,
  remedy: `Join the column that says which half of the day it is, as in ${say.option('column', 'time=Date+Time+AM/PM')}, or write times of 24 hours.`,
});
