/**
 * Content codings: a document in the coding that the client prefers, each with its own ETag, any of
 * which gives 304.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { PATHS, type Served, serve } from './serve.ts';

const PATH = '/en/air-quality-app/v1/stations.json';

function decoded(body: Buffer, coding: string | null): Buffer {
  if (coding === 'gzip') return gunzipSync(body);
  if (coding === 'br') return brotliDecompressSync(body);
  return body;
}

describe.each(PATHS)('%s', (path) => {
  let served: Served;
  let server: Server;
  let url: string;
  let identity: Buffer;
  let etag: string;
  beforeAll(async () => {
    served = await serve(engines[0] ?? 'plain', { path });
    server = createServer(served.app).listen(0);
    url = `http://localhost:${(server.address() as AddressInfo).port}${PATH}`;
    const plain = await fetchBytes({ 'Accept-Encoding': 'identity' });
    identity = plain.body;
    etag = plain.headers.get('etag') ?? '';
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await served.close();
  });

  /** Undecoded: fetch would decompress the body. */
  async function fetchBytes(headers: Record<string, string>, method = 'GET') {
    const { request } = await import('node:http');
    return await new Promise<{ status: number; headers: Headers; body: Buffer }>(
      (resolve, reject) => {
        request(url, { method, headers }, (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.on('end', () =>
            resolve({
              status: res.statusCode ?? 0,
              headers: new Headers(res.headers as Record<string, string>),
              body: Buffer.concat(chunks),
            }),
          );
        })
          .on('error', reject)
          .end();
      },
    );
  }

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0', null],
    ['identity', null],
    ['deflate', null],
    ['', null],
    ['gzip;q=0, *;q=0', null],
  ])(
    'a document for Accept-Encoding "%s" is sent with Content-Encoding %s',
    async (accepted, coding) => {
      const { headers, body } = await fetchBytes({ 'Accept-Encoding': accepted });
      expect(headers.get('content-encoding')).toBe(coding);
      expect(headers.get('content-length')).toBe(String(body.length));
      expect(headers.get('vary')).toBe('Accept-Encoding');
      expect(decoded(body, coding).equals(identity)).toBe(true);
      if (coding !== null) expect(body.length).toBeLessThan(identity.length / 2);
    },
  );

  it('a document has a different ETag in each coding, and any of them gives 304', async () => {
    const tags = await Promise.all(
      ['identity', 'gzip', 'br'].map(
        async (coding) =>
          (await fetchBytes({ 'Accept-Encoding': coding })).headers.get('etag') ?? '',
      ),
    );
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) {
      for (const coding of ['identity', 'gzip', 'br']) {
        const { status, headers, body } = await fetchBytes({
          'If-None-Match': tag,
          'Accept-Encoding': coding,
        });
        expect([status, body.length, headers.get('content-encoding')]).toEqual([304, 0, null]);
        expect(headers.get('vary')).toBe('Accept-Encoding');
      }
    }
    const other = await fetchBytes({ 'If-None-Match': `${etag.slice(0, -1)}-other"` });
    expect(other.status).toBe(200);
  });

  it('HEAD is answered with the headers of the coding, and no body', async () => {
    const [get, head] = [
      await fetchBytes({ 'Accept-Encoding': 'gzip' }),
      await fetchBytes({ 'Accept-Encoding': 'gzip' }, 'HEAD'),
    ];
    const without = ({ headers }: typeof get) =>
      Object.fromEntries([...headers].filter(([name]) => name !== 'date'));
    expect(without(head)).toEqual(without(get));
    expect(head.body.length).toBe(0);
  });
});
