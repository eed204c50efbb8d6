/**
 * Sends a file that is open: whole or a range of it, by the conditions of the request (RFC 9110). All
 * that is said of the file is said of its descriptor, so no rename comes in between.
 */
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import fresh from 'fresh';
import { isPastHttpDate, Problem } from '../../http/send.ts';

/** The whole file, or the bytes from `start` to `end`, both included. */
type Part = { start: number; end: number; isRange: boolean };

/** `now`: a client whose date is later than that gets no 304 by it. */
type Sent = {
  handle: FileHandle;
  stat: Stats;
  etag: string;
  headers: Record<string, string>;
  now: Date;
};

/**
 * Resolves when the client has the bytes, or has gone. Throws Problem 412 or 416 before anything is
 * sent.
 */
export async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  { handle, stat, etag, headers, now }: Sent,
): Promise<void> {
  const modified = stat.mtime.toUTCString();
  const all = { ...headers, ETag: etag, 'Last-Modified': modified, 'Accept-Ranges': 'bytes' };
  checkPreconditions(req, etag, modified);
  const { 'if-modified-since': since, ...others } = req.headers;
  const known = isPastHttpDate(since ?? '', now.getTime()) ? req.headers : others;
  if (fresh(known, { etag, 'last-modified': modified })) {
    answer(res, 304, all);
    res.end();
    return;
  }
  const part = isSame(req.headers, etag, modified)
    ? partOf(req.headers.range, stat.size)
    : whole(stat.size);
  const length = part.end - part.start + 1;
  answer(res, part.isRange ? 206 : 200, {
    ...all,
    'Content-Length': String(length),
    ...(part.isRange && { 'Content-Range': `bytes ${part.start}-${part.end}/${stat.size}` }),
  });
  if (req.method === 'HEAD' || length === 0) {
    res.end();
    return;
  }
  const { start, end } = part;
  // a client that goes away ends it as well
  await pipeline(handle.createReadStream({ start, end, autoClose: false }), res).catch(() =>
    res.destroy(),
  );
}

/** Sets the headers, because metrics do not see what `writeHead` gets. */
function answer(res: ServerResponse, status: number, headers: Record<string, string>): void {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/** If-Match and If-Unmodified-Since (13.1.1, 13.1.4): the client means another file. */
function checkPreconditions({ headers }: IncomingMessage, etag: string, modified: string): void {
  const wanted = headers['if-match'];
  const since = headers['if-unmodified-since'];
  const isMatch =
    wanted === undefined
      ? !(Date.parse(since ?? '') < Date.parse(modified))
      : wanted.trim() === '*' || (isStrong(etag) && listed(wanted).includes(etag));
  if (!isMatch)
    throw new Problem(412, 'The file has changed: it is not the one that If-Match names.');
}

const listed = (tags: string) => tags.split(',').map((tag) => tag.trim());
const isStrong = (etag: string) => etag.startsWith('"');

/** If-Range (13.1.5): a range is of use only with the rest of the same content. */
function isSame(headers: IncomingHttpHeaders, etag: string, modified: string): boolean {
  const { 'if-range': wanted } = headers;
  if (typeof wanted !== 'string') return wanted === undefined;
  return wanted.includes('"') ? isStrong(etag) && wanted === etag : wanted === modified;
}

const whole = (size: number): Part => ({ start: 0, end: size - 1, isRange: false });

/**
 * The part that a Range asks for (14.1.2): the last N bytes are the whole file where it has fewer.
 * A header that is not one valid range is ignored. Throws Problem 416 for a range without a byte.
 */
function partOf(range: string | undefined, size: number): Part {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return whole(size);
  const isSuffix = first === '';
  if (!isSuffix && last !== '' && Number(last) < Number(first)) return whole(size);
  const start = isSuffix ? Math.max(0, size - Number(last)) : Number(first);
  const end = isSuffix || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start < size) return { start, end, isRange: true };
  throw new Problem(416, 'The range lies beyond the end of the file.', {
    'Content-Range': `bytes */${size}`,
  });
}
