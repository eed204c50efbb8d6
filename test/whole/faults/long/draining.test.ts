/** A service behind a load balancer stops without a failed request. */
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpGet } from '../../../support/http.ts';
import type { Service } from '../../../support/service.ts';
import { type Busy, FIVE, startBusy } from './busy.ts';

const EVERY_S = [0.1, 0.5, 1, 2];

let both: Busy[];
beforeAll(async () => {
  both = [await startBusy({ DRAIN_SECONDS: '5' }), await startBusy()];
});
afterAll(async () => {
  for (const one of both) await one.close();
});

/**
 * Checks /readyz of each service at an interval, and sends requests in turn to the ready ones, on
 * keep-alive connections.
 */
function makeBalancer(services: readonly Service[], everyMs: number) {
  const agent = new Agent({ keepAlive: true });
  let ready = [...services];
  let turn = 0;
  const look = async () => {
    const statuses = await Promise.all(
      services.map(async ({ port }) => (await httpGet(port.admin, '/readyz')).status),
    );
    ready = services.filter((_, n) => statuses[n] === 200);
  };
  const timer = setInterval(look, everyMs);
  return {
    get(path: string): Promise<number> {
      const service = ready[turn % ready.length];
      turn += 1;
      return new Promise((resolve) => {
        const sent = httpRequest(
          { host: '127.0.0.1', port: service?.port.public, path, agent },
          (res) => {
            res.resume().on('close', () => resolve(res.complete ? (res.statusCode ?? 0) : 0));
          },
        );
        sent.on('error', () => resolve(0)).end();
      });
    },
    close() {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

it('no request fails while a service stops, with readiness checked every 0.1 to 2 seconds', async ({
  annotate,
}) => {
  const services = both.map(({ service }) => service);
  let over = false;
  const runs = EVERY_S.map(async (seconds) => {
    const balancer = makeBalancer(services, seconds * 1000);
    let [requests, failed] = [0, 0];
    const client = async () => {
      while (!over) {
        const path = FIVE[requests % FIVE.length] ?? '';
        requests += 1;
        if ((await balancer.get(path)) !== 200) failed += 1;
        await sleep(10);
      }
    };
    await Promise.all([client(), client(), client()]);
    balancer.close();
    return { seconds, requests, failed };
  });
  await sleep(2_500);
  services[0]?.kill('SIGTERM');
  const { code } = (await services[0]?.finished) ?? {};
  await sleep(1_000);
  over = true;
  const outcomes = await Promise.all(runs);
  for (const { seconds, requests, failed } of outcomes) {
    await annotate(
      `row 8: readiness checked every ${seconds} s: ${failed} of ${requests} requests failed`,
    );
  }
  expect(outcomes.map(({ failed }) => failed)).toEqual([0, 0, 0, 0]);
  expect(code).toBe(0);
});
