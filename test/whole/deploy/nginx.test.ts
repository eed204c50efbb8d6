/**
 * The nginx configuration of src/http/README.md: it requests a document at most once a minute, and
 * gets 304 unless it changed.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPushing } from '../../ingest/http/pushing.ts';
import { type Served, serve } from '../../serve/serve.ts';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { freePort } from '../../support/freePort.ts';
import { makeHome } from '../../support/program.ts';
import { needs } from '../../support/tools.ts';

const PATH = '/en/air-quality-app/v1/stations.json';

/** The README's blocks for the public API and for the location of devices. */
const blocks = () =>
  [...readFileSync('src/http/README.md', 'utf8').matchAll(/```nginx\n([\s\S]*?)```/g)].map(
    ([, block = '']) => block,
  );
const configuration = () => blocks()[0] ?? '';
const portOf = (server: Server) => (server.address() as AddressInfo).port;

/**
 * Starts nginx with this part of its configuration, and waits until it answers at the port. The
 * result stops it.
 */
async function startNginx(
  folder: string,
  port: string,
  block: string,
): Promise<() => Promise<void>> {
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
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
  while (!(await answers()));
  return () =>
    new Promise((resolve) => {
      nginx.once('exit', () => resolve());
      nginx.kill('SIGTERM');
    });
}

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
    const port = await freePort();
    const block = configuration()
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('127.0.0.1:8080', `127.0.0.1:${portOf(origin)}`)
      .replace('/var/cache/nginx/airseries', join(home.folder, 'cache'));
    url = `http://127.0.0.1:${port}${PATH}`;
    stop = await startNginx(home.folder, port, block);
    requests.length = 0;
  });
  afterAll(async () => {
    await stop();
    await new Promise((resolve) => origin.close(resolve));
    await served.close();
    home.remove();
  });

  const get = (coding: string) => fetch(url, { headers: { 'Accept-Encoding': coding } });

  it('nginx requests a document once in each coding, whatever headers clients send', async () => {
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

  it('nginx never takes the end of a path for a coding', async () => {
    expect((await get('gzip')).status).toBe(200);
    expect((await fetch(`${url}gzip`, { headers: { 'Accept-Encoding': 'identity' } })).status).toBe(
      404,
    );
  });

  it('nginx answers a client that has the document with 304, without a request to the service', async () => {
    const { headers } = await get('gzip');
    const before = requests.length;
    const again = await fetch(url, {
      headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect(requests.length).toBe(before);
  });
});

describe('devices behind nginx', needs('nginx'), () => {
  it('a device behind nginx can push more than the megabyte that nginx takes by default', async () => {
    const here = await openPushing(engines[0] ?? 'plain');
    onTestFinished(() => here.close());
    const home = makeHome();
    onTestFinished(() => home.remove());
    const origin = here.another({}).listen(0);
    onTestFinished(() => void origin.close());
    const port = await freePort();
    const location = (blocks()[1] ?? '').replace('127.0.0.1:8082', `127.0.0.1:${portOf(origin)}`);
    const stop = await startNginx(
      home.folder,
      port,
      `server { listen 127.0.0.1:${port}; location = / { return 204; }\n${location} }`,
    );
    onTestFinished(stop);
    const post = async (body: string, path = '/v1/readings') => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${here.token}`, 'Content-Type': 'application/json' },
        body,
      });
      await answer.text();
      return answer.status;
    };
    const time = NOW.toISOString();
    const reading = { sensor_id: 1, time, pm25: 5, note: 'x'.repeat(400) };
    const large = JSON.stringify(Array(5_000).fill(reading));
    expect(await post(large)).toBe(200);
    expect(await post('[]', '/v1/readings/'), 'other paths are left to the service').toBe(404);
  });
});
