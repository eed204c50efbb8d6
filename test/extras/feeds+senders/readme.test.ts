/** The network files of the README, polled as they are written, from documents as the providers give them. */
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { makePull } from '../../../src/extras/feeds/pullDue.ts';
import { ENGINE, stored } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import { openProvider } from '../feeds/server.ts';
import { airgradient } from '../senders/formats/airgradient.ts';
import { purpleair } from '../senders/formats/purpleair.ts';
import { smartCitizen } from '../senders/formats/smartCitizen.ts';
import type { FormatTable } from '../senders/formats/table.ts';
import { thingspeak } from '../senders/formats/thingspeak.ts';

const README = readFileSync(
  new URL('../../../src/extras/feeds/README.md', import.meta.url),
  'utf8',
);
/** Of a feed of each kind, and of two devices of one kind. */
const [FILE = '', DEVICES = ''] = [...README.matchAll(/```json\n(.*?)```/gs)].map(
  ([, text = '']) => text,
);
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

it('PULL_HOSTS of the README has the hosts of its network files', () => {
  const named = [...README.matchAll(/PULL_HOSTS=(\S+) npm start/g)].map(([, hosts = '']) => hosts);
  expect(named).toHaveLength(2);
  for (const [n, file] of [FILE, DEVICES].entries()) {
    const { providers } = JSON.parse(file) as File;
    expect(readConfig({ PULL_HOSTS: named[n] })).toMatchObject({
      pullHosts: providers.map(({ pull }) => new URL(pull.url).host),
    });
  }
});

/** Polls the feeds of a network file once, from one provider; the readings that are stored. */
async function polled(file: string, documentAt: (url: URL) => object | undefined) {
  const db = await testDatabase(ENGINE, 'Europe/Berlin');
  const provider = await openProvider();
  onTestFinished(async () => {
    await provider.close();
    await db.drop();
  });
  provider.answer(({ url = '' }, response) =>
    response.end(JSON.stringify(documentAt(new URL(url, provider.url())))),
  );
  const owner = db.as();
  await bringIn(owner, JSON.parse(file.replaceAll('http://localhost', `http://${provider.host}`)));
  const options = { formats: READING_FORMATS, hosts: [provider.host], log: keepingLog() };
  await makePull(db.target, () => NOW, options)(NOW);
  expect((await owner`select provider_id from raw.pull where failures > 0`).length).toBe(0);
  return await stored(owner);
}

it('two devices of AirGradient are polled as two providers', async () => {
  const measures = document(airgradient, 'measures without a time');
  const ofYard = { ...measures, serialno: '84fce612eef4', pm02Compensated: 5.5 };
  const file = DEVICES.replace('http://192.168.1.21', 'http://localhost/yard');
  const rows = await polled(
    file.replace(/http:\/\/airgradient_[^/]+/, 'http://localhost'),
    (url) => (url.pathname.startsWith('/yard') ? ofYard : measures),
  );
  const time = { measured_at: '2026-11-20T13:00:00+01:00' };
  expect(rows).toMatchObject([
    { sensor_id: 1, ...time, pm25_raw: 7 },
    { sensor_id: 2, ...time, pm25: 5.5, pm25_raw: 7 },
  ]);
});

it('each feed of the README’s network file brings the readings of its sensor', async () => {
  const file = FILE.replaceAll(/https?:\/\/[^/]+/g, 'http://localhost');
  const time = { measured_at: '2026-11-20T09:00:00+01:00' };
  expect(await polled(file, ({ pathname }) => DOCUMENTS.get(pathname))).toMatchObject([
    { sensor_id: 12, ...time, temperature: 10, pm25_raw: 4.5 },
    { sensor_id: 13, ...time, temperature: 5, pm25_raw: 1.77 },
    { sensor_id: 14, ...time, temperature: 4.44, pm25_raw: 16 },
    { sensor_id: 53, ...time, pressure: 100_020, pm25_raw: 9.4 },
  ]);
});
