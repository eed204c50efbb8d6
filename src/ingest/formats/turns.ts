/**
 * Work of some length takes turns with everything else that the process does: each turn of the event loop goes to one piece of one body,
 * so however many of them come in together, an answer waits for no more than a piece.
 */
import { setImmediate } from 'node:timers/promises';

/** So small that the slowest work on it takes a few milliseconds. */
const PIECE = 16_384;

// there is one event loop, so there is one line
let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that nobody else was given. */
export function nextTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}

/** The same bytes, each piece in a turn of its own. */
export async function* inTurns(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let start = 0; start < bytes.length; start += PIECE) {
      await nextTurn();
      yield bytes.subarray(start, start + PIECE);
    }
  }
}
