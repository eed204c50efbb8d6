/**
 * Stamps that name the end of an interval: a mean must carry its start (S3). Some sources are known
 * to write them, some columns say so, and some clocks show it (S7).
 */

import { OWN_FORMAT } from '../../../ingest/formats.ts';
import { type Doubt, ENOUGH } from '../../../ingest/reading/doubt.ts';
import { COMMAND_LINE, type Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { cellAt } from '../rows/cells.ts';
import type { Clock } from './clock.ts';
import type { SourceNotes } from './notes.ts';
import type { TimeColumn } from './timeColumn.ts';

/** Notes what a row says about the interval that its time belongs to. */
export function noteInterval(
  clock: Clock,
  { end, stop }: TimeColumn,
  row: Row,
  time: unknown,
): void {
  clock.end ??= end;
  if (stop === undefined) return;
  const { windows } = clock;
  windows.rows += 1;
  if (time === cellAt(row, stop)) windows.atStop += 1;
  if (typeof time === 'string' && FULL_HOUR.test(time)) windows.ofHours += 1;
}

const FULL_HOUR = /^\d{4}-\d\d-\d\dT\d\d:00:00(?:\.0{1,9})?Z$/;

/** One doubt, whatever number of reasons there is. */
export function endDoubts(
  notes: Pick<SourceNotes, 'namesEnd' | 'clock' | 'format' | 'rows'>,
  say: Vocabulary,
): Doubt[] {
  const { namesEnd, clock } = notes;
  if (clock.shift !== undefined) return [];
  const remedy = `Write ${say.option('shift', '-1h')} for means of an hour, ${say.option('shift', '-10min')} for means of ten minutes, or ${say.option('shift', '0min')} for readings of an instant.`;
  if (namesEnd)
    return [
      {
        what: 'its stamps name the end of each interval, and no column says how long that is',
        remedy,
      },
    ];
  const what = clock.end ?? endOfWindows(clock) ?? endOfDay(notes);
  if (what !== undefined) return [{ what, remedy }];
  const wholeDays = endOfWholeDays(notes);
  if (wholeDays === undefined) return [];
  // the last days that a feed or a push has begin at any hour
  return [{ what: wholeDays, remedy, ...(say !== COMMAND_LINE && { stops: 'never' }) }];
}

/**
 * aggregateWindow() of InfluxDB copies `_stop` to `_time` (its `timeSrc`), and then widens `_stop`
 * to the end of the whole range, which no reading of an instant reaches.
 */
function endOfWindows({ windows: { rows, atStop, ofHours } }: Clock): string | undefined {
  if (atStop > 0) return '_time is _stop, the end of a window of InfluxDB';
  return rows >= ENOUGH && ofHours === rows
    ? '_time is on the full hour in every row, as aggregateWindow() of InfluxDB writes the end of each window'
    : undefined;
}

/** A clock that shows the start of each interval has 00:00, and never 24:00. */
const endOfDay = ({ clock, rows }: Pick<SourceNotes, 'clock' | 'rows'>): string | undefined =>
  clock.hasHour24 && !clock.hasMidnight && rows >= ENOUGH
    ? 'its times have 24:00 and never 00:00, so they name the end of each interval'
    : undefined;

/** More than a day: a single one may begin and end so by chance. */
const LEAST_HOURS = 47;
const HOUR_MS = 3_600_000;
const ALL_HOURS = 2 ** 24 - 1;

/**
 * Hours of whole days, of which the first is 01:00 and the last 00:00. Other formats say themselves
 * what their stamps are.
 */
function endOfWholeDays({
  clock: { hours },
  format,
}: Pick<SourceNotes, 'clock' | 'format'>): string | undefined {
  if (hours === undefined || format !== OWN_FORMAT || hours.ofDay !== ALL_HOURS) return undefined;
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
