/** nginx as a process of its own: as the proxy of src/http/README.md, or serving a file; one worker each, and the rest as Debian's package sets it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { freePort, launch, makeHome } from '../../support/program.ts';
import { fetchRaw, type Response } from './bare.ts';
import type { Loaded } from './rates.ts';

export type Nginx = Loaded & { close(): Promise<void> };

/** What nginx writes itself for a file, or adds to each response. */
const OWN = new Set(['content-type', 'content-length', 'content-encoding', 'etag', 'last-modified', 'vary', 'server']);

/** The configuration as it is printed there, but for the ports and the folder. */
export async function startProxy(origin: number): Promise<Nginx> {
  const text = readFileSync(new URL('../../../src/http/README.md', import.meta.url), 'utf8');
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(text) ?? [];
  return await start((folder, port) =>
    block
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('127.0.0.1:8080', `127.0.0.1:${origin}`)
      .replace('/var/cache/nginx/airseries', join(folder, 'cache')),
  );
}

/** The same bytes as files, compressed beforehand, with the same headers. */
export async function startStatic(path: string, { headers, body }: Response): Promise<Nginx> {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ''] as const] : []));
  const added = pairs
    .filter(([name]) => !OWN.has(name.toLowerCase()))
    .map(([name, value]) => `add_header ${name} "${value}";`);
  return await start((folder, port) => {
    const file = join(folder, 'files', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
    writeFileSync(`${file}.gz`, gzipSync(body));
    return `types { application/json json; } charset utf-8; charset_types application/json;
      server { listen 127.0.0.1:${port}; root ${folder}/files; gzip_static on; gzip_vary on; ${added.join('\n')} }`;
  });
}

async function start(configuration: (folder: string, port: string) => string): Promise<Nginx> {
  const { folder, remove } = makeHome();
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, 'nginx.conf');
  // as nginx has it without a word, but for sendfile, which Debian's package turns on. It turns on tcp_nopush too, and through a loopback
  // interface, whose packets are of 64 KiB, that makes larger responses from a cache wait 40 ms for an acknowledgement, and not from a file;
  // with an Ethernet's packets it doesn't. Connections are kept for good: the load generator opens none anew.
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; worker_processes 1; error_log stderr error; events { worker_connections 768; }
http {
  sendfile on; tcp_nopush off; access_log off; keepalive_requests 1000000000; ${temporary.join(' ')}
${configuration(folder, port)}
}
`,
  );
  const nginx = launch(['nginx', '-p', folder, '-c', file], { environment: {}, folder });
  let ended = false;
  void nginx.finished.then(() => {
    ended = true;
  });
  const isUp = () =>
    fetchRaw(Number(port), '/').then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (ended) throw new Error(`nginx ended: ${nginx.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    port: Number(port),
    pid: workerOf(nginx.pid),
    async close() {
      nginx.kill('SIGTERM');
      await nginx.finished;
      remove();
    },
  };
}

/** The process that serves; where the system doesn't tell, 0. */
function workerOf(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    return children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'latin1').startsWith('nginx: worker')) ?? 0;
  } catch {
    return 0;
  }
}
