/**
 * Finds rows of one source that contradict each other: one sensor and time, and other values. The
 * last of them counts (S3), but where there are many, a column was mistaken (S7).
 */
import { InputError } from '../../base/inputError.ts';
import { splitCsvLine } from '../rows/csv.ts';
import type { Columns } from '../rows/row.ts';
import type { ReadingInput } from './reading.ts';

/** The rows that contradict an earlier one, as far as they are known. */
export type Contradictions = {
  /** Rows with a sensor and a time. */
  rows: number;
  contradicting: number;
  /** The first two rows that do. */
  example: string | undefined;
  /** The hours and minutes of all rows, as long as there is one only. */
  timeOfDay: string | undefined;
  hasTimesOfDay: boolean;
};

export const noContradictions = (): Contradictions => ({
  rows: 0,
  contradicting: 0,
  example: undefined,
  timeOfDay: undefined,
  hasTimesOfDay: false,
});

/**
 * Rows that are compared with each other, and characters of their texts: up to twice as many are
 * kept in memory. Before there was a bound for text, 100,000 lines of 20 kB took 2.8 GB.
 */
const REMEMBERED = 50_000;
const REMEMBERED_TEXT = 20_000_000;

/** A message is no place for all that a field may hold. */
const LONGEST_PART = 60;

/** A row: of a table its text, of others their values. */
type Known = { time: string; line: number | undefined } & (
  | { text: string; columns: Columns }
  | { values: ReadingInput['values']; columns?: undefined }
);

/** Rows of one sensor or device. */
type RowsOfOwner = {
  /** The greatest text of a time: a row whose text is greater is the first of its time. */
  newest: string;
  /**
   * Those in the order of time, of which few are ever looked up: an import without them in a map
   * takes 7 % less of the processor.
   */
  inOrder: Known[];
  byTime: Map<string, Known>;
};

/** A function that compares each row with those before it. `isLong`: a row has one parameter. */
export function makeContradictionFinder(found: Contradictions) {
  let recent = new Map<unknown, RowsOfOwner>();
  let earlier = new Map<unknown, RowsOfOwner>();
  let remembered = 0;
  let rememberedText = 0;
  return (reading: ReadingInput, isLong: boolean): void => {
    const { sensorId, device, measuredAt, values, line, text, columns } = reading;
    if (reading.unreadable || typeof measuredAt !== 'string') return;
    found.rows += 1;
    if (!found.hasTimesOfDay) {
      const timeOfDay = measuredAt.slice(11, 16);
      found.timeOfDay ??= timeOfDay;
      found.hasTimesOfDay = found.timeOfDay !== timeOfDay;
    }
    const owner = sensorId ?? device;
    let own = recent.get(owner);
    if (own === undefined) {
      own = { newest: earlier.get(owner)?.newest ?? '', inOrder: [], byTime: new Map() };
      recent.set(owner, own);
    }
    remembered += 1;
    rememberedText += text.length;
    const known: Known =
      columns === undefined || isLong
        ? { time: measuredAt, line, values }
        : { time: measuredAt, line, text, columns };
    if (measuredAt > own.newest) {
      own.newest = measuredAt;
      own.inOrder.push(known);
    } else {
      const other = rowAt(own, measuredAt) ?? rowAt(earlier.get(owner), measuredAt);
      const difference = other && differenceOf(other, known, isLong);
      if (other !== undefined && difference !== undefined) {
        found.contradicting += 1;
        const [name, one, two, whose, at] = [...difference, owner, measuredAt].map((part) =>
          String(part ?? 'none').slice(0, LONGEST_PART),
        );
        found.example ??= `lines ${other.line} and ${line}, both ${whose} at ${at}: ${name} ${one} and ${two}`;
      }
      const merged =
        other === undefined || !isLong
          ? known
          : { ...known, values: { ...valuesOf(other), ...values } };
      own.byTime.set(measuredAt, merged);
    }
    if (remembered < REMEMBERED && rememberedText < REMEMBERED_TEXT) return;
    earlier = recent;
    recent = new Map();
    remembered = 0;
    rememberedText = 0;
  };
}

function rowAt(rows: RowsOfOwner | undefined, time: string): Known | undefined {
  if (rows === undefined) return undefined;
  for (const row of rows.inOrder) rows.byTime.set(row.time, row);
  rows.inOrder = [];
  return rows.byTime.get(time);
}

type Values = Readonly<Record<string, unknown>>;

/** By parameter; of a table as its columns are named and its cells written. */
function valuesOf(row: Known): Values {
  if (row.columns === undefined) return row.values;
  const { list, delimiter, measured, used } = row.columns;
  const cells = splitCsvLine(row.text, delimiter) ?? [];
  return Object.fromEntries(
    [...measured].filter((at) => used.has(at)).map((at) => [list[at], cells[at]]),
  );
}

/** The first name that has two values in two rows; of long rows, both must have it. */
function differenceOf(
  first: Known,
  second: Known,
  isLong: boolean,
): [name: string, one: unknown, other: unknown] | undefined {
  const one = valuesOf(first);
  const other = valuesOf(second);
  const name = Object.keys({ ...one, ...other }).find((key) => {
    if (one[key] === other[key]) return false;
    return !isLong || (key in one && key in other);
  });
  return name === undefined ? undefined : [name, one[name], other[name]];
}

/** A number and a share of all rows up to which they are corrections. */
const MOST_CORRECTIONS = 1;
const MOST_OF_ROWS = 0.01;

/** A sentence with their number and an example; undefined: there are none. */
export const describeContradictions = ({
  contradicting,
  example,
}: Contradictions): string | undefined =>
  contradicting === 0
    ? undefined
    : `${contradicting} ${contradicting === 1 ? 'row has' : 'rows have'} the sensor and time of another row, and other values (${example}); the last one counts`;

/**
 * Throws InputError where rows contradict each other because a column was mistaken: two or more and
 * more than 1 % of them, or any where all have one time of day, as dates alone. `stored`: what
 * became of the others.
 */
export function refuseContradictions(
  { contradicting, example, rows, hasTimesOfDay }: Contradictions,
  source: string,
  stored: string,
): void {
  const most = hasTimesOfDay ? Math.max(MOST_CORRECTIONS, rows * MOST_OF_ROWS) : 0;
  if (contradicting <= most) return;
  throw new InputError(
    source,
    `${contradicting} of ${rows} rows have the sensor and time of another row, and other values (${example}); ${stored}`,
    'Say which columns make the time, as in --column time=Date+Time, or which rows count, as in --only AggType=hour. Where a later row corrects an earlier one, leave out the earlier.',
  );
}
