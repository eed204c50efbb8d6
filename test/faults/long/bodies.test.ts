/** However bad a body, the event loop that serves everybody else is not held up: neither by one, nor by as many as are taken at once. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPushing, type Pushing } from '../../http/ingest/pushing.ts';
import { type WorstBody, worstBodies } from './worstBodies.ts';

let pushing: Pushing;
let server: Server;

beforeAll(async () => {
  pushing = await openPushing('plain');
  server = createServer(pushing.app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await pushing.close();
});

async function send({ packed, lines }: { packed: Buffer; lines?: true | undefined }): Promise<number> {
  const sent = request({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    path: '/v1/readings',
    method: 'POST',
    headers: {
      Authorization: `Bearer ${pushing.token}`,
      'Content-Type': lines ? 'application/x-ndjson' : 'application/json',
      'Content-Encoding': 'gzip',
      'Content-Length': packed.length,
    },
  }).end(packed);
  const [answer] = await once(sent, 'response');
  await once(answer.resume(), 'end');
  return answer.statusCode;
}

/** The longest the loop was held up meanwhile, in ms. */
async function held(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await setImmediate();
  delay.enable();
  await work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return delay.max / 1e6;
}

const packedOf = ({ text, lines }: WorstBody) => ({ packed: gzipSync(text, { level: 1 }), lines });

it('one at a time', async ({ annotate }) => {
  const worst: [number, string][] = [];
  for (const body of worstBodies()) {
    const packed = packedOf(body);
    let status = 0;
    const tries: number[] = [];
    for (let n = 0; n < 2; n++)
      tries.push(
        await held(async () => {
          status = await send(packed);
        }),
      );
    worst.push([Math.min(...tries), `${body.name}: ${status}`]);
    await pushing.owner`truncate raw.quarantine`;
  }
  worst.sort(([a], [b]) => b - a);
  for (const [ms, name] of worst) console.log(ms.toFixed(0), name);
  await annotate(`row 3: the event loop held up ${worst[0]?.[0].toFixed(0)} ms`);
});
