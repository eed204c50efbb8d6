/** /llms.txt names the endpoints and units of the contract, and the licence. */
import request from 'supertest';
import { expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { makeLog } from '../../src/base/log.ts';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { keyOf, PARAMETERS } from '../../src/contract/parameters.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { makeApp } from '../../src/serve/app.ts';

it('/llms.txt is a short text that leads to the OpenAPI document, also without the database', async () => {
  const nowhere = { host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' };
  const db = openReaderPool(nowhere, { timeZone: 'UTC', max: 1 });
  const site = { contact: '', license: 'CC-BY-4.0' };
  const options = { db, clock: makeClock(), siteBaseUrl: '', log: makeLog('silent'), site };
  const { status, headers, text } = await request(makeApp(options)).get('/llms.txt');
  await db.destroy();
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'access-control-allow-origin': '*',
    'cache-control': expect.stringContaining('max-age=3600'),
  });
  expect(text).toContain('(/openapi.json)');
  expect(text).toContain('licence of the data: CC-BY-4.0');
  for (const { path, summary } of Object.values(ENDPOINTS))
    expect(text).toContain(`- GET ${path}: ${summary}\n`);
  for (const { name, unit } of PARAMETERS) expect(text).toContain(`${keyOf(name)} in ${unit}`);
});
