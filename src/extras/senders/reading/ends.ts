/**
 * Stamps that name the end of an interval: a mean must carry its start (S3). Some sources are known
 * to write them, some columns say so, and some clocks show it (S7).
 */
import { OWN_FORMAT } from '../../../ingest/formats.ts';
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import { COMMAND_LINE, type Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Format } from '../formats/format.ts';
import { ENOUGH } from '../numbers.ts';
import { cellAt } from '../rows/cells.ts';
import type { SourceFacts } from './facts.ts';
import type { Plan } from './plan.ts';
import type { SeenRow } from './seenRow.ts';
import { hasTimeOfDay, hourOf, minuteOf, secondOf } from './stampParts.ts';
import type { TimeColumn } from './timeColumn.ts';
import type { ReadTime } from './times.ts';

/** The hours of stamps without an offset. */
type Hours = { first: string; last: string; ofDay: number };

export function makeEnds() {
  /** True if the format's stamps name the end, and no column says the length of the interval. */
  let namesEnd = false;
  /** Why stamps are ends, where the columns say so. */
  let end: string | undefined;
  /** Rows of a result of InfluxDB. */
  const windows = { rows: 0, atStop: 0, ofHours: 0 };
  let hasHour24 = false;
  /** True if 00:00 is written so. */
  let hasMidnight = false;
  /** Undefined: a stamp lies elsewhere than on a full hour. */
  let hours: Hours | undefined = { first: '', last: '', ofDay: 0 };

  const seeStamp = ({ stamp, exact, isOf24 }: ReadTime) => {
    if (!hasMidnight && !isOf24 && hasTimeOfDay(stamp))
      hasMidnight = hourOf(stamp) === 0 && minuteOf(stamp) === 0;
    if (hours !== undefined && exact !== undefined && exact !== stamp && hasTimeOfDay(stamp))
      hours = withStamp(hours, stamp);
  };
  return {
    /** Looks at the header of a table. */
    seeHeader(format: Format, { interval }: Plan): void {
      namesEnd = format.namesEnd === true && interval === undefined;
    },
    see({ row, plan, given, time }: SeenRow, column: TimeColumn): void {
      end ??= column.end;
      if (column.stop !== undefined) {
        windows.rows += 1;
        if (given === cellAt(row, column.stop)) windows.atStop += 1;
        if (typeof given === 'string' && FULL_HOUR.test(given)) windows.ofHours += 1;
      }
      if (time === undefined) return;
      hasHour24 ||= time.isOf24 && hourOf(time.stamp) === 0;
      if (plan.interval === undefined) seeStamp(time);
    },
    /** At most one doubt, however many reasons. */
    doubts(say: Vocabulary, { format, rows, shift }: SourceFacts): Doubt[] {
      if (shift !== undefined) return [];
      const remedy = `Write ${say.option('shift', '-1h')} for means of an hour, ${say.option('shift', '-10min')} for means of ten minutes, or ${say.option('shift', '0min')} for readings of an instant.`;
      const ofClock = hasHour24 && !hasMidnight && rows >= ENOUGH ? ONLY_24 : undefined;
      const what = namesEnd ? NAMED : (end ?? endOfWindows(windows) ?? ofClock);
      if (what !== undefined) return [{ what, remedy }];
      const wholeDays = format === OWN_FORMAT && hours ? endOfWholeDays(hours) : undefined;
      if (wholeDays === undefined) return [];
      // the last days that a feed or a push has begin at any hour
      return [{ what: wholeDays, remedy, ...(say !== COMMAND_LINE && { stops: 'never' }) }];
    },
  };
}

const FULL_HOUR = /^\d{4}-\d\d-\d\dT\d\d:00:00(?:\.0{1,9})?Z$/;

const NAMED = 'its stamps name the end of each interval, and no column says how long that is';

/** A clock that shows the start of each interval has 00:00, and never 24:00. */
const ONLY_24 = 'its times have 24:00 and never 00:00, so they name the end of each interval';

/**
 * aggregateWindow() of InfluxDB copies `_stop` to `_time` (its `timeSrc`), and then widens `_stop`
 * to the end of the whole range, which no reading of an instant reaches.
 */
function endOfWindows({ rows, atStop, ofHours }: Record<'rows' | 'atStop' | 'ofHours', number>) {
  if (atStop > 0) return '_time is _stop, the end of a window of InfluxDB';
  return rows >= ENOUGH && ofHours === rows
    ? '_time is on the full hour in every row, as aggregateWindow() of InfluxDB writes the end of each window'
    : undefined;
}

/** Undefined: the stamp is on no full hour. */
function withStamp({ first, last, ofDay }: Hours, stamp: string): Hours | undefined {
  if (minuteOf(stamp) !== 0 || secondOf(stamp) !== 0) return undefined;
  return {
    first: first === '' || stamp < first ? stamp : first,
    last: stamp > last ? stamp : last,
    ofDay: ofDay | (1 << hourOf(stamp)),
  };
}

/** More than a day: a single one may begin and end so by chance. */
const LEAST_HOURS = 47;
const HOUR_MS = 3_600_000;
const ALL_HOURS = 2 ** 24 - 1;

/** Hours of whole days, from 01:00 to 00:00. Other formats say themselves what their stamps are. */
function endOfWholeDays(hours: Hours): string | undefined {
  if (hours.ofDay !== ALL_HOURS) return undefined;
  const [first, last] = [hours.first, hours.last].map((stamp) => stamp.slice(0, 13)) as [
    string,
    string,
  ];
  const [from, to] = [first, last].map((hour) => Date.parse(`${hour.replace(' ', 'T')}:00Z`)) as [
    number,
    number,
  ];
  return first.endsWith('01') && last.endsWith('00') && to - from >= LEAST_HOURS * HOUR_MS
    ? `its hours begin at ${first}:00 and end at ${last}:00, as hours of whole days do that are named by their end`
    : undefined;
}
