/**
 * Readings in our own form are stored from a file and a push, whatever other forms an installation
 * reads; without others, nothing is guessed.
 */
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../src/ingest/canonical.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { listQuarantine } from '../../src/ingest/quarantine/list.ts';
import { FILE_LIMITS, type ReadingBatch } from '../../src/ingest/reading/batches.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { smallNetwork } from '../support/smallNetwork.ts';
import { send, usePushing } from './http/pushing.ts';
import { file, HOW, stored } from './support.ts';

const T = '2026-11-20T08:00:00Z';
const LATER = '2026-11-20T13:00:00+04:00';

/** A text in pieces of a few bytes, as a file or a connection brings it. */
const source = (text: string, bytes = Buffer.from(text)) => ({
  name: 'the text',
  size: undefined,
  read: 0,
  bytes: (async function* () {
    for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7);
  })(),
});

async function read(...given: Parameters<typeof source>) {
  const all: ReadingBatch[] = [];
  for await (const batch of canonical.readReadings(source(...given), undefined, FILE_LIMITS)) {
    all.push(batch);
  }
  return { readings: all.flatMap(({ readings }) => readings), found: all.at(-1)?.found };
}

describe('our own form', () => {
  it.each([
    ['CSV', `sensor_id,device,time,pm25,rain_total\n7,,${T},5,\n,roof,${LATER},6,0.2\n`],
    [
      'an object a line',
      `{"sensor_id":"7","time":"${T}","pm25":"5","rain_total":null}\n{"device":"roof","measured_at":"${LATER}","pm25":"6","rain_total":"0.2"}\n`,
    ],
    [
      'an array',
      `[{"sensor_id":"7","time":"${T}","pm25":"5","rain_total":""}, {"device":"roof","measured_at":"${LATER}","pm25":"6","rain_total":"0.2"}]`,
    ],
  ])('a reading has a sensor or a device, a time and our parameters: %s', async (_, text) => {
    const { readings, found } = await read(text);
    expect(readings).toMatchObject([
      { sensorId: '7', measuredAt: T, values: { pm25: '5', rain_total: null } },
      { device: 'roof', measuredAt: LATER, values: { pm25: '6', rain_total: '0.2' } },
    ]);
    expect(found?.facts).toMatchObject({ format: 'airseries', rows: 2, ignored: new Map() });
  });

  it('a single object may stand on several lines', async () => {
    const text = JSON.stringify({ sensor_id: 7, time: T, pm25: 5 }, null, 1);
    expect((await read(text)).readings).toMatchObject([{ sensorId: 7, values: { pm25: 5 } }]);
  });

  it('names that are not ours, or say the time once more, are not used, and named', async () => {
    const names = 'sensor_id,time,measured_at,pm25,temp,no2_ugm3';
    const { readings, found } = await read(`${names}\n7,${LATER},${T},5,1,2\n`);
    expect(readings[0]).toMatchObject({ measuredAt: T, values: { pm25: '5' } });
    expect([...(found?.facts.ignored.keys() ?? [])]).toEqual(['time', 'temp', 'no2_ugm3']);
  });

  it('a row that is no reading costs only itself', async () => {
    const { readings } = await read(
      `sensor_id,time,pm25\n7,${T}\n7,${T},"5\n7,${T},{}\n\n,,\n7,${LATER},6\n`,
    );
    expect(readings.map(({ why, values }) => why ?? values)).toEqual([
      'it has 2 fields, but the header has 3',
      'its quotes do not match up',
      { pm25: '{}' },
      { pm25: '6' },
    ]);
    const objects = await read(`{"sensor_id":7,"time":"${T}","pm25":{"value":5}}\n{"sensor_id":\n`);
    expect(objects.readings).toMatchObject([{ values: { pm25: 'nested' } }, { unreadable: true }]);
  });

  it.each([
    ['time,pm25\n', 'has no column sensor_id or device'],
    ['sensor_id,pm25\n', 'has no column time'],
    ['sensor_id,time,PM2.5\n', 'names no parameter'],
    ['sensor_id;time;pm25\n', 'has no column sensor_id or device'],
    ['', 'the file is empty'],
  ])('a header by which nothing can be read is refused: %j', async (text, what) => {
    await expect(read(text)).rejects.toThrow(what);
  });

  it('text that is not UTF-8 is refused, and nothing is taken for it', async () => {
    const bytes = Buffer.from(`sensor_id,device,time,pm25\n,gr\u00fcn,${T},5\n`, 'latin1');
    const { readings, found } = await read('', bytes);
    expect(readings).toMatchObject([{ unreadable: true, values: {} }]);
    expect(found?.facts.notUtf8).toMatchObject({ line: 2 });
    await expect(
      read('', Buffer.from('sensor_id,time,pm25,Stra\u00dfe\n', 'latin1')),
    ).rejects.toThrow('text that is not UTF-8');
  });

  it('a line of the quarantine is read again by itself', () => {
    const line = canonical.readLine(`{"sensor_id":7,"time":"${T}","pm25":5000}`);
    expect(line).toMatchObject({ sensorId: 7, measuredAt: T, values: { pm25: 5000 } });
    expect(canonical.readLine('{')?.unreadable).toBe(true);
  });

  it('nothing can be declared of it', () => {
    expect(() => canonical.checkDeclarations({ name: 'airseries', columns: [] })).not.toThrow();
    for (const declared of [{ zone: 'UTC' }, { columns: ['pm25=x'] }, { units: ['no2=ug/m3'] }])
      expect(() => canonical.checkDeclarations(declared)).toThrow('Needed are sensor_id or device');
  });
});

