/** What is counted of a request whose client does not wait for the answer. */
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { measure } from '../../src/metrics/recorders.ts';

it('counts a request that its client gave up as aborted, without bytes, and one that was answered as such', async () => {
  const metrics = makeMetrics();
  const count = measure(metrics, 'public');
  const server = createServer((req, res) => {
    count(req, res, () => undefined);
    res.setHeader('Content-Length', 5);
    if (req.url === '/answered') res.end('12345');
    else res.write('123', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/answered`)).text();
  const client = get({ host: '127.0.0.1', port, path: '/given-up' }).on('error', () => undefined);
  const text = () => metrics.scrape();
  await expect.poll(text).toContain('airseries_http_requests_total{route="unknown",method="GET",status="aborted"} 1');
  expect(await text()).toContain('airseries_http_requests_total{route="unknown",method="GET",status="200"} 1');
  expect(await text()).toContain('airseries_http_response_bytes_total{route="unknown"} 5');
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});
