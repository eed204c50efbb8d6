/**
 * Rendered documents and how they are sent: in the encoding that the client prefers, with
 * validators, or as 304. Each encoding is made when the first client asks for it, and kept.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import { ANY_ORIGIN, type Locale } from '../contract/endpoints.ts';
import { setSent } from '../http/observed.ts';
import { isPastHttpDate, JSON_TYPE } from '../http/send.ts';

/**
 * A document: the number of its bytes, the validator of its content, and what is kept, which for a
 * large document is `br` only.
 */
export type Document = {
  locale: Locale;
  bytes: number;
  etag: string;
  kept: Map<Coding, Promise<Buffer> | Buffer>;
  kind: Kind;
};

/**
 * The media type of a document, and the headers that go with it. `isRevalidated`: a browser asks
 * each time whether what it has is current.
 */
export type Kind = { type: string; headers: readonly string[]; isRevalidated?: boolean };

/** Headers that depend on when the document is sent. */
export type CacheHeaders = {
  /** How long the document is known not to change without new data, in seconds. */
  maxAge: number;
  /**
   * When the content last changed; undefined where that is not known, or would lie in the future.
   */
  lastModified?: string | undefined;
  /** When it is sent, in milliseconds since 1970; needed with `lastModified`. */
  sentAt?: number;
  /** Seconds since the document was last known to be current; undefined: it is. */
  age?: number | undefined;
  /** Whether its address names its content, so that it may be kept forever. */
  isImmutable?: boolean;
};

const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const unpackBrotli = promisify<Buffer, Buffer>(zlib.brotliDecompress);

/** Brotli's level 5 is about as fast as gzip's 6 on our documents, and 15 to 40 % smaller. */
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } };
const COMPRESS = {
  br: (body: Buffer) => brotli(body, BROTLI),
  gzip: promisify<Buffer, Buffer>(zlib.gzip),
};

/** Content codings, best first. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
type Coding = (typeof CODINGS)[number];

/** Shorter bodies fit into a packet anyway. In bytes. */
const MIN_COMPRESSED_BYTES = 1_024;

/**
 * Longer ones are kept compressed only, or the lists of a large network would fill the cache. In
 * bytes.
 */
const MAX_PLAIN_BYTES = 1_048_576;

const ANY_ORIGIN_LIST = Object.entries(ANY_ORIGIN).flat();
const JSON_KIND: Kind = { type: JSON_TYPE, headers: ANY_ORIGIN_LIST };

export const TEXT_KIND: Kind = { type: 'text/plain; charset=utf-8', headers: ANY_ORIGIN_LIST };

/**
 * Headers for a CSV download with this file name. `describedBy`: where its columns are described,
 * relative to its own address.
 */
export const csvKind = (fileName: string, describedBy?: string): Kind => ({
  type: 'text/csv; charset=utf-8',
  headers: [
    ...ANY_ORIGIN_LIST,
    'Content-Disposition',
    `attachment; filename="${fileName}"`,
    ...(describedBy === undefined
      ? []
      : ['Link', `<${describedBy}>; rel="describedby"; type="application/json"`]),
  ],
});

/**
 * The same bytes in memory of their own: a small buffer keeps the 8 or 16 KiB alive that it was cut
 * from.
 */
function compact(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body;
  const own = Buffer.allocUnsafeSlow(body.length);
  own.set(body);
  return own;
}

/** A document of this text, by default JSON. */
export function renderDocument(locale: Locale, text: string | Buffer, kind = JSON_KIND): Document {
  const body = compact(Buffer.from(text));
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return { locale, kind, bytes: body.length, etag, kept: new Map([['identity', body]]) };
}

/** The material of a document. */
export type Content = { locale: Locale; text: string | Buffer; kind: Kind };

export const rendered = ({ locale, text, kind }: Content): Document =>
  renderDocument(locale, text, kind);

/** The same of JSON text in pieces. Other requests are served between them. */
export async function renderPieces(locale: Locale, pieces: Iterable<string>): Promise<Document> {
  const parts: Buffer[] = [];
  for (const piece of pieces) {
    parts.push(Buffer.from(piece));
    await yieldToEventLoop();
  }
  const document = renderDocument(locale, Buffer.concat(parts));
  if (document.bytes > MAX_PLAIN_BYTES) {
    await encode(document, 'br');
    document.kept.delete('identity');
  }
  return document;
}

/**
 * How much memory the content of a document takes once its clients have asked for all codings. In
 * bytes, about: pages compress least.
 */
export function sizeOf({ bytes, kept }: Document): number {
  const br = kept.get('br');
  if (kept.has('identity')) return bytes * 1.7;
  return Buffer.isBuffer(br) ? br.length * 3 : bytes;
}

/**
 * Sends 200 with the document in the coding that the client prefers, or 304 if it has the document
 * (RFC 9110, 13.1). Any web page may read it.
 */
