/**
 * B16: a history through nginx with the configuration of src/http/README.md, next to nginx that serves the same bytes as a file; and how often
 * the service is asked meanwhile.
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { fetchRaw, type Response } from '../load/bare.ts';
import { startProxy, startStatic } from '../load/nginx.ts';
import { rateRows, ratesOf } from '../load/rates.ts';
import type { Context, Measure, Row } from '../run/measure.ts';
import { BASE, startService } from '../run/service.ts';
import { installedVersion } from '../run/versions.ts';

const PATH = `${BASE}/station/1-history.json`;
const CODINGS = { identity: {}, gzip: { 'Accept-Encoding': 'gzip' } } as const;
const MINUTE = 60_000;

/** What nginx asks, in front of the service: passes everything on, and notes when which document was asked for in which coding. */
async function startCounter(port: number) {
  const asked: { document: string; at: number; status: number }[] = [];
  const server = createServer((req, res) => {
    const at = performance.now();
    const passed = request({ host: '127.0.0.1', port, path: req.url, headers: req.headers }, (answer) => {
      const document = `${req.url} ${req.headers['accept-encoding'] ?? ''}`;
      asked.push({ document, at, status: answer.statusCode ?? 0 });
      res.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      answer.pipe(res);
    });
    passed.once('error', () => res.destroy()).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { asked, port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function run(context: Context): Promise<Row[]> {
  const unmeasured = { median: Number.NaN, low: Number.NaN, high: Number.NaN };
  if (installedVersion('nginx') === undefined) {
    const detail = 'nginx is not installed';
    return [{ id: 'B16', title: 'behind nginx', value: unmeasured, unit: '', better: 'higher', detail }];
  }
  const { database } = await context.town();
  const service = await startService(database);
  const counter = await startCounter(service.port);
  const proxy = await startProxy(counter.port);
  const rows: Row[] = [];
  try {
    counter.asked.length = 0; // until the proxy was up
    const begun = performance.now();
    for (const [coding, headers] of Object.entries(CODINGS)) {
      context.progress(`B16 ${coding}`);
      const file = await startStatic(PATH, await fetchRaw(proxy.port, PATH));
      try {
        await checkSame(proxy.port, file.port, headers);
        const rates = await ratesOf(context, { ours: proxy, reference: file }, { path: PATH, headers });
        const title = `history through nginx ÷ nginx static, ${coding}`;
        rows.push(...rateRows(rates, { id: 'B16', title, must: 0.95 }));
      } finally {
        await file.close();
      }
    }
    context.progress('B16 for longer than a minute');
    const steady = { connections: 8, rate: 500, seconds: context.quick ? 2 : 130 };
    await context.generator.run({ port: proxy.port, paths: [PATH], ...steady });
    rows.push(askedRow(counter.asked, (performance.now() - begun) / 1_000));
  } finally {
    await proxy.close();
    counter.close();
    await service.close();
  }
  return rows;
}

/** Throws unless both answer the same document in the same coding, under the same headers but for those of the file. */
async function checkSame(proxy: number, file: number, headers: Record<string, string>): Promise<void> {
  const [ours, theirs] = await Promise.all([proxy, file].map((port) => fetchRaw(port, PATH, headers)));
  const isSame = ours?.status === 200 && theirs?.status === 200 && isDeepStrictEqual(bare(ours), bare(theirs));
  if (!isSame) throw new Error(`nginx serves something else: ${ours?.headers.join(' ')}; ${theirs?.headers.join(' ')}`);
}

/** The document, and what says how to read and keep it; compressed bodies differ with the compressor, by less than any of this measures. */
function bare({ headers, body }: Response): unknown {
  const named = new Map(
    headers.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), headers[at + 1]] as const] : [])),
  );
  const coding = named.get('content-encoding');
  for (const name of ['content-length', 'etag', 'last-modified', 'server', 'accept-ranges']) named.delete(name);
  return { headers: [...named].sort(), text: String(coding === 'gzip' ? gunzipSync(body) : body) };
}

/** The most requests for a document in a coding within any minute. */
function askedRow(asked: { document: string; at: number; status: number }[], seconds: number): Row {
  const within = asked.map(
    (first) =>
      asked.filter(({ document, at }) => document === first.document && at >= first.at && at < first.at + MINUTE)
        .length,
  );
  const most = Math.max(...within);
  const unchanged = asked.filter(({ status }) => status === 304).length;
  return {
    id: 'B16',
    title: 'requests to the service per document, coding and minute, behind nginx',
    value: { median: most, low: most, high: most },
    unit: '',
    better: 'lower',
    must: 1,
    detail: `${asked.length} requests in ${Math.round(seconds)} s, ${unchanged} of them answered 304`,
  };
}

export const proxied: Measure = { ids: ['B16'], title: 'kept documents behind nginx', run };
