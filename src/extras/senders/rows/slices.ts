/** Slices of a document's rows, so that a large one does not hold up everything else. */
import { yieldToEventLoop } from '../../../ingest/rows/lines.ts';

/** Readings in one turn of the event loop, and characters of their texts. */
const SLICE = 100;
const SLICE_TEXT = 100_000;

/** The same readings, or rows, in slices, each made in a turn of the event loop of its own. */
export async function* inSlices<T extends { text: string } | undefined>(
  all: Iterable<T>,
): AsyncGenerator<T[]> {
  let slice: T[] = [];
  let text = 0;
  for (const one of all) {
    slice.push(one);
    text += one?.text.length ?? 0;
    if (slice.length < SLICE && text < SLICE_TEXT) continue;
    yield slice;
    await yieldToEventLoop();
    slice = [];
    text = 0;
  }
  yield slice;
}
