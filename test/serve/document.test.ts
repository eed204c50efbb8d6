/** Documents in their codings, small and large. */
import { createServer } from 'node:http';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import {
  type Document,
  encode,
  renderDocument,
  renderPieces,
  sendDocument,
  sizeOf,
} from '../../src/serve/document.ts';

const SMALL = ['{"text":"', 'ա'.repeat(1_000), '"}'];
const LARGE = [
  '{"text":"',
  ...Array.from({ length: 1_000 }, (_, n) => `${n} ա `.repeat(300)),
  '"}',
];

/** The response to a client that accepts these codings, with the bytes as they were sent. */
async function sent(document: Document, accepted: string) {
  const server = createServer((req, res) => sendDocument(req, res, document, { maxAge: 1 }));
  const raw = await request(server)
    .get('/')
    .set('Accept-Encoding', accepted)
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => done(null, Buffer.concat(chunks)));
    });
  return { status: raw.status, headers: raw.headers, text: String(raw.body) };
}

describe('a document in pieces', () => {
  it.each([
    ['small', SMALL],
    ['large', LARGE],
  ])(
    'a %s document in pieces is the document of the whole text, in every coding, however often it is sent',
    async (_, pieces) => {
      const document = await renderPieces('hy', pieces);
      const whole = renderDocument('hy', pieces.join(''));
      expect([document.etag, document.bytes]).toEqual([whole.etag, whole.bytes]);
      for (const coding of ['identity', 'br', 'gzip', 'identity', 'gzip']) {
        const [one, other] = [await sent(document, coding), await sent(whole, coding)];
        expect(one.text === pieces.join(''), coding).toBe(true);
        expect(one.headers.etag).toBe(other.headers.etag);
        expect(one.headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
      }
    },
  );

  it('a large document in pieces is kept compressed only', async () => {
    const document = await renderPieces('hy', LARGE);
    const br = document.kept.get('br') as Buffer;
    expect([...document.kept.keys()]).toEqual(['br']);
    expect(String(await encode(document, 'identity')) === LARGE.join('')).toBe(true);
    expect(sizeOf(document)).toBeGreaterThan(br.length * 2);
    expect(sizeOf(document)).toBeLessThan(document.bytes / 2);
    expect([...(await renderPieces('hy', SMALL)).kept.keys()]).toEqual(['identity']);
  });

  it('other work gets a turn between the pieces of a large document', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await renderPieces('hy', LARGE);
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(LARGE.length);
  });
});

describe('If-Modified-Since', () => {
  const lastModified = 'Fri, 20 Nov 2026 12:00:00 GMT';
  const sentAt = Date.parse('2026-11-20T12:30:00Z');
  const document = renderDocument('en', '{}');
  const server = createServer((req, res) =>
    sendDocument(req, res, document, { maxAge: 1, lastModified, sentAt }),
  );

  it.each([
    [lastModified, 304],
    ['Fri, 20 Nov 2026 12:10:00 GMT', 304],
    ['Fri, 20 Nov 2026 11:59:59 GMT', 200],
    ['2027', 200],
    ['2026-11-20T12:00:00Z', 200],
    ['Sat, 20 Nov 2026 12:00:00 GMT', 200],
    ['Fri, 01 Jan 2027 00:00:00 GMT', 200],
    ['', 200],
  ])(
    'If-Modified-Since "%s" gives %i: only an HTTP date that has come counts',
    async (date, status) => {
      expect((await request(server).get('/').set('If-Modified-Since', date)).status).toBe(status);
    },
  );

  it('If-Modified-Since is ignored where the client wants no cache', async () => {
    const call = request(server).get('/').set('If-Modified-Since', lastModified);
    expect((await call.set('Cache-Control', 'no-cache')).status).toBe(200);
  });
});
