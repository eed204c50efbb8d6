/** Opens a file or standard input, unpacks gzip, and counts the bytes that were read. */
import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { whyUnreadable } from '../../base/folder.ts';
import { InputError } from '../../base/inputError.ts';
import { AIRSERIES } from '../../base/shell.ts';

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

/**
 * Opens a file, or standard input if the path is `-`. Rejects with InputError for a folder or a
 * file that cannot be found. Call `close` in the end: a reader that refuses the beginning of a file
 * leaves the rest unread.
 */
export async function openSource(path: string): Promise<Source & { close(): void }> {
  if (/^https?:\/\//i.test(path))
    throw new InputError(
      withoutKeys(path),
      'this is an address, and an import reads files',
      `Fetch it, and add the same options: curl -L ADDRESS | ${AIRSERIES} import readings -.`,
    );
  const found = path === '-' ? undefined : await stat(path).catch((error: Error) => error);
  if (found instanceof Error)
    throw new InputError(path, whyUnreadable(found), 'Check its name and permissions.');
  if (found?.isDirectory() === true)
    throw new InputError(path, 'this is a folder', 'Name the files in it.');
  let file: ReadStream | undefined;
  const source = {
    name: path === '-' ? 'standard input' : path,
    size: found?.isFile() === true ? found.size : undefined,
    read: 0,
    bytes: { [Symbol.asyncIterator]: () => unpacked(counted()) },
    close: () => void file?.destroy(),
  };
  async function* counted(): AsyncGenerator<Buffer> {
    if (path !== '-') file = createReadStream(path);
    for await (const chunk of file ?? process.stdin) {
      source.read += chunk.length;
      yield chunk as Buffer;
    }
  }
  return source;
}

/** An address without its user, password and parameters, which may be keys. */
function withoutKeys(address: string): string {
  if (!URL.canParse(address)) return 'the address';
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/**
 * Gzip is recognized by its first two bytes, whatever the file is called. Of a damaged archive, the
 * last piece before the damage may be lost or wrong: the checksum is at the end.
 */
async function* unpacked(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { start, all } = await peek(chunks, ({ length }) => length >= 2);
  if (start[0] !== 0x1f || start[1] !== 0x8b) return yield* all;
  const gunzip = createGunzip();
  pipeline(all, gunzip, () => undefined); // an error ends the loop
  try {
    yield* gunzip;
  } catch (error) {
    throw gunzip.errored === null
      ? error
      : new Error(`the gzip archive is damaged or cut off (${gunzip.errored.message})`);
  }
}

/**
 * The first bytes, until they are enough or there are no more, and all bytes, which reject where
 * `bytes` does.
 */
export async function peek(
  bytes: AsyncIterable<Buffer>,
  isEnough: (start: Buffer) => boolean,
): Promise<{ start: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  let failure: unknown;
  while (!isEnough(start)) {
    const next = await iterator.next().catch((error: unknown) => {
      failure = error;
      return { done: true as const, value: undefined };
    });
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    if (failure !== undefined) throw failure;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { start, all: all() };
}
