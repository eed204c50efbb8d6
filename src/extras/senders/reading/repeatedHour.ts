/**
 * Tells the two passes of an hour that the clocks go through twice (Z1, S7), by the order of each
 * sensor's lines: oldest first or newest first, as when they came into that hour. The other pass
 * begins where the stamps turn back, or where a parameter is given once more for the same stamp
 * than it was for the stamp before that hour: rows of one parameter each, and lines that stand
 * twice, do not turn the clock back.
 */
import { readNumber } from '../../../ingest/numbers.ts';
import { readInstant } from '../../../ingest/reading/instants.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';

type Values = ReadingInput['values'];

/** The lines of a sensor as far as they were read. */
type Progress = {
  stamp: string;
  /** The other stamp before it; empty at first. */
  previous: string;
  /** The values of the lines with `stamp`. */
  rows: Values[];
  /** Undefined: the sensor's lines are in no such hour, or began in it. */
  twice: Twice | undefined;
};

type Twice = {
  isDescending: boolean;
  /** Its stamps are about an hour apart, as far as the first in this hour tells. */
  isHourly: boolean;
  /** The values of the lines with the stamp before the hour. */
  usual: readonly Values[];
  /** How the second of the two passes began in the file; undefined: it has not begun. */
  turn: 'backwards' | { stamp: string } | undefined;
};

/** Lines of one stamp that are compared: one for each parameter, twice and more. */
const MOST_ROWS = 100;

/**
 * From this step on a sensor has one stamp an hour, of a clock that may drift: in microseconds. In
 * 3,000 invented nights, drifting hours were read wrongly in 1 % with a whole hour, in none with this.
 */
const HOURLY_STEP_US = 2_700_000_000;
const HOUR_LENGTH = '2026-11-20 12'.length;

const isSameHour = (one: string, other: string): boolean =>
  one.slice(0, HOUR_LENGTH) === other.slice(0, HOUR_LENGTH);

/**
 * Call `pass` or `outside` for each line, in the order of the file. `onUndecided` gets a sensor's
 * stamp whose pass the order does not tell, and undefined for a stamp whose pass later lines tell.
 */
export function makePassFinder(
  onUndecided: (sensor: string, hour: string, stamp: string | undefined) => void,
) {
  const all = new Map<string, Progress>();

  /** Notes a line whose hour occurs once. */
  const outside = (stamp: string, sensor: string, values: Values): void => {
    const progress = advance(all, stamp, sensor, values);
    progress.twice = undefined;
  };

  /**
   * True if a line is of the second pass of its hour; undefined: nothing tells, because the lines of
   * its sensor began in this hour.
   */
  const isSecond = (stamp: string, sensor: string, values: Values): boolean | undefined => {
    const before = all.get(sensor);
    const undecided = (one?: string) => onUndecided(sensor, stamp.slice(0, HOUR_LENGTH), one);
    if (before !== undefined && !isSameHour(before.stamp, stamp)) {
      before.twice = entered(before, stamp);
      // of one hour alone, newest first, either pass may be missing
      if (before.twice?.isDescending && before.twice.isHourly) undecided(stamp);
    }
    const { twice } = before ?? {};
    if (before === undefined || twice === undefined) {
      advance(all, stamp, sensor, values);
      return undefined;
    }
    const { isDescending, isHourly, usual, turn } = twice;
    let isTurned = turn !== undefined;
    if (stamp !== before.stamp && stamp < before.stamp === isDescending) {
      // some seconds later, or an hour and some seconds
      if (isHourly && turn === undefined && isSameHour(before.stamp, stamp)) undecided(stamp);
    } else if (stamp !== before.stamp) {
      twice.turn = 'backwards';
      isTurned = true;
      undecided(turn === undefined ? undefined : stamp);
    } else if (turn !== 'backwards') {
      const times = sharing(before.rows, values);
      const expected = Math.max(1, sharing(usual, values));
      const isMore = times >= expected;
      if (turn?.stamp === stamp) isTurned = isMore;
      if (isMore && !areHourly(before.previous, stamp)) undecided(stamp);
      else if (isMore && turn === undefined) {
        twice.turn = { stamp };
        isTurned = true;
        undecided();
      } else if (times >= 2 * expected) undecided(stamp);
    }
    advance(all, stamp, sensor, values);
    return isTurned !== isDescending;
  };

  return { outside, isSecond };
}

/**
 * A line that steps back from one that stepped forward begins another part of its file, so nothing
 * tells the direction.
 */
function entered({ stamp, previous, rows }: Progress, next: string): Twice | undefined {
  const isDescending = next < stamp;
  return isDescending && previous !== '' && previous < stamp
    ? undefined
    : { isDescending, isHourly: areHourly(stamp, next), usual: [...rows], turn: undefined };
}

function advance(
  all: Map<string, Progress>,
  stamp: string,
  sensor: string,
  values: Values,
): Progress {
  const progress = all.get(sensor);
  if (progress === undefined) {
    const first = { stamp, previous: '', rows: [values], twice: undefined };
    all.set(sensor, first);
    return first;
  }
  if (stamp !== progress.stamp) {
    progress.previous = progress.stamp;
    progress.stamp = stamp;
    progress.rows.length = 0;
  }
  if (progress.rows.length < MOST_ROWS) progress.rows.push(values);
  return progress;
}

/** False where several stamps fit into an hour: then an equal one may be a line that stands twice. */
function areHourly(one: string, other: string): boolean {
  const [a, b] = [one, other].map((stamp) => readInstant(stamp)?.microseconds);
  return a === undefined || b === undefined || Math.abs(a - b) >= HOURLY_STEP_US;
}

/** How many rows give one of the parameters that `values` gives; a row without any counts as all. */
function sharing(rows: readonly Values[], values: Values): number {
  const names = given(values);
  if (names.length === 0) return rows.length;
  return rows.filter((row) => {
    const own = given(row);
    return own.length === 0 || own.some((name) => names.includes(name));
  }).length;
}

const given = (values: Values): string[] =>
  Object.entries(values).flatMap(([name, value]) => (readNumber(value) === null ? [] : [name]));