export function sendDocument(
  req: IncomingMessage,
  res: ServerResponse,
  document: Document,
  cacheHeaders: CacheHeaders,
): void {
  const coding =
    document.bytes < MIN_COMPRESSED_BYTES ? 'identity' : codingFor(req.headers['accept-encoding']);
  const headers = headersOf(document, coding, cacheHeaders);
  if (isKnown(req, document, coding, cacheHeaders)) {
    setSent(res, { bytes: 0, hasValidator: true });
    res.writeHead(304, headers).end();
    return;
  }
  const encoded = encode(document, coding);
  headers.push('Content-Type', document.kind.type, 'Content-Language', document.locale);
  if (coding !== 'identity') headers.push('Content-Encoding', coding);
  if (Buffer.isBuffer(encoded)) send(req, res, headers, encoded);
  // only for want of memory
  else encoded.then((body) => send(req, res, headers, body)).catch(() => res.destroy());
}

/**
 * Headers as one list, which Node writes unchanged if no other was set before: setting them one by
 * one costs more than all the rest of a cached response.
 */
function headersOf(
  { etag, kind }: Document,
  coding: Coding,
  { maxAge, lastModified, age, isImmutable = false }: CacheHeaders,
): string[] {
  const headers = [
    ...kind.headers,
    'ETag',
    validator(etag, coding),
    'Cache-Control',
    isImmutable ? IMMUTABLE : cacheControl(maxAge, kind.isRevalidated),
    'Vary',
    'Accept-Encoding',
  ];
  if (lastModified !== undefined) headers.push('Last-Modified', lastModified);
  if (age !== undefined) headers.push('Age', String(age));
  return headers;
}

/** A strong validator names one sequence of bytes (RFC 9110, 8.8.1), so each coding has its own. */
const validator = (etag: string, coding: Coding) =>
  coding === 'identity' ? `"${etag}"` : `"${etag}-${coding}"`;

/**
 * Fresh for at most a minute, the interval of the refresh. For four more a cache may serve it while
 * it revalidates, so nothing shown is older than the five minutes between two digests. Ten minutes
 * bridge an outage.
 */
const cacheControl = (maxAge: number, isRevalidated = false) =>
  isRevalidated
    ? `max-age=0, s-maxage=${maxAge}` // shared caches may still answer many browsers
    : `max-age=${maxAge}, stale-while-revalidate=240, stale-if-error=600`;

const IMMUTABLE = 'max-age=31536000, immutable';

/** A client that has the content in another coding needs no second copy. */
function isKnown(
  { headers }: IncomingMessage,
  { etag }: Document,
  coding: Coding,
  { lastModified, sentAt = 0 }: CacheHeaders,
): boolean {
  const wanted = headers['if-none-match'];
  if (wanted === undefined) {
    const since = headers['if-modified-since'];
    if (lastModified === undefined || since === undefined) return false;
    return isPastHttpDate(since, sentAt) && fresh(headers, { 'last-modified': lastModified });
  }
  // nearly always it is the one validator that we would send; there may be lists, weak ones and `*`
  // as well
  if (wanted === validator(etag, coding) && headers['cache-control'] === undefined) return true;
  return CODINGS.some((one) => fresh(headers, { etag: validator(etag, one) }));
}

/**
 * Compresses once; later calls get the buffer at once. Where only `br` is kept, the plain bytes are
 * unpacked for each call.
 */
export function encode(document: Document, coding: Coding): Promise<Buffer> | Buffer {
  const { kept } = document;
  const known = kept.get(coding);
  if (known !== undefined) return known;
  if (coding === 'identity') return Promise.resolve(encode(document, 'br')).then(unpackBrotli);
  const compressing = Promise.resolve(encode(document, 'identity'))
    .then(COMPRESS[coding])
    .then((result) => {
      kept.set(coding, compact(result));
      return result;
    });
  compressing.catch(() => kept.delete(coding));
  kept.set(coding, compressing);
  return compressing;
}

function send(req: IncomingMessage, res: ServerResponse, headers: string[], body: Buffer): void {
  headers.push('Content-Length', String(body.length));
  setSent(res, { bytes: body.length, hasValidator: true });
  res.writeHead(200, headers).end(req.method === 'HEAD' ? undefined : body);
}

/**
 * Browsers send a handful of different Accept-Encoding headers; anything else is negotiated each
 * time.
 */
const negotiated = new Map<string, Coding>();
const REMEMBERED = 200;

/**
 * The published types lack the second argument, which decides between codings that the client likes
 * equally.
 */
type Preferring = {
  encoding(
    available: readonly string[],
    options: { preferred: readonly string[] },
  ): string | undefined;
};

function codingFor(header: string | undefined): Coding {
  if (header === undefined) return 'identity';
  const known = negotiated.get(header);
  if (known !== undefined) return known;
  const request = { headers: { 'accept-encoding': header } };
  const negotiator: Preferring = new Negotiator(request);
  const coding = (negotiator.encoding(CODINGS, { preferred: CODINGS }) ?? 'identity') as Coding;
  if (negotiated.size < REMEMBERED) negotiated.set(header, coding);
  return coding;
}
