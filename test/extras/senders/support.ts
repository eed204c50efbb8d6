/** Texts as the extra reads them. */
import { readReadings } from '../../../src/extras/senders/reading/collect.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { stoppingDoubt } from '../../../src/ingest/reading/doubt.ts';
import { makeFindings } from '../../../src/ingest/reading/facts.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { COMMAND_LINE } from '../../../src/ingest/reading/vocabulary.ts';
import type { Source } from '../../../src/ingest/rows/source.ts';

/** A source that is a text in memory, and comes in pieces of `size` bytes. */
export function textSource(text: string | Buffer, size = Number.POSITIVE_INFINITY): Source {
  const all = Buffer.from(text);
  async function* bytes() {
    for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
  }
  return { name: 'the text', size: undefined, read: 0, bytes: bytes() };
}

/**
 * The question at which a text of `rows` rows stops, by default of many; undefined: it is stored.
 */
export async function askedOf(text: string, declared?: Declarations, rows?: number) {
  const { readings, doubts } = await readText(text, declared);
  const doubt = stoppingDoubt(doubts.of(readings, COMMAND_LINE), rows);
  return doubt && `${doubt.what}. ${doubt.remedy}`;
}

/** The readings of a text, and what was found in it. Rejects as readReadings does. */
export async function readText(text: string | Buffer, declared: Declarations = {}, size?: number) {
  const readings: ReadingInput[] = [];
  let found = makeFindings('');
  for await (const batch of readReadings(textSource(text, size), declared)) {
    readings.push(...batch.readings);
    found = batch.found;
  }
  return { readings, ...found };
}
