/** The configuration of the feeds, by its effects on a service. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { engines } from '../../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { expectRefusedSettings, type Mistake } from '../../whole/mistakes/mistake.ts';
import { openProvider } from './server.ts';

let here: Installation;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  return () => here.close();
});

it('only hosts in PULL_HOSTS are polled', async () => {
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

it('PULL_HOSTS is a list of host names, with a port if it is unusual', () => {
  expect(readConfig({ PULL_HOSTS: 'data.example, other.example:8443' })).toMatchObject({
    pullHosts: ['data.example', 'other.example:8443'],
  });
  expect(readConfig({})).toMatchObject({ pullHosts: [] });
});

it.each<Mistake<Record<string, string>>>([
  [
    'an impossible port',
    { PULL_HOSTS: 'data.example:99999' },
    'PULL_HOSTS=data.example:99999: must',
  ],
  [
    'an address in the place of a host',
    { PULL_HOSTS: 'https://data.sensor.community' },
    /PULL_HOSTS=https:\S+: must be names of hosts such as data\.sensor\.community, without https/,
  ],
])('PULL_HOSTS says what is wrong with %s', async (_, settings, said) => {
  await expectRefusedSettings(settings, said);
});
