/**
 * Rendered documents and how they are sent: in the coding that a client prefers, with validators, and as 304 to a client that has them. A
 * document is rendered once and sent many times, so as much as possible is computed beforehand.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import type { Locale } from '../contract/endpoints.ts';
import { setSent } from '../http/observed.ts';
import { ANY_ORIGIN, JSON_TYPE } from '../http/send.ts';

/** A document in bytes, and the validator of its content. */
export type Document = { locale: Locale; body: Buffer; etag: string; encoded: Map<Coding, Promise<Buffer> | Buffer> };

/** What depends on the time of sending. */
export type CacheHeaders = {
  /** How long the document is known not to change without new data, in seconds. */
  maxAge: number;
  /** When the content last changed; undefined where that is not known. */
  lastModified?: string | undefined;
  /** Seconds since the document was last known to be current; undefined: it is. */
  age?: number | undefined;
};

/** Content codings other than identity, best first. zstd where Node has it (22.15, 23.8). */
type Coding = 'br' | 'zstd' | 'gzip';
type Compress = (body: Buffer) => Promise<Buffer>;

const { zstdCompress } = zlib as {
  zstdCompress?: (body: Buffer, done: (error: Error | null, result: Buffer) => void) => void;
};
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

/** Brotli's level 5 is about as fast as gzip's 6 on our documents, and 15 % smaller. */
const CODINGS: ReadonlyMap<Coding, Compress> = new Map<Coding, Compress>([
  ['br', (body) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ...(zstdCompress === undefined ? [] : ([['zstd', promisify(zstdCompress)]] as const)),
  ['gzip', promisify<Buffer, Buffer>(zlib.gzip)],
]);
const AVAILABLE = [...CODINGS.keys(), 'identity'];

/** Shorter bodies fit into a packet anyway. In bytes. */
const MIN_COMPRESSED_BYTES = 1_024;

const ANY_ORIGIN_LIST = Object.entries(ANY_ORIGIN).flat();

/** A document of this JSON text. */
export function renderDocument(locale: Locale, json: string): Document {
  const body = Buffer.from(json);
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return { locale, body, etag, encoded: new Map() };
}

/**
 * Sends 200 with the document in the coding that the client prefers, or 304 if it has the document (RFC 9110, 13.1). Any web page may
 * read it.
 */
export function sendDocument(
  req: IncomingMessage,
  res: ServerResponse,
  document: Document,
  cacheHeaders: CacheHeaders,
): void {
  const coding = document.body.length < MIN_COMPRESSED_BYTES ? undefined : codingFor(req.headers['accept-encoding']);
  const headers = headersOf(document, coding, cacheHeaders);
  if (isKnown(req, document, coding, cacheHeaders)) {
    setSent(res, { bytes: 0, hasValidator: true });
    res.writeHead(304, headers).end();
    return;
  }
  const encoded = coding === undefined ? document.body : encode(document, coding);
  if (coding !== undefined) headers.push('Content-Encoding', coding);
  if (Buffer.isBuffer(encoded)) send(req, res, headers, encoded);
  else encoded.then((body) => send(req, res, headers, body)).catch(() => res.destroy()); // only for want of memory
}

/**
 * As one list, which Node writes as it is, unless another was set before: setting them one by one costs more than all the rest of a kept
 * response.
 */
function headersOf(
  { locale, etag }: Document,
  coding: Coding | undefined,
  { maxAge, lastModified, age }: CacheHeaders,
): string[] {
  const headers = [
    ...ANY_ORIGIN_LIST,
    'ETag',
    validator(etag, coding),
    'Cache-Control',
    cacheControl(maxAge),
    'Content-Language',
    locale,
    'Vary',
    'Accept-Encoding',
  ];
  if (lastModified !== undefined) headers.push('Last-Modified', lastModified);
  if (age !== undefined) headers.push('Age', String(age));
  return headers;
}

/** A strong validator names one sequence of bytes (RFC 9110, 8.8.1), so each coding has its own. */
const validator = (etag: string, coding: Coding | undefined) =>
  coding === undefined ? `"${etag}"` : `"${etag}-${coding}"`;

/**
 * Fresh for at most a minute, the interval of the refresh. For four more a cache may serve it while it revalidates, so nothing shown is
 * older than the five minutes between two digests. Ten minutes bridge an outage.
 */
const cacheControl = (maxAge: number) => `public, max-age=${maxAge}, stale-while-revalidate=240, stale-if-error=600`;

/** A client that has the content in another coding needs no second copy. */
function isKnown(
  { headers }: IncomingMessage,
  { etag }: Document,
  coding: Coding | undefined,
  { lastModified }: CacheHeaders,
): boolean {
  const wanted = headers['if-none-match'];
  if (wanted === undefined) {
    if (lastModified === undefined || headers['if-modified-since'] === undefined) return false;
    return fresh(headers, { 'last-modified': lastModified });
  }
  // nearly always it is the one validator that we would send; there may be lists, weak ones and `*` as well
  if (wanted === validator(etag, coding) && headers['cache-control'] === undefined) return true;
  return [undefined, ...CODINGS.keys()].some((one) => fresh(headers, { etag: validator(etag, one) }));
}

/** Compresses once; later calls get the buffer at once. */
function encode({ body, encoded }: Document, coding: Coding): Promise<Buffer> | Buffer {
  const known = encoded.get(coding);
  if (known !== undefined) return known;
  const compress = CODINGS.get(coding) as Compress;
  const compressing = compress(body).then((result) => {
    encoded.set(coding, result);
    return result;
  });
  compressing.catch(() => encoded.delete(coding));
  encoded.set(coding, compressing);
  return compressing;
}

function send(req: IncomingMessage, res: ServerResponse, headers: string[], body: Buffer): void {
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(body.length));
  setSent(res, { bytes: body.length, hasValidator: true });
  res.writeHead(200, headers).end(req.method === 'HEAD' ? undefined : body);
}

/** Browsers send a handful of different Accept-Encoding headers; anything else is negotiated each time. */
const negotiated = new Map<string, Coding | undefined>();
const REMEMBERED = 200;

/** The published types lack the second argument, which decides between codings that the client likes equally. */
type Preferring = {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
};

function codingFor(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  if (negotiated.has(header)) return negotiated.get(header);
  const request = { headers: { 'accept-encoding': header } };
  const negotiator: Preferring = new Negotiator(request);
  const best = negotiator.encoding(AVAILABLE, { preferred: AVAILABLE });
  const coding = best === undefined || best === 'identity' ? undefined : (best as Coding);
  if (negotiated.size < REMEMBERED) negotiated.set(header, coding);
  return coding;
}
