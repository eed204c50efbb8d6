/** The archive over HTTP: ranges, validators, resumed downloads, and what is not served. */
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openReaderPool } from '../../../src/database/pools.ts';
import { addArchive } from '../../../src/extras/archive/serve.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { routeOf, sentOf } from '../../../src/http/observed.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { NOW } from '../../support/clock.ts';
import { freePort } from '../../support/freePort.ts';
import { httpGet } from '../../support/http.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { until } from '../../support/patience.ts';
import { MODIFIED, monthOfHours, put, putIndex, sha256 } from './folder.ts';

const HOURS = 'hours/2026-10.parquet';
const CSV = 'station_id,title\n1,One\n';
const BYTES = 'PAR1 0123456789 of a month PAR1';

/** The archive of a folder; the database of the service cannot be reached. */
async function serveArchive(folder: string | undefined): Promise<Listening & { origin: string }> {
  const nowhere = { host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' };
  const db = openReaderPool(nowhere, { timeZone: 'Asia/Yerevan', max: 1 });
  const app = makeApp({
    db,
    clock: () => NOW,
    siteBaseUrl: '',
    log,
    measure: (_req, res, next) => {
      res.on('close', () => counted.push([routeOf(res), sentOf(res).bytes]));
      next();
    },
    routes: [
      (router, parts) => {
        router.use((_req, res, next) => {
          responses.push(res);
          next();
        });
        addArchive(router, folder, { parts, clock: () => NOW, log });
      },
    ],
  });
  const port = Number(await freePort());
  const listening = await listen(app, { port, variable: 'PORT' });
  const close = async () => {
    await listening.close({ drainMs: 0, deadlineMs: 100 });
    await db.destroy();
  };
  closers.push(close);
  return { ...listening, origin: `http://127.0.0.1:${listening.port}` };
}
const closers: (() => Promise<void>)[] = [];
const responses: ServerResponse[] = [];
const log = keepingLog();
/** The route and the bytes of each answer, as metrics see them. */
const counted: [route: string | undefined, bytes: number][] = [];

const root = mkdtempSync(join(tmpdir(), 'airseries-archive-'));
const archiveFolder = () => mkdtempSync(join(root, 'folder-'));

let folder: string;
let origin: string;
beforeAll(async () => {
  folder = archiveFolder();
  put(folder, HOURS, BYTES);
  put(folder, 'stations.csv', CSV);
  put(folder, OPEN_DATA, CSV);
  put(folder, 'airquality-am/README.txt', 'Read me.\n');
  put(folder, 'airquality-am/LICENSE', 'CC-BY-4.0\n');
  putIndex(folder, LISTED, {}, INDEX);
  origin = (await serveArchive(folder)).origin;
  return async () => {
    for (const close of closers) await close();
    rmSync(root, { recursive: true });
  };
});

const OPEN_DATA = 'airquality-am/station_avg_hourly/station_avg_hourly_2026.csv';
const LISTED = [HOURS, 'stations.csv', OPEN_DATA];
const INDEX = { documents: ['airquality-am/README.txt', 'airquality-am/LICENSE'] };

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${origin}/archive/${path}`, { method, headers, redirect: 'manual' });
/** The first digits of the hash in the index. */
const etagOf = (content: string) => `"${sha256(content).slice(0, 32)}"`;

describe('a file', () => {
  it('a file is sent with its type, a validator of its content, its time, and for a minute', async () => {
    const answer = await get(HOURS);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(BYTES);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-length': String(BYTES.length),
      'accept-ranges': 'bytes',
      etag: etagOf(BYTES),
      'last-modified': MODIFIED.toUTCString(),
      'cache-control': 'public, max-age=60',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['stations.csv', 'text/csv; charset=utf-8'],
    [OPEN_DATA, 'text/csv; charset=utf-8'],
    ['datapackage.json', 'application/json; charset=utf-8'],
    ['airquality-am/README.txt', 'text/plain; charset=utf-8'],
    ['airquality-am/LICENSE', 'text/plain; charset=utf-8'],
  ])('the file %s has the type %s', async (path, type) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    const text = readFileSync(join(folder, path), 'utf8');
    expect(await answer.text()).toBe(text);
    if (path === 'datapackage.json') expect(answer.headers.get('etag')).toBe(etagOf(text));
  });

  it('a script of any other site may read it, in parts, and its length and validators', async () => {
    const answer = await get(HOURS, { Origin: 'https://other.example', Range: 'bytes=0-3' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['ETag', 'Accept-Ranges', 'Content-Length', 'Content-Range']),
    );
  });

  it('a client that has the file gets 304, by its validator or its time', async () => {
    // `fetch` would ask caches not to answer
    const ask = (headers: Record<string, string>) =>
      httpGet(Number(new URL(origin).port), `/archive/${HOURS}`, headers);
    for (const known of [
      { 'If-None-Match': etagOf(BYTES) },
      { 'If-None-Match': `"another", W/${etagOf(BYTES)}` },
      { 'If-Modified-Since': MODIFIED.toUTCString() },
    ]) {
      const { status, headers, body } = await ask(known);
      expect([status, body, headers.etag]).toEqual([304, '', etagOf(BYTES)]);
    }
    for (const other of [
      { 'If-None-Match': '"another"' },
      { 'If-Modified-Since': new Date(MODIFIED.getTime() - 1_000).toUTCString() },
      { 'If-Modified-Since': new Date(NOW.getTime() + 1_000).toUTCString() }, // has not come
      { 'If-Modified-Since': '2027' },
    ])
      expect(await ask(other)).toMatchObject({ status: 200 });
    expect(await ask({ 'If-Unmodified-Since': MODIFIED.toUTCString() })).toMatchObject({
      status: 200,
    });
    const earlier = new Date(MODIFIED.getTime() - 60_000).toUTCString();
    expect(await ask({ 'If-Unmodified-Since': earlier })).toMatchObject({ status: 412 });
    expect(await ask({ 'If-Match': '"another"' })).toMatchObject({ status: 412 });
  });
});

describe('a range', () => {
  it.each<readonly [range: string, text: string, of: string]>([
    ['bytes=0-3', 'PAR1', '0-3'],
    ['bytes=-4', 'PAR1', '27-30'],
    ['bytes=5-', BYTES.slice(5), '5-30'],
    ['bytes=5-9999', BYTES.slice(5), '5-30'],
    ['bytes=-32', BYTES, '0-30'], // fewer than that: all of it (RFC 9110, 14.1.2)
    ['Bytes=0-0', 'P', '0-0'],
    ...['bytes=9-5', 'bytes=-', 'lines=1-2', 'bytes=0-1,4-5'].map((no) => [no, BYTES, ''] as const),
  ])(
    'the range %s is answered with just these bytes, and if it is not one valid range with all',
    async (range, text, of) => {
      const answer = await get(HOURS, { Range: range });
      expect([answer.status, await answer.text()]).toEqual([of === '' ? 200 : 206, text]);
      expect(answer.headers.get('content-range')).toBe(of === '' ? null : `bytes ${of}/31`);
      expect(answer.headers.get('content-length')).toBe(String(text.length));
    },
  );

  it.each(['bytes=31-', 'bytes=-0'])(
    'the range %s, which has no byte, is 416 in JSON and says how long the file is',
    async (range) => {
      const answer = await get(HOURS, { Range: range });
      expect(await answer.json()).toMatchObject({ status: 416 });
      expect(answer.status).toBe(416);
      expect(answer.headers.get('content-range')).toBe(`bytes */${BYTES.length}`);
      expect(answer.headers.get('etag')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('a file that changes between two ranges has another validator, also of the same length; If-Range gives the range of the one that is meant, else the whole new one', async () => {
    const path = 'hours/2026-09.parquet';
    const [old, now] = [BYTES, BYTES.replace('month', 'MONTH')];
    put(folder, path, old);
    putIndex(folder, [...LISTED, path], {}, INDEX);
    const first = await get(path, { Range: 'bytes=0-9', 'If-Range': etagOf(old) });
    expect([first.status, await first.text()]).toEqual([206, old.slice(0, 10)]);
    const etag = first.headers.get('etag') as string;
    expect(etag).toBe(etagOf(old));
    put(folder, path, now, new Date('2026-11-02T22:15:30Z'));
    // the index comes last: until then the file is not the one that it describes
    const between = await get(path, { Range: 'bytes=10-', 'If-Range': etag });
    expect([between.status, await between.text()]).toEqual([200, now]);
    expect(between.headers.get('etag')).toMatch(/^W\//);
    putIndex(folder, [...LISTED, path], {}, INDEX);
    const last = await get(path, { Range: 'bytes=10-', 'If-Range': etag });
    expect([last.status, await last.text()]).toEqual([200, now]);
    expect(last.headers.get('etag')).toBe(etagOf(now));
  });

  it('a file that is replaced while it is asked for has the validator of the bytes that are sent', async () => {
    const path = 'hours/2026-07.parquet';
    const contents = [BYTES, BYTES.replace('month', 'MONTH')];
    put(folder, path, contents[0] as string);
    putIndex(folder, [...LISTED, path], {}, INDEX);
    let n = 0;
    const replace = () => {
      n = 1 - n; // the one of the index, and another
      const at = new Date(MODIFIED.getTime() + n * 1_000);
      put(folder, `${path}.part`, contents[n] as string, at);
      renameSync(join(folder, `${path}.part`), join(folder, path));
    };
    const writing = setInterval(replace, 0);
    const wrong: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => get(path)));
      for (const answer of answers) {
        const [etag, text] = [answer.headers.get('etag') ?? '', await answer.text()];
        if (!etag.startsWith('W/') && etag !== etagOf(text)) wrong.push(etag);
      }
    }
    clearInterval(writing);
    expect(wrong).toEqual([]);
    putIndex(folder, LISTED, {}, INDEX);
  });
});

describe('what is not served', () => {
  beforeAll(() => {
    put(folder, 'hours/2026-11.parquet.part', 'half');
    put(folder, '.hidden.csv', 'hidden');
    put(folder, 'hours/.2026.csv', 'hidden');
    put(folder, 'run.sh', 'script');
    put(folder, 'notes.csv', 'of nobody’s index');
    symlinkSync('/etc/passwd', join(folder, 'passwd.csv'));
    symlinkSync(join(folder, 'stations.csv'), join(folder, 'link.csv'));
    put(join(folder, '..'), 'hours/2026-10.parquet', BYTES);
    symlinkSync(join(folder, '../hours'), join(folder, 'linked'));
    const listed = ['passwd.csv', 'link.csv', 'linked/2026-10.parquet', 'run.sh', '.hidden.csv'];
    putIndex(folder, [...LISTED, ...listed], {}, INDEX);
    put(join(folder, '..'), 'outside.csv', 'outside');
  });

  it.each([
    'hours/2027-01.parquet',
    'hours/2026-11.parquet.part',
    'notes.csv',
    'passwd.csv',
    'link.csv',
    'linked/2026-10.parquet',
    '.hidden.csv',
    'hours/.2026.csv',
    'run.sh',
    'hours',
    '../outside.csv',
    '%2e%2e%2foutside.csv',
    'stations.csv%00',
    'stations.csv/',
    `${'x'.repeat(300)}.csv`,
  ])('the path %s is 404 in JSON', async (path) => {
    const port = Number(new URL(origin).port);
    const { status, headers, body } = await httpGet(port, `/archive/${path}`); // as it is written
    expect(JSON.parse(body)).toMatchObject({ status: 404, title: 'Not Found' });
    expect(status).toBe(404);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('etag');
  });

  it.each([
    ['pollen.csv', '/archive/datapackage.json lists its files.'],
    ['hours/2026-10-01.csv', 'Did you mean /archive/hours/2026-10.parquet? /archive/'],
    ['station.csv', 'Did you mean /archive/stations.csv? /archive/'],
    ['hours/2026-11.parquet', 'It comes with the next night, soon after 02:23 (UTC). /archive/'],
    ['regions-days/2027.parquet', '2027 has not begun. /archive/'],
    ['hours/2019-01.parquet', 'Nothing was measured in 2019-01. /archive/'],
  ])('a 404 for %s says when it comes, or which file may be meant', async (path, said) => {
    const { detail } = (await (await get(path)).json()) as { detail: string };
    expect(detail).toContain(`The archive has no file "${path}". ${said}`);
  });
});

describe('/archive/', () => {
  it('without pages, /archive/ leads to the index', async () => {
    for (const [path, to] of [
      ['', '/archive/'],
      ['/', '/archive/datapackage.json'],
    ]) {
      const answer = await fetch(`${origin}/archive${path}`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, to]);
    }
  });

  it('without ARCHIVE_DIR, every path says how to switch the archive on', async () => {
    const off = await serveArchive(undefined);
    for (const path of ['', '/', '/datapackage.json', `/${HOURS}`]) {
      const answer = await fetch(`${off.origin}/archive${path}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('ARCHIVE_DIR') });
    }
  });

  it('an index that cannot be read is logged once, and the last one that could is used until it is written again', async () => {
    const broken = archiveFolder();
    const text = '{"resources": [{"path": "x"}]}';
    put(broken, 'datapackage.json', text);
    put(broken, HOURS, BYTES);
    const server = await serveArchive(broken);
    const ask = () => fetch(`${server.origin}/archive/${HOURS}`);
    const early = await ask();
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '300']);
    expect(await early.json()).toMatchObject({ detail: expect.stringContaining('airseries.js') });
    putIndex(broken, [HOURS]);
    expect((await ask()).headers.get('etag')).toBe(etagOf(BYTES));
    put(broken, 'datapackage.json', text.slice(0, 10));
    const later = [await ask(), await ask()];
    expect(later.map(({ status, headers }) => [status, headers.get('etag')])).toEqual(
      later.map(() => [200, etagOf(BYTES)]),
    );
    const said = log.lines.filter((line) => JSON.stringify(line).includes(broken));
    expect(said.map((line) => JSON.stringify(line))).toEqual([
      expect.stringContaining('cannot be read'),
      expect.stringContaining('cannot be read'),
    ]);
  });
});

