/**
 * Merges rows of one parameter each: rows of one sensor and time become one reading (S3). Of each
 * parameter the last value counts that is not empty. A value that cannot be used takes no other
 * one's place (S2): its row stays a reading of its own.
 */
import { InputError } from '../../../base/inputError.ts';
import { READING_COLUMNS_BY_NAME, type ReadingColumn } from '../../../contract/parameters.ts';
import { readNumber, readWithinBounds } from '../../../ingest/numbers.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';

/** As many are kept in memory until the end of their source, and characters of their texts. */
const MOST_READINGS = 500_000;
const MOST_TEXT = 500_000_000;

/** Collects rows. The text of a merged reading is in our names and units. */
export function makeMerger(source: string) {
  const bySlot = new Map<string, { reading: ReadingInput; isMerged: boolean }>();
  let text = 0;
  return {
    /** Throws InputError if there are too many. */
    add(reading: ReadingInput): void {
      const { sensorId, device, measuredAt, line } = reading;
      let slot = JSON.stringify([sensorId ?? device, measuredAt]);
      if (reading.unreadable || wouldReplace(reading, bySlot.get(slot)?.reading))
        slot = `line ${line}`;
      const before = bySlot.get(slot);
      bySlot.set(
        slot,
        before === undefined ? { reading, isMerged: false } : merged(before.reading, reading),
      );
      if (before === undefined) text += reading.text.length;
      if (bySlot.size <= MOST_READINGS && text <= MOST_TEXT) return;
      const remedy = 'Split it by sensor or by time, each part with the header.';
      throw new InputError(
        source,
        `it has rows of more than ${MOST_READINGS} readings, or more than ${MOST_TEXT / 1e6} MB of them, one for each parameter`,
        remedy,
      );
    },
    *take(): Generator<ReadingInput> {
      for (const { reading, isMerged } of bySlot.values())
        yield isMerged ? withText(reading) : reading;
    },
  };
}

/** True if an unusable value would take the place of a number. */
const wouldReplace = ({ values: added }: ReadingInput, before: ReadingInput | undefined) =>
  before !== undefined &&
  Object.entries(added).some(([name, value]) => {
    const parameter = READING_COLUMNS_BY_NAME.get(name);
    const other = before.values[name as ReadingColumn];
    return (
      parameter !== undefined &&
      other !== undefined &&
      typeof readWithinBounds(value, parameter) === 'string' &&
      typeof readWithinBounds(other, parameter) === 'number'
    );
  });

function merged(before: ReadingInput, { values: added }: ReadingInput) {
  const values: Record<string, unknown> = { ...before.values };
  for (const [name, value] of Object.entries(added)) {
    const isEmpty = readNumber(value) === null;
    if (!isEmpty || values[name] === undefined) values[name] = value;
  }
  return { reading: { ...before, values }, isMerged: true };
}

/** The reading with a text in our names and units, instead of what it was read from. */
function withText(reading: Omit<ReadingInput, 'text'>): ReadingInput {
  const { columns: _, ...others } = reading;
  const { sensorId: sensor_id, measuredAt: measured_at, device, values } = reading;
  return { ...others, text: JSON.stringify({ sensor_id, device, measured_at, ...values }) };
}
