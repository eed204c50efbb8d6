/**
 * Unpacks gzip so that of a damaged or cut-off archive all is used that can be unpacked. A stream that is piped throws away what it
 * holds when it fails; this one is fed a small piece at a time, and what comes out is handed on before the next goes in. Only what
 * the damaged piece itself would have given is lost. (Before the damage is noticed, some of what came out may be wrong: the sum
 * that tells is at the end of the archive.)
 */
import { createGunzip } from 'node:zlib';

const PIECE = 4_096;

export async function* gunzipped(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  let unpacked: Buffer[] = [];
  let failure: Error | undefined;
  let ended = false;
  let settle = () => {};
  gunzip.on('data', (chunk: Buffer) => unpacked.push(chunk));
  gunzip.on('error', (error) => {
    failure = error;
    settle();
  });
  gunzip.on('end', () => {
    ended = true;
    settle();
  });
  const settled = (start: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      settle = resolve;
      start(resolve);
    });

  try {
    for await (const piece of inPieces(chunks)) {
      await settled((done) => gunzip.write(piece, done));
      yield* unpacked;
      unpacked = [];
      if (failure !== undefined || ended) break;
    }
    if (failure === undefined && !ended) {
      await settled(() => gunzip.end());
      yield* unpacked;
    }
  } finally {
    gunzip.destroy();
  }
  if (failure !== undefined) throw new Error(`the gzip archive is damaged or cut off (${(failure as Error).message})`);
}

async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += PIECE) yield chunk.subarray(start, start + PIECE);
  }
}