it('metrics count files under one route with the bytes sent, and the log has the path', async () => {
  counted.length = 0;
  await (await get(HOURS, { Range: 'bytes=0-3' })).text();
  await until(() => counted.length > 0, 'the answer is counted');
  expect(counted).toEqual([['/archive/{path}', 4]]);
  const paths = log.lines.map((line) => JSON.stringify(line));
  expect(paths.at(-1)).toContain(`"/archive/${HOURS}"`);
});

describe('a large file', () => {
  const LARGE = 'hours/2020-01.parquet';
  const SIZE = 3_000_000_000;
  beforeAll(() => {
    put(folder, LARGE, '');
    truncateSync(join(folder, LARGE), SIZE); // it has no blocks on the disk
    appendFileSync(join(folder, LARGE), 'PAR1');
    const { resources } = JSON.parse(readFileSync(join(folder, 'datapackage.json'), 'utf8'));
    const large = { ...resources[0], path: LARGE, bytes: SIZE + 4 };
    put(folder, 'datapackage.json', JSON.stringify({ resources: [...resources, large] }));
  });

  it('a range beyond two gigabytes is read', async () => {
    const answer = await get(LARGE, { Range: `bytes=${SIZE}-` });
    expect([answer.status, await answer.text()]).toEqual([206, 'PAR1']);
  });

  it('a client that does not read on holds no memory, and no shutdown', async () => {
    const server = await serveArchive(folder);
    const before = process.memoryUsage().arrayBuffers;
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(`GET /archive/${LARGE} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => responses.at(-1)?.writableNeedDrain ?? false, 'the client is behind');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
    const closed = new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
    await server.close({ drainMs: 0, deadlineMs: 200 });
    socket.resume();
    await closed;
  });
});

it('one station of a month is read with few requests and a small part of the bytes', async () => {
  const [stations, hours] = [200, 100];
  const content = monthOfHours(stations, hours, 20);
  put(folder, 'hours/2026-08.parquet', content);
  putIndex(folder, [...LISTED, 'hours/2026-08.parquet'], {}, INDEX);
  let [requests, bytes] = [0, 0];
  const counting: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    requests += 1;
    bytes += init?.method === 'HEAD' ? 0 : Number(answer.headers.get('content-length'));
    return answer;
  };
  const url = `${origin}/archive/hours/2026-08.parquet`;
  const file = await asyncBufferFromUrl({ url, fetch: counting });
  const rows = await parquetReadObjects({
    file,
    metadata: await parquetMetadataAsync(file, { initialFetchSize: 16_384 }),
    columns: ['station_id', 'timestamp', 'avg_pm25'],
    filter: { station_id: { $eq: 137 } },
  });
  expect(rows).toHaveLength(hours);
  expect(new Set(rows.map(({ station_id }) => station_id))).toEqual(new Set([137]));
  expect(requests).toBeLessThanOrEqual(6);
  expect(bytes).toBeLessThan(content.length / 4);
});
