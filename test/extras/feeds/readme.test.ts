/** The network file of the README, polled as it is written, from documents as the providers give them. */
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { makePull } from '../../../src/extras/feeds/pullDue.ts';
import { purpleair } from '../../ingest/formats/purpleair.ts';
import { smartCitizen } from '../../ingest/formats/smartCitizen.ts';
import type { FormatTable } from '../../ingest/formats/table.ts';
import { thingspeak } from '../../ingest/formats/thingspeak.ts';
import { stored } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { engines, testDatabase } from '../../support/database.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import { openProvider } from './server.ts';

const README = readFileSync(
  new URL('../../../src/extras/feeds/README.md', import.meta.url),
  'utf8',
);
const FILE = /```json\n(.*?)```/s.exec(README)?.[1] ?? '';
type File = { providers: { id: string; pull: { kind: string; url: string } }[] };

/** The document of a sample. */
const document = ({ samples }: FormatTable, beginning: string): object => {
  const found = samples.find(({ what }) => what.startsWith(beginning));
  return found !== undefined && 'json' in found ? found.json : expect.unreachable(beginning);
};

/** The answer of each provider of the file. */
const DOCUMENTS = new Map([
  ['/v1/sensors/53', document(purpleair, 'JSON of one sensor, at')],
  ['/json', document(purpleair, 'what the device itself gives')],
  ['/channels/1146562/feeds.json', document(thingspeak, 'a channel of PurpleAir')],
  ['/v0/devices/1616', document(smartCitizen, 'a kit of today')],
]);

it('PULL_HOSTS of the README has the hosts of its network file', () => {
  const [, PULL_HOSTS] = /PULL_HOSTS=(\S+) npm start/.exec(README) ?? [];
  const { providers } = JSON.parse(FILE) as File;
  expect(readConfig({ PULL_HOSTS })).toMatchObject({
    pullHosts: providers.map(({ pull }) => new URL(pull.url).host),
  });
});

it('each feed of the README’s network file brings the readings of its sensor', async () => {
  const db = await testDatabase(engines[0] as (typeof engines)[0], 'Europe/Berlin');
  const provider = await openProvider();
  onTestFinished(async () => {
    await provider.close();
    await db.drop();
  });
  provider.answer(({ url = '' }, response) => {
    const { pathname } = new URL(url, provider.url());
    response.end(JSON.stringify(DOCUMENTS.get(pathname)));
  });
  const owner = db.as();
  await bringIn(owner, JSON.parse(FILE.replaceAll(/https?:\/\/[^/]+/g, `http://${provider.host}`)));
  const log = keepingLog();
  await makePull(db.target, () => NOW, { hosts: [provider.host], log })(NOW);
  expect(await owner`select provider_id, failures from raw.pull order by 1`).toEqual(
    ['garden', 'kit', 'purpleair', 'school'].map((provider_id) => ({ provider_id, failures: 0 })),
  );
  const time = { measured_at: '2026-11-20T09:00:00+01:00' };
  expect(await stored(owner)).toMatchObject([
    { sensor_id: 12, ...time, temperature: 10, pm25_raw: 4.5 },
    { sensor_id: 13, ...time, temperature: 5, pm25_raw: 1.77 },
    { sensor_id: 14, ...time, temperature: 4.44, pm25_raw: 16 },
    { sensor_id: 53, ...time, pressure: 100_020, pm25_raw: 9.4 },
  ]);
});
