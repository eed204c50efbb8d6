/** The bytes of a file or of standard input, unpacked if they are gzip, with a count of how many were read. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { InputError } from '../../inputError.ts';

export type Source = {
  /** For messages and the quarantine. */
  name: string;
  /** In bytes as stored; undefined where that is not known. */
  size: number | undefined;
  /** How many of these bytes were read so far. */
  read: number;
  /** Unpacked; can be read once. */
  bytes: AsyncIterable<Buffer>;
};

/** Opens a file, or standard input if the path is `-`. Rejects with InputError for a folder or a file that cannot be found. */
export async function openSource(path: string): Promise<Source> {
  const found = path === '-' ? undefined : await stat(path).catch((error: Error) => error);
  if (found instanceof Error) throw new InputError(path, found.message, 'Check its name and permissions.');
  if (found?.isDirectory() === true) throw new InputError(path, 'this is a folder', 'Name the files in it.');
  const source: Source = {
    name: path === '-' ? 'standard input' : path,
    size: found?.isFile() === true ? found.size : undefined,
    read: 0,
    bytes: { [Symbol.asyncIterator]: () => unpacked(counted()) },
  };
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      source.read += chunk.length;
      yield chunk as Buffer;
    }
  }
  return source;
}

/** Gzip is recognized by its first two bytes, whatever the file is called. */
async function* unpacked(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < 2) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const all = concatenated(start, chunks);
  yield* start[0] === 0x1f && start[1] === 0x8b ? gunzipped(all) : all;
}

async function* concatenated(start: Buffer, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  yield* chunks;
}

/** In bytes. */
const PIECE = 4_096;

/**
 * Unpacks gzip and yields everything that can be unpacked of a damaged or truncated archive before it rejects with an Error. A piped
 * stream drops what it has buffered when it fails; this one is fed a small piece at a time, and what comes out is yielded before the
 * next goes in, so only the damaged piece is lost. (Some of what came out before may be wrong: the checksum is at the end.)
 */
async function* gunzipped(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const output: Buffer[] = [];
  let settle = () => {};
  gunzip.on('data', (chunk: Buffer) => output.push(chunk));
  gunzip.on('end', () => settle());
  gunzip.on('error', () => settle());
  const settled = (start: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      settle = resolve;
      start(resolve);
    });
  const isOver = () => gunzip.errored !== null || gunzip.readableEnded;

  try {
    for await (const piece of inPieces(chunks)) {
      await settled((done) => gunzip.write(piece, done));
      yield* output.splice(0);
      if (isOver()) break;
    }
    if (!isOver()) await settled(() => gunzip.end());
    yield* output;
  } finally {
    gunzip.destroy();
  }
  if (gunzip.errored !== null) throw new Error(`the gzip archive is damaged or cut off (${gunzip.errored.message})`);
}

async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += PIECE) yield chunk.subarray(start, start + PIECE);
  }
}
