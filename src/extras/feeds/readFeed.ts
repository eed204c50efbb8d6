/**
 * Reads a polled document in the layout of its kind, and keeps what may be of the provider's own
 * sensors.
 */

import { InputError } from '../../base/inputError.ts';
import type { ReadingFormats } from '../../ingest/formats.ts';
import { FILE_LIMITS } from '../../ingest/reading/batches.ts';
import type { Declarations } from '../../ingest/reading/declarations.ts';
import { asRefusal, type Doubt, stoppingDoubt } from '../../ingest/reading/doubt.ts';
import { type Findings, makeFindings } from '../../ingest/reading/facts.ts';
import type { ReadingInput } from '../../ingest/reading/reading.ts';
import { NETWORK_FILE } from '../../ingest/reading/vocabulary.ts';
import { inPieces } from '../../ingest/rows/lines.ts';
import { readSensorId } from '../../ingest/store/validate.ts';
import type { Refuse } from './fetchDocument.ts';
import { noOthers, noteOther, type Others, someOf } from './withoutReadings.ts';

type Feed = {
  /** How many readings the document has, of any sensor. */
  received: number;
  /** The readings of our sensors, and of devices, which are looked up later. */
  readings: ReadingInput[];
  others: Others;
  found: Findings;
  /** Doubts at which so few readings do not stop. */
  doubts: Doubt[];
};

/**
 * Bounds on our readings and on all (the whole world has some 30,000): a larger document does not
 * cover five minutes.
 */
export const MOST_READINGS = 50_000;
export const MOST_IN_ALL = 500_000;
/**
 * The limit on our own texts, in characters: a row may have more text than it takes in its
 * document.
 */
const MOST_TEXT = 64 * 1_048_576;

/**
 * In bytes, of a document that is one object: parsing it holds up everything else. An array may be
 * larger.
 */
const LIMITS = { ...FILE_LIMITS, largestObject: 2 * 1_048_576 };

/**
 * Leaves out readings of sensors for which `isOurs` is false, and elements that name none, whatever
 * their form. Rejects as `chunks` does, and with what `refuse` makes of a document that has another
 * kind or too many readings.
 */
export async function readFeed(
  chunks: AsyncIterable<Uint8Array>,
  declared: Declarations,
  isOurs: (sensor: number) => boolean,
  refuse: Refuse,
  formats: ReadingFormats,
): Promise<Feed> {
  let failure: unknown;
  const watched = async function* () {
    try {
      yield* inPieces(chunks);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const readings: ReadingInput[] = [];
  let received = 0;
  let found: Findings | undefined;
  const others = noOthers();
  let text = 0;
  try {
    const source = { name: 'the document', size: undefined, read: 0, bytes: watched() };
    for await (const batch of formats.readReadings(source, declared, LIMITS)) {
      received += batch.readings.length;
      for (const reading of batch.readings) {
        if (!isWanted(reading, isOurs)) {
          noteOther(others, reading);
          continue;
        }
        readings.push(reading);
        text += reading.text.length;
      }
      found = batch.found;
      others.excluded = found.facts.excluded;
      others.fields = someOf(new Set(found.facts.ignored.keys()));
      if (readings.length > MOST_READINGS || received > MOST_IN_ALL || text > MOST_TEXT) {
        failure = refuse(
          `it holds more than ${MOST_READINGS} readings of its sensors, or ${MOST_IN_ALL} in all, or more than 64 MiB of them`,
          'Check the address, and ask the provider.',
        );
        throw failure;
      }
      const [first] = batch.readings;
      if (received === 1 && first?.unreadable && !isWanted(first, isOurs))
        throw new InputError('the document', first.why ?? 'it has no reading', '');
    }
    if (found === undefined)
      return { received, readings, others, found: makeFindings(''), doubts: [] };
    const doubts = found.doubts.of(readings, NETWORK_FILE);
    const doubt = stoppingDoubt(doubts, readings.length);
    if (doubt === undefined) return { received, readings, others, found, doubts };
    failure = refuse(asRefusal(doubt), doubt.remedy);
    throw failure;
  } catch (error) {
    if (failure !== undefined || !(error instanceof InputError)) throw failure ?? error;
    throw refuse(
      `this is not in the layout of ${declared.name} (${error.message.trim()})`,
      'Check the address and its kind.',
    );
  }
}

function isWanted(
  { sensorId, device }: ReadingInput,
  isOurs: (sensor: number) => boolean,
): boolean {
  const id = readSensorId(sensorId);
  return id === undefined ? device !== undefined : isOurs(id);
}
