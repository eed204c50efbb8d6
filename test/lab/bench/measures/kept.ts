/**
 * B14: a kept document by other means: Fastify and Express with a prepared Buffer, and nginx in
 * front of us with the lines of src/http/README.md. Each must first send the same bytes.
 */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchRaw, type Response } from '../load/bare.ts';
import { rateRows, ratesOf } from '../load/rates.ts';
import type { Context, Measure, Row } from '../run/measure.ts';
import { BASE, type Service, startService } from '../run/service.ts';
import { installedVersion } from '../run/versions.ts';
import { startServer } from './peers/process.ts';

const PATH = `${BASE}/station/1-history.json`;
const CODINGS = [
  ['identity', {}],
  ['gzip', { 'Accept-Encoding': 'gzip' }],
] as const;

type Opened = { port: number; pid: number; close(): void | Promise<void> };

async function openNode(kind: 'fastify' | 'express', response: Response): Promise<Opened> {
  const file = new URL('../load/keptProcess.mjs', import.meta.url);
  const child = fork(file, { execArgv: [] });
  const listening = new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error(`${kind} ended`)));
  });
  child.send({ kind, ...response, body: [...response.body] });
  return { port: await listening, pid: child.pid ?? 0, close: () => child.disconnect() };
}

/** One process, as every other here is. */
async function openNginx({ port }: Service): Promise<Opened> {
  const text = readFileSync(new URL('../../../../src/http/README.md', import.meta.url), 'utf8');
  const [, block = ''] = /```nginx\n(.*?)```/s.exec(text) ?? [];
  const server = await startServer(PATH, (folder, [listens = '']) => {
    const ours = block
      .replace('/var/cache/nginx/airseries', join(folder, 'cache'))
      .replace('listen 80;', `listen 127.0.0.1:${listens};`)
      .replace('127.0.0.1:8080', `127.0.0.1:${port}`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    const alone = `daemon off; master_process off; pid ${folder}/pid; error_log stderr error; events {}`;
    const file = join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `${alone}\nhttp { access_log off; keepalive_requests 1000000; ${paths}\n${ours}}\n`,
    );
    return ['nginx', '-p', folder, '-c', file];
  });
  return { port: server.port, pid: server.pid, close: () => server.stop() };
}

async function run(context: Context): Promise<Row[]> {
  const { database } = await context.town();
  const service = await startService(database);
  const rows: Row[] = [];
  try {
    for (const [coding, headers] of CODINGS) {
      await fetchRaw(service.port, PATH, headers);
      const response = await fetchRaw(service.port, PATH, headers); // its coding is made
      const peers = [
        { name: 'Fastify, a Buffer', needs: 'fastify', open: () => openNode('fastify', response) },
        { name: 'Express, a Buffer', needs: 'express', open: () => openNode('express', response) },
        { name: 'nginx, proxy_cache', needs: 'nginx', open: () => openNginx(service) },
      ] as const;
      for (const { name, needs, open } of peers) {
        const title = `kept history ÷ ${name}, ${coding}`;
        if (installedVersion(needs) === undefined) {
          rows.push({ ...NOTHING, title, detail: 'not installed' });
          continue;
        }
        context.progress(`B14 ${title}`);
        const peer = await open();
        try {
          const { status, body } = await fetchRaw(peer.port, PATH, headers);
          if (status !== response.status || !body.equals(response.body))
            throw new Error(`${name} does not send the same bytes`);
          const servers = { ours: service, reference: peer };
          const judged = needs === 'nginx' ? {} : { goal: 1 };
          const rates = await ratesOf(context, servers, { path: PATH, headers });
          rows.push(...rateRows(rates, { id: 'B14', title, ...judged }));
        } finally {
          await peer.close();
        }
      }
    }
  } finally {
    await service.close();
  }
  return rows;
}

const NOTHING: Omit<Row, 'title' | 'detail'> = {
  id: 'B14',
  value: { median: Number.NaN, low: Number.NaN, high: Number.NaN },
  unit: '',
  better: 'higher',
};

export const kept: Measure = { ids: ['B14'], title: 'a kept document by other means', run };
