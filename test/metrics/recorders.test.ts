/** The metrics of requests, also when the client does not wait for the answer. */
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { setRoute } from '../../src/http/observed.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { measure } from '../../src/metrics/recorders.ts';

it('a request that its client gave up counts as aborted, and only an answered one counts its bytes', async () => {
  const metrics = makeMetrics();
  const count = measure(metrics, 'public');
  const server = createServer((req, res) => {
    count(req, res, () => req.url === '/nowhere' || setRoute(res, '/some'));
    res.setHeader('Content-Length', 5);
    if (req.url === '/given-up') res.write('123', () => client.destroy());
    else res.end('12345');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const path of ['/answered', '/nowhere'])
    await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const client = get({ host: '127.0.0.1', port, path: '/given-up' }).on('error', () => undefined);
  const requests = 'airseries_http_requests_total';
  await expect
    .poll(() => metrics.scrape())
    .toContain(`${requests}{route="/some",method="GET",status="aborted"} 1`);
  const text = await metrics.scrape();
  const seconds = 'airseries_http_request_duration_seconds_count';
  for (const line of [
    `${requests}{route="/some",method="GET",status="200"} 1`,
    `${requests}{route="unknown",method="GET",status="200"} 1`,
    `${seconds}{route="/some",method="GET",status_class="2xx"} 1`,
    `${seconds}{route="/some",method="GET",status_class="aborted"} 1`,
    'airseries_http_response_bytes_total{route="/some"} 5',
    'airseries_http_requests_in_flight{server="public"} 0',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain(`${seconds}{route="unknown"`); // not timed
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});