describe('with the forms of the core alone', () => {
  const formats = canonical;
  const here = usePushing();

  it('a file is stored, and changes nothing the second time', async () => {
    const text = `sensor_id,device,time,pm25\n1,,${T},5\n,esp8266-elsewhere,${LATER},6\n`;
    const bring = () =>
      importReadings(here.database.as('airseries_ingest'), [file('readings.csv', text)], {
        ...HOW,
        formats,
      });
    expect(await bring()).toMatchObject({ accepted: 2, formats: ['airseries'], failures: [] });
    expect(await bring()).toMatchObject({ accepted: 0, unchanged: 2 });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 1, measured_at: '2026-11-20T12:00:00+04:00', pm25: 5 },
      { sensor_id: 7, measured_at: '2026-11-20T13:00:00+04:00', pm25: 6 },
    ]);
  });

  it('a push is stored, answers what it could not use, and its quarantine is explained', async () => {
    const app = here.another({ formats });
    const body = [
      { sensor_id: 2, time: T, temperature: 5, humidity: 150, other: 1 },
      { sensor_id: 2, time: '2026-11-20 09:00', temperature: 6 },
    ];
    const { status, body: answer } = await send(app, here.token, JSON.stringify(body));
    expect([status, answer]).toMatchObject([
      200,
      {
        ...{ received: 2, accepted: 1, format: 'airseries', ignored: ['other'] },
        quarantined: [{ index: 1, reason: 'unreadable_time' }],
        values: [{ index: 0, parameter: 'humidity', reason: 'out_of_bounds', bounds: [0, 100] }],
      },
    ]);
    const { lines } = await listQuarantine(here.owner, {}, 10, formats);
    expect(lines.map(({ explanation }) => explanation).sort()).toEqual([
      expect.stringMatching(/^humidity must be 0 to 100 %/),
      expect.stringContaining('; 2026-11-20 09:00 has no offset'),
    ]);
  });

  it('the core alone has no sources, of which nothing could be declared', async () => {
    const network = JSON.stringify({ ...smallNetwork(), sources: { city: { zone: 'UTC' } } });
    await expect(importNetwork(here.owner, network, { log: keepingLog() })).rejects.toThrow(
      'sources: without the extra senders, readings come in our own form, which has nothing to declare: leave this key out',
    );
  });

  it('the core alone takes pushes of its own form at a path of its own, and names no other', async () => {
    const app = here.another({ formats });
    const at = (path: string) =>
      request(app)
        .post(path)
        .set({ Authorization: `Bearer ${here.token}`, 'Content-Type': 'application/json' })
        .send(`{"sensor_id":1,"time":"${T}","pm25":5}`);
    expect((await at('/v1/push/airseries')).body).toMatchObject({ accepted: 1 });
    const { status, body } = await at('/v1/push/airrohr');
    expect([status, body.detail]).toEqual([
      404,
      'There is nothing at "/v1/push/airrohr". Readings go to /v1/readings, or to one of /v1/push/airseries.',
    ]);
    expect((await at('/v1/readings?zone=UTC')).body.detail).toBe(
      'There is no parameter "zone". The address may have none. Nothing was stored.',
    );
  });
});
