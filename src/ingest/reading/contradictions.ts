/**
 * Finds rows of one source that contradict each other: one sensor and time, and other values. The
 * last of them counts (S3), but where there are many, a column was mistaken (S7).
 */
import { InputError } from '../../base/inputError.ts';
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

/** Rows that are compared with each other: up to twice as many are kept in memory. */
const REMEMBERED = 50_000;

/** A message is no place for all that a field may hold. */
const LONGEST_PART = 60;

type Known = { values: ReadingInput['values']; line: number | undefined };

/** A function that compares each row with those before it. `isLong`: a row has one parameter. */
export function makeContradictionFinder(found: Contradictions) {
  let recent = new Map<string, Known>();
  let earlier = new Map<string, Known>();
  return (reading: ReadingInput, isLong: boolean): void => {
    const { sensorId, device, measuredAt, values, line } = reading;
    if (reading.unreadable || typeof measuredAt !== 'string') return;
    found.rows += 1;
    if (!found.hasTimesOfDay) {
      const timeOfDay = measuredAt.slice(11, 16);
      found.timeOfDay ??= timeOfDay;
      found.hasTimesOfDay = found.timeOfDay !== timeOfDay;
    }
    const owner = sensorId ?? device;
    const key = `${owner} ${measuredAt}`;
    const other = recent.get(key) ?? earlier.get(key);
    const name = other && differing(other.values, values, isLong);
    if (other !== undefined && name !== undefined) {
      found.contradicting += 1;
      const [one, two, whose, at] = [other.values[name], values[name], owner, measuredAt].map(
        (part) => String(part ?? 'none').slice(0, LONGEST_PART),
      );
      found.example ??= `lines ${other.line} and ${line}, both ${whose} at ${at}: ${name} ${one} and ${two}`;
    }
    recent.set(key, { values: isLong ? { ...other?.values, ...values } : values, line });
    if (recent.size < REMEMBERED) return;
    earlier = recent;
    recent = new Map();
  };
}

/** The first parameter in which two rows differ; of long rows, both must have it. */
function differing(
  one: ReadingInput['values'],
  other: ReadingInput['values'],
  isLong: boolean,
): keyof ReadingInput['values'] | undefined {
  const names = Object.keys({ ...one, ...other }) as (keyof ReadingInput['values'])[];
  return names.find((name) => {
    if (one[name] === other[name]) return false;
    return !isLong || (name in one && name in other);
  });
}

/** A share beyond which rows are no corrections. */
const MOST = 0.01;

/** A sentence with their number and an example; undefined: there are none. */
export const describeContradictions = ({
  contradicting,
  example,
}: Contradictions): string | undefined =>
  contradicting === 0
    ? undefined
    : `${contradicting} ${contradicting === 1 ? 'row has' : 'rows have'} the sensor and time of another row, and other values (${example}); the last one counts`;

/**
 * Throws InputError where rows contradict each other because a column was mistaken: more than 1 %
 * of them, or any where all have one time of day, as dates alone. `stored`: what became of the
 * others.
 */
export function refuseContradictions(
  { contradicting, example, rows, hasTimesOfDay }: Contradictions,
  source: string,
  stored: string,
): void {
  if (contradicting === 0 || (hasTimesOfDay && contradicting <= rows * MOST)) return;
  throw new InputError(
    source,
    `${contradicting} of ${rows} rows have the sensor and time of another row, and other values (${example}); ${stored}`,
    'Say which columns make the time, as in --column time=Date+Time, or which rows count, as in --only AggType=hour. Where a later row corrects an earlier one, leave out the earlier.',
  );
}
