/** The configuration of the feeds, by its effects on a service. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { engines } from '../../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { openProvider } from './server.ts';

let here: Installation;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  return () => here.close();
});

it('PULL_HOSTS: only these hosts are polled', async () => {
  const feed = await openProvider();
  onTestFinished(() => feed.close());
  feed.serve([]);
  const network = citiesOfOneStation(['town']);
  const pull = { kind: 'sensor-community', url: feed.url() };
  await here.importNetwork({
    ...network,
    providers: network.providers.map((one) => ({ ...one, pull })),
  });
  const closed = await launch(here);
  await closed.runJob('pull');
  await closed.stop();
  expect(feed.requests).toEqual([]);
  const open = await launch(here, { pullHosts: [feed.host] });
  await open.runJob('pull');
  expect(feed.requests).toEqual(['/data.json']);
});

it('PULL_HOSTS are names of hosts, with a port if it is unusual', () => {
  expect(readConfig({ PULL_HOSTS: 'data.example, other.example:8443' })).toMatchObject({
    pullHosts: ['data.example', 'other.example:8443'],
  });
  expect(readConfig({})).toMatchObject({ pullHosts: [] });
  expect(() => readConfig({ PULL_HOSTS: 'data.example:99999' })).toThrow(
    'PULL_HOSTS=data.example:99999: must',
  );
  expect(() => readConfig({ PULL_HOSTS: 'https://data.sensor.community' })).toThrow(
    /PULL_HOSTS=https:\S+: must be names of hosts such as data\.sensor\.community, without https/,
  );
});
