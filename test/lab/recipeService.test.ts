/** The service answers with the stations of its network. */
import { beforeAll, expect, it } from 'vitest';
import { httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { launch } from '../support/launch.ts';

let here: Installation;
beforeAll(async () => {
  here = await install('plain', citiesOfOneStation(['town']));
  return () => here.close();
});

it('the list of stations has the stations of the network', async () => {
  const { port } = await launch(here, { role: 'api' });
  const { status, body } = await httpGet(port.public, '/en/air-quality-app/v1/stations.json');
  expect([status, JSON.parse(body).stations]).toMatchObject([200, [{ id: 1 }]]);
});
