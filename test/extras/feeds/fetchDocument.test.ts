/** A document is fetched from an allowed host and within its limits, or not at all. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { InputError } from '../../../src/base/inputError.ts';
import {
  type FetchLimits,
  fetchDocument,
  isAllowed,
} from '../../../src/extras/feeds/fetchDocument.ts';
import { openProvider, type Provider } from './server.ts';

let provider: Provider;
let other: Provider;
beforeAll(async () => {
  [provider, other] = await Promise.all([openProvider(), openProvider()]);
});
beforeEach(() => {
  provider.requests.length = 0;
  other.requests.length = 0;
  other.serve('not for us');
});
afterAll(() => Promise.all([provider.close(), other.close()]));

const fetchIt = (address = provider.url(), limits?: FetchLimits) =>
  fetchDocument(address, { provider: 'them', hosts: [provider.host], limits }, textOf);
const textOf = async (chunks: AsyncIterable<Uint8Array>) => {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return new TextDecoder().decode(Buffer.concat(all));
};
const limits = { timeMs: 30_000, bytes: 1_000 };

it('a request for a document identifies itself as airseries', async () => {
  provider.answer((request, response) => response.end(request.headers['user-agent']));
  expect(await fetchIt()).toBe('airseries');
});

it.each([
  ['gzip', gzipSync('[1,"ü"]')],
  ['identity', Buffer.from('\ufeff[1,"ü"]')],
])('a document with content encoding %s is read as text', async (encoding, body) => {
  provider.answer((_request, response) =>
    response.setHeader('content-encoding', encoding).end(body),
  );
  expect(await fetchIt()).toBe('[1,"ü"]');
});

it('the transfer of a document ends as soon as the reader refuses it', async () => {
  const left = new Promise<string>((resolve) => {
    provider.answer((_request, response) => {
      response.once('close', () => resolve('the client left'));
      response.write('[');
    });
  });
  const refuseAtOnce = async (chunks: AsyncIterable<Uint8Array>): Promise<never> => {
    await chunks[Symbol.asyncIterator]().next();
    throw new InputError('it', 'it is refused', '');
  };
  const hour = { timeMs: 3_600_000, bytes: 1_000 };
  const options = { provider: 'them', hosts: [provider.host], limits: hour };
  await expect(fetchDocument(provider.url(), options, refuseAtOnce)).rejects.toThrow('is refused');
  expect(await left).toBe('the client left');
});

describe('redirects', () => {
  const redirect = (location: (path: string) => string | undefined) =>
    provider.answer(({ url = '' }, response) => {
      const to = location(url);
      if (to === undefined) response.end(`found at ${url}`);
      else response.writeHead(302, { location: to }).end('elsewhere');
    });

  it('redirects within a host are followed three times at most', async () => {
    redirect((path) => (path === '/3' ? undefined : `${Number(path.slice(1)) + 1}`));
    expect(await fetchIt(provider.url('/0'))).toBe('found at /3');
    redirect((path) => (path === '/4' ? undefined : `/${Number(path.slice(1)) + 1}`));
    await expect(fetchIt(provider.url('/0'))).rejects.toThrow('it redirects more than 3 times');
  });

  it.each([
    ['another host', () => other.url()],
    ['another name of the host', () => provider.url().replace('127.0.0.1', 'localhost')],
    ['a file', () => 'file:///etc/hostname'],
    ['nowhere', () => 'http://'],
    ['an address with a password', () => provider.url().replace('//', '//me:secret@')],
  ])('a redirect to %s is refused', async (_, location) => {
    redirect((path) => (path === '/data.json' ? location() : undefined));
    await expect(fetchIt()).rejects.toThrow('it redirects to another host, which is not followed');
    expect(provider.requests).toEqual(['/data.json']);
    expect(other.requests).toEqual([]);
  });

  it('a redirect to another host is refused even if that host is allowed too', async () => {
    redirect(() => other.url());
    const both = { provider: 'them', hosts: [provider.host, other.host] };
    await expect(fetchDocument(provider.url(), both, textOf)).rejects.toThrow('another host');
    expect(other.requests).toEqual([]);
  });
});

it('a redirect from an encrypted address to an unencrypted one is refused', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: URL) => {
    asked.push(url.href);
    return new Response(null, { status: 302, headers: { location: 'http://data.example/' } });
  });
  const fetching = fetchDocument(
    'https://data.example/',
    { provider: 'them', hosts: ['data.example'] },
    textOf,
  );
  await expect(fetching).rejects.toThrow('it redirects to another host, which is not followed');
  expect(asked).toEqual(['https://data.example/']);
  vi.unstubAllGlobals();
});

describe('limits', () => {
  it('the limit of a document’s size applies after decompression', async () => {
    const serve = (bytes: number) =>
      provider.answer((_request, response) =>
        response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(bytes, 'x'))),
      );
    serve(1_000);
    expect(await fetchIt(provider.url(), limits)).toHaveLength(1_000);
    serve(1_001);
    await expect(fetchIt(provider.url(), limits)).rejects.toThrow('it is larger than 1000 bytes');
  });

  it.each([
    ['before the headers', () => provider.answer(() => undefined)],
    ['before the body', () => provider.answer((_request, response) => response.flushHeaders())],
    ['in the body', () => provider.answer((_request, response) => response.write('['))],
    [
      'while it redirects',
      () =>
        provider.answer(({ url }, response) => {
          if (url !== '/next') response.writeHead(302, { location: '/next' }).end();
        }),
    ],
  ])('a server that stops %s is given up at the limit of time', async (_, answer) => {
    answer();
    await expect(fetchIt(provider.url(), { ...limits, timeMs: 100 })).rejects.toThrow(
      'it did not arrive within 0.1 s',
    );
  });
});

it.each([
  [
    'an error',
    'it answered 500',
    () => provider.answer((_request, response) => response.writeHead(500).end()),
  ],
  [
    'an answer that nothing was modified',
    'it answered 304',
    () => provider.answer((_q, response) => response.writeHead(304).end()),
  ],
  [
    'a cut connection',
    'it could not be fetched (',
    () => provider.answer(({ socket }) => socket.destroy()),
  ],
  [
    'a cut body',
    'it could not be fetched (',
    () =>
      provider.answer(({ socket }, response) => {
        response.setHeader('content-length', 100).write('[');
        setImmediate(() => socket.destroy());
      }),
  ],
  [
    'damaged gzip',
    'it could not be fetched (',
    () =>
      provider.answer((_q, response) =>
        response.setHeader('content-encoding', 'gzip').end('no gzip at all'),
      ),
  ],
])(
  'the error for %s names provider, address and remedy, and no secret',
  async (_, what, answer) => {
    answer();
    const error = await fetchIt(`${provider.url()}?key=secret`).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InputError);
    const { message, input } = error as InputError;
    expect(input).toBe(`provider them, ${provider.url()}`);
    expect(message).toContain(what);
    expect(message).toMatch(/(Open the address yourself|Correct the address)/);
    expect(message).not.toContain('secret');
  },
);

it.each([401, 403])(
  'an answer %i asks for the key in the address, because no header is sent with one',
  async (status) => {
    provider.answer((_request, response) => response.writeHead(status).end());
    await expect(fetchIt(`${provider.url()}?api_key=old`)).rejects.toThrow(
      `provider them, ${provider.url()}: it answered ${status}. If it wants a key, write it into the address (pull.url) as the provider documents`,
    );
  },
);

it.each(['me:secret', ':secret', 'me'])(
  'an address with user "%s" is refused, and the error does not repeat it',
  async (user) => {
    const fetching = fetchIt(provider.url().replace('//', `//${user}@`));
    await expect(fetching).rejects.toThrow(
      `provider them, ${provider.url()}: it contains a user name or a password`,
    );
    expect(provider.requests).toEqual([]);
  },
);

it.each([
  ['https://data.example/x.json', 'data.example', true],
  ['https://data.example/x.json', 'Data.Example', true],
  ['https://DATA.example/x.json', 'data.example', true],
  ['https://data.example/x.json', 'data.example:443', true],
  ['https://data.example:443/x.json', 'data.example', true],
  ['http://data.example/x.json', 'data.example:443', false],
  ['https://data.example:8443/x.json', 'data.example', false],
  ['https://data.example:8443/x.json', 'data.example:8443', true],
  ['https://more.data.example/', 'data.example', false],
  ['https://data.example.evil/', 'data.example', false],
  ['https://data.example@evil.example/', 'data.example', false],
  ['http://[::1]:8080/', '[::1]:8080', true],
])('%s is allowed by %s in PULL_HOSTS: %s', (address, host, allowed) => {
  expect(isAllowed(address, ['elsewhere.example', host])).toBe(allowed);
});

/** Files, and URLs of this machine, its private network, or a cloud's metadata service. */
const ADDRESSES = (port: number) => [
  'file:///etc/hostname',
  'data:application/json,[]',
  'ftp://127.0.0.1/data.json',
  'no address',
  `http://127.0.0.1:${port}/`,
  `http://127.1:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f000001:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://0.0.0.0:${port}/`,
  `http://①②⑦.⓪.⓪.①:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://localhost:${port}/`,
  `http://LOCALHOST.:${port}/`,
  `http://data.example@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}#data.example`,
  `http://127.0.0.1:${port}?@data.example/`,
  `http://127.0.0.1:${port}\\@data.example/`,
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://10.0.0.1/',
  'http://[fe80::1]/',
  'http://metadata.google.internal/',
  'http://127.0.0.1.nip.io/',
];

it('private addresses in any notation are refused before any connection or DNS lookup', async ({
  annotate,
}) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const addresses = ADDRESSES((server.address() as AddressInfo).port);
  const read = async () => expect.unreachable();
  for (const address of addresses) {
    const fetching = fetchDocument(
      address,
      { provider: 'them', hosts: ['data.example'], limits: { timeMs: 2_000, bytes: 1_000 } },
      read,
    );
    await expect(fetching, address).rejects.toThrow('not among PULL_HOSTS');
  }
  expect(connections).toBe(0);
  await annotate(
    `kept: ${addresses.length} addresses of this machine and its network, 0 of them contacted`,
  );
});
