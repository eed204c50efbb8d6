/**
 * The columns of a table or the fields of an object tell about their times: an offset in the
 * name of the time, and whether the time is the end of an interval.
 */
import type { Names, Row } from '../../../ingest/rows/row.ts';
import { type Position, positionOf } from '../rows/cells.ts';
import type { Slot } from './mapped.ts';

export type TimeColumn = {
  /** As the source names it; of several that are joined, with plus signs. */
  name: string;
  /** The offset that its name says, as `+01:00`; undefined: none. */
  offset: string | undefined;
  /** A clause that says why its times are the ends of intervals; undefined: nothing says so. */
  end: string | undefined;
  /** In a result of InfluxDB, the end of the time range that was asked for, or of the window. */
  stop: Position | undefined;
};

/** `measured`: the columns of a table that have values. */
export function timeColumnOf(
  row: Row,
  { positions, isJoined }: Slot,
  measured: readonly number[] = [],
): TimeColumn {
  const used = isJoined ? positions : positions.slice(0, 1);
  const names = used.map((position) => nameOf(row, position));
  const name = names.join('+');
  return {
    name,
    offset: names.map(offsetInName).find((offset) => offset !== undefined),
    end: names.some(namesEnd)
      ? `the name of ${name} says that it is the end of each interval`
      : endByProcessing(row.names, measured),
    stop: name === '_time' ? positionOf(row.names, '_stop') : undefined,
  };
}

function nameOf({ names, payload }: Row, { index, path, isInPayload }: Position): string {
  const own = (isInPayload ? payload?.names : names)?.list[index] ?? '';
  return path === undefined ? own : `${own}.${path}`;
}

/** `GMT+01:00`, `UTC-7`, `utc`; not the inverse `Etc/GMT-1`. */
const OF_UTC =
  /(?:^|[^a-z/]|date|time)(?:utc|gmt)(?:(?=date|time)|(?![a-z]) ?(?:([-+\u2212\u2013]) ?(\d\d?)(?::?([0-5]\d))?(?!\d))?)/i;
/** `(+01:00)`. */
const BARE = /(?:^|[^\d:])([-+\u2212\u2013])(\d\d):([0-5]\d)(?!\d)/;

/** The offset in the name of a column, as `+01:00`; undefined: it has none. */
export function offsetInName(name: string): string | undefined {
  const found = OF_UTC.exec(name) ?? BARE.exec(name);
  if (found === null) return undefined;
  const [, sign = '+', hours = '0', minutes = '00'] = found;
  if (Number(hours) > LARGEST_OFFSET) return undefined;
  return `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`;
}

/** The offset of Kiribati, in hours. */
const LARGEST_OFFSET = 14;

/** Words for an end in English, German, French, Italian, Spanish, Dutch and Swedish. */
const ENDS = new Set(
  'end ends ended ending stop until till to bis ende fin fine hasta einde slut'.split(' '),
);

/** True for `time_end`, `Hour ending`, `endtime`, `Enddatum`, `bis`, `date_fin`, `_stop`. */
const namesEnd = (name: string): boolean =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/date|time|zeit|datum|hour/g, ' ')
    .split(/[^a-z]+/)
    .some((word) => ENDS.has(word));

/** `Smp` is the value at the time of the record. Everything else was computed until then. */
function endByProcessing(names: Names, measured: readonly number[]): string | undefined {
  const at = measured.find((index) => (names.processing?.[index] ?? 'Smp') !== 'Smp');
  return at === undefined
    ? undefined
    : `the row of processing says ${names.processing?.[at]} of ${names.list[at]}, and Campbell's loggers write a record when its interval is over`;
}
