/** The nginx configuration of src/http/README.md: it requests a document at most once a minute, and gets 304 unless it changed. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../serve/serve.ts';
import { engines } from '../support/database.ts';
import { freePort, makeHome } from '../support/program.ts';
import { needs } from '../support/tools.ts';

const PATH = '/en/air-quality-app/v1/stations.json';

const configuration = () => {
  const [, block = ''] =
    /```nginx\n([\s\S]*?)```/.exec(readFileSync('src/http/README.md', 'utf8')) ?? [];
  return block;
};

it('the configuration has about twenty lines', () => {
  expect(configuration().trim().split('\n').length).toBeLessThanOrEqual(22);
});

describe('behind nginx', needs('nginx'), () => {
  let served: Served;
  let origin: Server;
  let url: string;
  let stop: () => Promise<void>;
  let home: ReturnType<typeof makeHome>;
  const requests: { coding: string; status: number }[] = [];

  beforeAll(async () => {
    home = makeHome(); // not where the tests are skipped
    served = await serve(engines[0] ?? 'plain', { path: 'kept' });
    const counted: RequestListener = (req, res) => {
      res.once('finish', () => {
        requests.push({
          coding: String(req.headers['accept-encoding'] ?? ''),
          status: res.statusCode,
        });
      });
      served.app(req, res);
    };
    origin = createServer(counted).listen(0);
    const { folder } = home;
    const port = await freePort();
    const block = configuration()
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('127.0.0.1:8080', `127.0.0.1:${(origin.address() as AddressInfo).port}`)
      .replace('/var/cache/nginx/airseries', join(folder, 'cache'));
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log stderr error; events {}\nhttp { access_log off; ${paths.join(' ')}\n${block}}\n`,
    );
    const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      stdio: 'inherit',
    });
    stop = () =>
      new Promise((resolve) => {
        nginx.once('exit', () => resolve());
        nginx.kill('SIGTERM');
      });
    url = `http://127.0.0.1:${port}${PATH}`;
    while (
      !(await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
        () => true,
        () => false,
      ))
    );
    requests.length = 0;
  });
  afterAll(async () => {
    await stop();
    await new Promise((resolve) => origin.close(resolve));
    await served.close();
    home.remove();
  });

  const get = (coding: string) => fetch(url, { headers: { 'Accept-Encoding': coding } });

  it('requests a document once in each coding, whatever headers clients send', async () => {
    const plain = await (await get('identity')).text();
    for (const coding of ['gzip', 'gzip, deflate', 'br, gzip', 'br', 'deflate']) {
      const answer = await get(coding);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(plain);
    }
    expect(requests).toEqual([
      { coding: '', status: 200 },
      { coding: 'gzip', status: 200 },
      { coding: 'br', status: 200 },
    ]);
  });

  it('never takes the end of a path for a coding', async () => {
    expect((await get('gzip')).status).toBe(200);
    expect((await fetch(`${url}gzip`, { headers: { 'Accept-Encoding': 'identity' } })).status).toBe(
      404,
    );
  });

  it('answers a client that has the document with 304, without a request', async () => {
    const { headers } = await get('gzip');
    const before = requests.length;
    const again = await fetch(url, {
      headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect(requests.length).toBe(before);
  });
});
