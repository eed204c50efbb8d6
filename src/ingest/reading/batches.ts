/**
 * Collects the readings of a source, a file, a push or a polled document, in batches, each when it
 * is asked for, so memory stays constant.
 */
import { InputError } from '../../base/inputError.ts';
import { EXCERPT_LENGTH, LONGEST_LINE } from '../rows/lines.ts';
import { HEADER_OR_OBJECTS } from '../rows/objects.ts';
import type { Findings, SourceFacts } from './facts.ts';
import { type ReadingInput, unreadable } from './reading.ts';

/** Readings, and what was found out about their source until then. */
export type ReadingBatch = { readings: ReadingInput[]; found: Findings };

export type Limits = {
  /** CSV, an object a line, or an array or a document; undefined: the first bytes tell. */
  kind?: 'csv' | 'lines' | 'document' | undefined;
  /** In bytes, of a document that is one object: it is parsed in one turn of the event loop. */
  largestObject: number;
  /** Readings in a batch, and characters of their texts: long lines fill one earlier. */
  batch: number;
  batchText: number;
  /**
   * Bounds on a source as a whole, and the error for one beyond them; undefined: there are none.
   */
  most?: { rows: number; text: number; refuse(what: string): Error };
  /**
   * True: it is read for a plan. Of a header that lacks something, what it lacks is among the
   * refusals of the facts, and its rows are read all the same.
   */
  isPlanned?: boolean;
};

/** A file may have any size. */
export const FILE_LIMITS: Limits = {
  largestObject: 64 * 1_048_576,
  batch: 10_000,
  batchText: 4_000_000,
};

/** A part of a source that was read at once; undefined for rows without a known parameter. */
export type Slice = { readings: (ReadingInput | undefined)[]; lastLine: number; text: number };

/**
 * Yields at least one batch, unless the source has no line. When reading fails, everything before
 * the failure is yielded first; then it rejects with InputError, which names the source and the
 * line, whose cause is a SyntaxError for invalid JSON; or at once with what `refuse` makes.
 * `whyNothing`: the error for a file without a reading; undefined: that is no error.
 */
export async function* inBatches(
  source: string,
  slices: AsyncGenerator<Slice>,
  found: Findings,
  { batch, batchText, most }: Limits,
  whyNothing: () => InputError | undefined = () => undefined,
): AsyncGenerator<ReadingBatch> {
  const { facts } = found;
  let readings: ReadingInput[] = [];
  const size = { rows: 0, text: 0 };
  let batchSize = 0;
  let failure: unknown;
  let lastLine: number | undefined;
  const add = (one: ReadingInput | undefined) => {
    size.rows += 1;
    if (most !== undefined && size.rows > most.rows)
      throw most.refuse(`more than ${most.rows} readings`);
    if (one === undefined) return;
    facts.rows += 1;
    size.text += one.text.length;
    if (most !== undefined && size.text > most.text)
      throw most.refuse(
        `readings that take more than ${most.text / 1_048_576} MiB, each by itself`,
      );
    const reading = one.text.length > LONGEST_LINE ? shortened(one) : one;
    noteTimeOfDay(facts, reading);
    readings.push(reading);
  };
  for (;;) {
    const next = await slices.next().catch((error: unknown) => {
      failure = error instanceof InputError ? error : brokenOff(source, lastLine, error);
    });
    if (next === undefined || next.done === true) break;
    lastLine = next.value.lastLine;
    try {
      for (const one of next.value.readings) add(one);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failure = error;
      break;
    }
    batchSize += next.value.text;
    while (readings.length >= batch || (readings.length > 0 && batchSize >= batchText)) {
      yield { readings: readings.slice(0, batch), found };
      readings = readings.slice(batch);
      batchSize = 0;
    }
  }
  if (most === undefined && facts.rows === 0) failure ??= whyNothing();
  if (lastLine === undefined && most === undefined)
    failure ??= new InputError(source, 'the file is empty', HEADER_OR_OBJECTS);
  for (let from = 0; from < Math.max(readings.length, lastLine === undefined ? 0 : 1); ) {
    yield { readings: readings.slice(from, from + batch), found };
    from += batch;
  }
  if (failure !== undefined) throw failure;
}

function noteTimeOfDay(facts: SourceFacts, { measuredAt }: ReadingInput): void {
  if (facts.timeOfDay === null || typeof measuredAt !== 'string') return;
  const timeOfDay = measuredAt.slice(11, 16);
  facts.timeOfDay = (facts.timeOfDay ?? timeOfDay) === timeOfDay ? timeOfDay : null;
}

const shortened = (reading: ReadingInput): ReadingInput =>
  unreadable(
    reading.text.slice(0, EXCERPT_LENGTH),
    reading.line ?? 1,
    reading.unreadable ? reading.why : `it is longer than ${LONGEST_LINE / 1_024} KiB`,
  );

const brokenOff = (name: string, lastLine: number | undefined, error: unknown) =>
  new InputError(
    `${name}, after line ${lastLine ?? 0}`,
    (error as Error).message,
    'The lines before were imported; get a new copy of the file and import it again.',
  );
