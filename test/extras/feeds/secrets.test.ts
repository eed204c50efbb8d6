/** No key in the address of a feed is shown: in no log, metric or status. */
import { expect, it, onTestFinished } from 'vitest';
import { makePullCounter } from '../../../src/extras/feeds/pullCounter.ts';
import { makePull } from '../../../src/extras/feeds/pullDue.ts';
import { makeMetrics } from '../../../src/metrics/definitions.ts';
import { NOW } from '../../support/clock.ts';
import { commandsOn } from '../../support/command.ts';
import { engines } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { freePort } from '../../support/freePort.ts';
import { citiesOfOneStation, install } from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { openProvider } from './server.ts';

/** Every key here contains this. */
const MARK = 's3kr1t';

it('no key in the address of a feed is shown, whatever the feed answers', async () => {
  const key = `?key=${MARK}`;
  const feed = await openProvider();
  onTestFinished(() => feed.close());
  const feeds = {
    broken: feed.url(`/broken.json${key}`),
    elsewhere: feed.url(`/elsewhere.json${key}`),
    failing: feed.url(`/failing.json${key}`),
    far: `http://no.invalid/data.json${key}`,
    closed: `http://127.0.0.1:${await freePort()}/data.json${key}`,
  };
  feed.answer(({ url = '' }, response) => {
    if (url.startsWith('/failing')) response.writeHead(500);
    if (url.startsWith('/elsewhere'))
      response.writeHead(302, { location: `http://other.example/${key}` });
    response.end(`<html>${url}</html>`);
  });
  const providers = Object.entries(feeds).map(([id, url]) => ({
    id,
    title: id,
    pull: { kind: 'sensor-community', url },
  }));
  const network = citiesOfOneStation(['town']);
  const here = await install(engines[0] ?? 'plain', {
    ...network,
    providers: [...network.providers, ...providers],
  });
  onTestFinished(() => here.close());
  const { lines, ...log } = keepingLog();
  const metrics = makeMetrics();
  const pulls = makePullCounter(metrics);
  const hosts = [feed.host, new URL(feeds.closed).host];
  await makePull(here.database.target, () => NOW, {
    formats: READING_FORMATS,
    hosts,
    log,
    metrics,
    pulls,
  })(NOW);
  const status = await commandsOn(here.database)('status');
  expect(lines.map(({ fields }) => (fields as { provider: string }).provider).sort()).toEqual(
    Object.keys(feeds).sort(),
  );
  const table = status.table?.(1_000) ?? '';
  expect(table).toMatch(/failing\.json: it answered 500/);
  const shown = [
    JSON.stringify(lines),
    await metrics.registry.metrics(),
    JSON.stringify(status.result),
    table,
    status.log,
  ];
  expect(shown.join()).not.toContain(MARK);
});
