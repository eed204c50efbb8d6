/** The configuration and the metrics of the feeds, by what a service does. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { samplesOf } from '../../metrics/samples.ts';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { expectRefusedSettings, type Mistake } from '../../whole/mistakes/mistake.ts';
import { openProvider } from './server.ts';

let here: Installation;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  return () => here.close();
});

it('a service polls hosts of PULL_HOSTS alone, and counts the polls of each provider and what becomes of readings', async () => {
  const feed = await openProvider();
  onTestFinished(() => feed.close());
  const reading = {
    timestamp: NOW.toISOString().slice(0, 19).replace('T', ' '),
    sensor: { id: 1 },
    location: { indoor: 0 },
    sensordatavalues: [{ value_type: 'P2', value: '7' }],
  };
  feed.answer(({ url }, response) =>
    url === '/there.json'
      ? response.setHeader('content-type', 'application/json').end(JSON.stringify([reading]))
      : response.writeHead(404).end(),
  );
  const network = citiesOfOneStation(['town']);
  await here.importNetwork({
    ...network,
    providers: ['there', 'away'].map((id) => ({
      id,
      title: id,
      pull: { kind: 'sensor-community', url: feed.url(`/${id}.json`) },
    })),
    stations: network.stations.map((one) => ({ ...one, provider: 'there' })),
  });
  const closed = await launch(here);
  await closed.runJob('pull');
  expect(feed.requests).toEqual([]);
  const { port, runJob } = await launch(here, { pullHosts: [feed.host] });
  const samples = async () => samplesOf((await httpGet(port.admin, '/metrics')).body);
  const succeeded = 'airseries_pulls_total{provider="there",outcome="success"}';
  const failed = 'airseries_pulls_total{provider="away",outcome="failure"}';
  const accepted = 'airseries_readings_total{provider="there",outcome="accepted"}';
  const before = await samples(); // from 0, so that the first event is an increase
  expect([succeeded, failed, accepted].map((name) => before.get(name))).toEqual([0, 0, 0]);
  await runJob('pull');
  const after = await samples();
  expect([succeeded, failed, accepted].map((name) => after.get(name))).toEqual([1, 1, 1]);
  expect(after.get('airseries_reading_delay_seconds_count')).toBe(1);
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
