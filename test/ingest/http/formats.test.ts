/**
 * What devices, webhooks and other services push in layouts of their own: by path, by device, by
 * token in the path; and what they learn.
 */
import request from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listQuarantine } from '../../../src/ingest/quarantine/list.ts';
import { retryQuarantined } from '../../../src/ingest/quarantine/retry.ts';
import { checkDeclaredOwner } from '../../../src/ingest/store/deviceSensors.ts';
import { engines } from '../../support/database.ts';
import { keepingLog, NOW, stored } from '../support.ts';
import { openPushing, type Pushing } from './pushing.ts';

// nothing here depends on the engine
let here: Pushing;
beforeAll(async () => {
  here = await openPushing(engines[0] as (typeof engines)[0]);
});
beforeEach(async () => {
  await here.owner`truncate raw.readings, raw.quarantine`;
  await here.owner`update raw.sensor set device = 'roof-1' where id = 7`;
  here.log.lines.length = 0;
});
afterAll(() => here.close());

const T = '2026-11-20T11:00:00Z';
const STORED_T = '2026-11-20T15:00:00+04:00';
const ARRIVED = '2026-11-20T16:00:00+04:00';

const post = (path: string, body: string | object, headers: Record<string, string> = {}) =>
  request(here.app)
    .post(path)
    .set({ Authorization: `Bearer ${here.token}`, 'Content-Type': 'application/json', ...headers })
    .send(typeof body === 'string' ? body : JSON.stringify(body));

const uplink = (decoded_payload: object, device_id = 'roof-1') => ({
  end_device_ids: { device_id, application_ids: { application_id: 'air' } },
  received_at: T,
  uplink_message: { f_port: 1, decoded_payload, rx_metadata: [{ rssi: -35 }], received_at: T },
});
const airgradient = {
  wifi: -46,
  serialno: 'roof-1',
  rco2: 447,
  pm01: 3,
  pm02: 7,
  pm10: 8,
  atmp: 25.5,
  rhum: 43,
};
const state = {
  entity_id: 'sensor.roof_temperature',
  state: '50',
  attributes: { unit_of_measurement: '°F', device_class: 'temperature' },
  last_updated: T,
};

describe('a push', () => {
  it.each<
    [
      path: string,
      body: object | string,
      headers: Record<string, string>,
      row: object,
      answer: object,
    ]
  >([
    [
      '/v1/push/ttn',
      uplink({ pm2_5: 7, temp_f: 50 }),
      {},
      { pm25: 7, temperature: 10, measured_at: STORED_T },
      { format: 'ttn' },
    ],
    [
      '/v1/readings',
      uplink({ pm10: 7 }),
      {},
      { pm10: 7, measured_at: STORED_T },
      { format: 'ttn' },
    ],
    [
      '/v1/push/ttn?column=pm25=PM&unit=temperature=f',
      uplink({ PM: 7, temperature: 50, battery: 3 }),
      {},
      { pm25: 7, temperature: 10 },
      { format: 'ttn', ignored: ['battery'] },
    ],
    [
      '/v1/push/airgradient',
      airgradient,
      {},
      { pm1: 3, pm25_raw: 7, pm10: 8, temperature: 25.5, humidity: 43, measured_at: ARRIVED },
      { format: 'airgradient', time: 'server' },
    ],
    ['/v1/readings', [airgradient], {}, { pm25_raw: 7 }, { format: 'airgradient', time: 'server' }],
    [
      '/v1/push/home-assistant?device=roof-1',
      state,
      {},
      { temperature: 10, measured_at: STORED_T },
      { format: 'home-assistant' },
    ],
    [
      '/v1/push/home-assistant',
      { device: 'roof-1', pm25: 5, temperature: 4 },
      {},
      { pm25: 5, temperature: 4, measured_at: ARRIVED },
      { format: 'home-assistant', time: 'server' },
    ],
    [
      '/v1/push/home-assistant?sensor_id=7',
      [
        state,
        {
          ...state,
          state: '5',
          attributes: { device_class: 'pm25', unit_of_measurement: 'µg/m³' },
        },
      ],
      {},
      { temperature: 10, pm25: 5 },
      { received: 1, format: 'home-assistant' },
    ],
    [
      '/v1/push/purpleair?device=roof-1',
      `time_stamp,temperature,pm2.5_atm\n${Date.parse(T) / 1_000},50,7\n`,
      { 'Content-Type': 'text/csv' },
      { temperature: 10, pm25_raw: 7, measured_at: STORED_T },
      { format: 'purpleair' },
    ],
    [
      '/v1/readings',
      { device: 'roof-1', pm25: 5 },
      {},
      { pm25: 5, measured_at: ARRIVED },
      { format: 'airseries', time: 'server' },
    ],
    [
      `/v1/readings?column=${encodeURIComponent('no2=Stickstoffdioxid (µg/m³)')}`,
      { sensor_id: 7, time: T, 'Stickstoffdioxid (µg/m³)': 19.125 },
      {},
      { no2: 10 },
      {},
    ],
    [
      '/v1/readings?zone=Europe/Berlin&date_format=dd/mm/yyyy',
      { sensor_id: 7, time: '20/11/2026 12:00', pm25: 5 },
      {},
      { measured_at: STORED_T },
      {},
    ],
    [
      '/v1/readings?zone=+01:00&shift=-1h&only=valid=1',
      [
        { sensor_id: 7, time: '2026-11-20 13:00', pm25: 5, valid: 1 },
        { sensor_id: 7, time: '2026-11-20 13:00', pm25: 6, valid: 0 },
      ],
      {},
      { pm25: 5, measured_at: STORED_T },
      { received: 1, excluded: 1 },
    ],
  ])('%s %j', async (path, body, headers, row, answer) => {
    const res = await post(path, body, headers);
    expect([res.status, res.body]).toMatchObject([
      200,
      { accepted: 1, quarantined: [], ...answer },
    ]);
    expect(await stored(here.owner)).toMatchObject([{ sensor_id: 7, ...row }]);
  });

  it('gets a hint where stored values look like another unit', async () => {
    const answer = await post('/v1/readings', {
      sensor_id: 7,
      time: T,
      temperature: 52,
      no2: 0.02,
    });
    expect(answer.body).toMatchObject({
      accepted: 1,
      hints: [
        'temperature looks like °F, for example 52: if it is, add ?unit=temperature=f',
        'no2 looks like ppm, for example 0.02: if it is, add ?unit=no2=ppm',
      ],
    });
    const declared = await post('/v1/readings?unit=temperature=c&unit=no2=ppb', {
      sensor_id: 7,
      time: T,
      temperature: 52,
      no2: 0.02,
    });
    expect(declared.body).toMatchObject({ unchanged: 1 });
    expect(declared.body.hints).toBeUndefined();
  });

  it.each<[what: string, path: string, body: object, status: number, detail: RegExp]>([
    [
      'an unknown device',
      '/v1/push/ttn',
      uplink({ pm25: 5 }, 'roof-2'),
      422,
      /^The reading could not be used: no sensor, or more than one, has device roof-2: write "device": "roof-2" into the sensor/,
    ],
    [
      'a simulated message',
      '/v1/push/ttn',
      { ...uplink({ pm25: 5 }), simulated: true },
      400,
      /Nothing in the body is a reading: of the first, it is simulated: nothing was measured\. Nothing was stored/,
    ],
    [
      'a message that nobody decodes',
      '/v1/push/ttn',
      { ...uplink({}), uplink_message: { f_port: 1, frm_payload: 'gkHe', received_at: T } },
      400,
      /of the first, no decoder is set, so it has no decoded_payload: set one in The Things Stack/,
    ],
    [
      'a message of another kind',
      '/v1/push/ttn',
      { end_device_ids: { device_id: 'roof-1' }, received_at: T, join_accept: {} },
      400,
      /it is no uplink message: leave only those enabled in the webhook/,
    ],
    [
      'an unknown sensor',
      '/v1/readings',
      [
        { sensor_id: 99, time: T, pm25: 5 },
        { sensor_id: 98, time: T },
      ],
      422,
      /^None of the 2 readings could be used: there is no sensor 99/,
    ],
    [
      'an unknown unit',
      '/v1/push/ttn?unit=no2=stone',
      uplink({ no2: 5 }),
      400,
      /no2 has no unit "stone". It has: ug\/m3.*Nothing was stored/,
    ],
    [
      'an unknown order of dates',
      '/v1/readings?date_format=dd.mm.yyyy',
      { sensor_id: 7, time: T, pm25: 5 },
      400,
      /there is no "dd\.mm\.yyyy"\. There are: dd\/mm\/yyyy, mm\/dd\/yyyy\. Nothing was stored/,
    ],
    [
      'an unknown parameter of the address',
      '/v1/push/ttn?units=no2=ug/m3',
      uplink({ no2: 5 }),
      400,
      /^There is no parameter "units"\. The address may have unit, column, only, zone, .*device\. Nothing was stored\.$/,
    ],
    [
      'another device than that of the address',
      '/v1/push/home-assistant?device=garden',
      { device: 'roof-1', time: T, pm25: 5 },
      400,
      /^\?device: garden would not be used, because a row names device roof-1 itself/,
    ],
    ['an unknown path', '/v1/push/nobody', {}, 404, /\/v1\/push\/airgradient, .*\/v1\/push\/ttn/],
  ])('is refused with the reason: %s', async (_, path, body, status, detail) => {
    const res = await post(path, body);
    expect([res.status, res.body]).toMatchObject([
      status,
      { status, detail: expect.stringMatching(detail) },
    ]);
    expect(await stored(here.owner)).toEqual([]);
    if (status === 422)
      expect(res.body).toMatchObject({ title: 'Unprocessable Entity', accepted: 0, unchanged: 0 });
  });
});

describe('a token in the path', () => {
  const address = () => `/v1/push/airgradient/${here.token}`;
  const measures = '/sensors/airgradient:roof-1/measures';
  const { serialno: _, ...firmware } = airgradient;
  const bare = (path: string) =>
    request(here.app)
      .post(path)
      .set('Content-Type', 'application/json')
      .send(JSON.stringify(firmware));

  it('is taken, with the device that the firmware appends', async () => {
    expect((await bare(`${address()}${measures}`)).body).toMatchObject({
      accepted: 1,
      format: 'airgradient',
    });
    expect(await stored(here.owner)).toMatchObject([{ sensor_id: 7, pm25_raw: 7 }]);
  });

  it('is in no log and no answer, whatever the path, right or wrong', async () => {
    const wrong = `airs_0123456789_${'x'.repeat(43)}`;
    const answers = [
      await bare(`${address()}${measures}`),
      await bare(`/v1/push/airgradient/${wrong}${measures}`),
      await bare(`/v1/push/nothing/${here.token}`),
      await bare(`/${here.token}`),
      await request(here.app).get(`${address()}/sensors/airgradient:roof-1/one/config`),
      await bare(`${address()}${measures}?unit=x`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 404, 404, 400]);
    const all = JSON.stringify([
      here.log.lines,
      answers.map(({ text, headers }) => [text, headers]),
    ]);
    // the last may still be on its way to the log
    expect(here.log.lines.length).toBeGreaterThanOrEqual(answers.length - 1);
    expect(all).toContain('/v1/push/airgradient/sensors');
    expect(all).not.toMatch(/airs_/);
  });
});

describe('from the quarantine', () => {
  it('a simulated message among others is kept with its reason', async () => {
    const messages = [{ ...uplink({ pm25: 99 }), simulated: true }, uplink({ pm25: 5 })];
    const { body } = await post('/v1/push/ttn', messages);
    expect(body).toMatchObject({
      accepted: 1,
      quarantined: [{ index: 0, reason: 'unreadable_line' }],
    });
    expect(await stored(here.owner)).toMatchObject([{ sensor_id: 7, pm25: 5 }]);
    const { lines } = await listQuarantine(here.owner, {}, 10);
    expect(lines).toMatchObject([
      {
        reason: 'unreadable_line',
        text: JSON.stringify(messages[0]),
        explanation: 'it is simulated: nothing was measured',
      },
    ]);
  });

  it('a device that is added gives the reading that the first try would have given', async () => {
    await post('/v1/push/ttn', uplink({ pm2_5: 7, temp_f: 50 }, 'roof-2'));
    await post('/v1/readings', { sensor_id: 99, time: T, temperature_f: 50 });
    const { lines } = await listQuarantine(here.owner, {}, 10);
    expect(lines.map(({ explanation }) => explanation).sort()).toEqual([
      expect.stringContaining('no sensor, or more than one, has device roof-2'),
      expect.stringContaining('there is no sensor 99'),
    ]);
    expect(lines.map(({ text }) => text)).toContain(
      JSON.stringify({ device: 'roof-2', measured_at: T, temperature: 10, pm25: 7 }),
    );
    await here.owner`update raw.sensor set device = 'roof-2' where id = 7`;
    await here.owner`insert into raw.sensor (id) values (99)`;
    await here.owner`insert into raw.sensor_station (sensor_id, station_id, since, until) values (99, 3, '-infinity', 'infinity')`;
    const retried = await retryQuarantined(here.owner, {
      now: NOW,
      log: keepingLog(),
      terminal: false,
    });
    expect(retried).toMatchObject({ retried: 2, accepted: 2 });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, temperature: 10, pm25: 7, measured_at: STORED_T },
      { sensor_id: 99, temperature: 10, measured_at: STORED_T },
    ]);
    await here.owner`delete from raw.readings where sensor_id = 99`;
    await here.owner`delete from raw.sensor_station where sensor_id = 99`;
    await here.owner`delete from raw.sensor where id = 99`;
  });

  it('a device with two sensors is explained, and a token of one station needs no device in the network', async () => {
    await here.owner`update raw.sensor set device = 'twice' where id in (5, 6)`;
    const answer = await post('/v1/push/ttn', uplink({ pm25: 5 }, 'twice'));
    expect(answer.status).toBe(422);
    const { lines } = await listQuarantine(here.owner, {}, 10);
    expect(lines[0]?.explanation).toMatch(/sensors 5 and 6 both have device twice/);
    await here.owner`update raw.sensor set device = null where id = 6`;
    const token = await here.makeToken('one station', 'us', [3]);
    const { body } = await post('/v1/push/ttn', uplink({ pm25: 5 }, 'new'), {
      Authorization: `Bearer ${token}`,
    });
    expect(body).toMatchObject({ accepted: 1 });
    expect(await stored(here.owner)).toMatchObject([{ sensor_id: 6, pm25: 5 }]);
    await here.owner`update raw.sensor set device = null where id = 5`;
  });
});

describe('a document of others', () => {
  it('goes to the instrument that stood there then, where one of the same device was replaced', async () => {
    const day = '2026-11-10T00:00:00Z';
    await here.owner`update raw.sensor set device = 'replaced' where id in (5, 6)`;
    await here.owner`update raw.sensor_station set until = ${day} where sensor_id = 5`;
    await here.owner`update raw.sensor_station set since = ${day} where sensor_id = 6`;
    const readings = ['2026-11-09T23:59:59Z', day, T].map((time) => ({
      device: 'replaced',
      time,
      pm25: 5,
    }));
    expect((await post('/v1/readings', readings)).body).toMatchObject({ accepted: 3 });
    expect((await stored(here.owner)).map(({ sensor_id }) => sensor_id)).toEqual([5, 6, 6]);
    await checkDeclaredOwner(here.writes, { device: 'replaced' });
    await here.owner`update raw.sensor_station set since = '-infinity' where sensor_id = 6`;
    await here.owner`update raw.sensor_station set until = 'infinity' where sensor_id = 5`;
    await expect(checkDeclaredOwner(here.writes, { device: 'replaced' })).rejects.toThrow(
      'at the same time',
    );
    await here.owner`update raw.sensor set device = null where id in (5, 6)`;
  });

  it('is read from the cloud of AirGradient, at the time that it says', async () => {
    const cloud = [
      {
        ...{ locationId: 10_001, locationName: 'Roof', pm01: 3, pm02: 7.5, pm10: 8 },
        ...{ pm02_corrected: 5.5, atmp: 24.5, atmp_corrected: 22.1, rhum: 43, rhum_corrected: 49 },
        ...{ timestamp: '2026-11-20T08:00:07.000Z', serialno: 'roof-1', firmwareVersion: null },
      },
    ];
    for (const path of ['/v1/readings', '/v1/push/airgradient']) {
      expect((await post(path, cloud)).body).toMatchObject({ format: 'airgradient', received: 1 });
      expect(await stored(here.owner)).toMatchObject([
        { measured_at: '2026-11-20T12:00:07+04:00', pm1: 3, pm25: 5.5, pm25_raw: 7.5, pm10: 8 },
      ]);
      expect((await stored(here.owner))[0]).toMatchObject({ temperature: 22.1, humidity: 49 });
    }
  });

  const chirpstack = {
    deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
    time: T,
    deviceInfo: { deviceName: 'on the roof', devEui: 'roof-1', tags: {} },
    ...{ fCnt: 6, fPort: 1, data: 'AAE=', rxInfo: [], object: { pm25: 5.5, temp_f: 50 } },
  };
  it('is read from ChirpStack, whose other events are no readings', async () => {
    for (const path of ['/v1/push/chirpstack?event=up', '/v1/readings']) {
      expect((await post(path, chirpstack)).body).toMatchObject({ format: 'chirpstack' });
      expect(await stored(here.owner)).toMatchObject([{ pm25: 5.5, temperature: 10 }]);
    }
    const { deviceInfo, time } = chirpstack;
    const join = await post('/v1/push/chirpstack?event=join', { deviceInfo, time, devAddr: '1' });
    expect([join.status, join.body]).toMatchObject([200, { received: 0, accepted: 0 }]);
    const { object: _, ...undecoded } = chirpstack;
    const { body, status } = await post('/v1/push/chirpstack?event=up', undecoded);
    expect([status, body.detail]).toEqual([
      400,
      expect.stringContaining('no codec is set, so it has no object'),
    ]);
    expect((await post('/v1/readings?event=up', chirpstack)).status).toBe(400);
  });

  it('is read by the paths that Tasmota documents: Time, BME280.Temperature, SDS0X1.PM2.5', async () => {
    const tasmota = {
      Time: '2026-11-20T10:00:00',
      BME280: { Temperature: 21.5, Humidity: 40.2, Pressure: 1013.2 },
      SDS0X1: { 'PM2.5': 5.5, PM10: 7.7 },
      ...{ PressureUnit: 'hPa', TempUnit: 'C' },
    };
    const columns = ['temperature=BME280.Temperature', 'humidity=BME280.Humidity'];
    const more = ['pressure=BME280.Pressure', 'pm25=SDS0X1.PM2.5', 'pm10=SDS0X1.PM10'];
    const query = [...columns, ...more].map((column) => `column=${column}`).join('&');
    const answer = await post(
      `/v1/readings?device=roof-1&zone=%2B01:00&unit=pressure=hpa&${query}`,
      tasmota,
    );
    expect(answer.body).toMatchObject({ accepted: 1, quarantined: [] });
    expect(await stored(here.owner)).toMatchObject([
      { measured_at: '2026-11-20T13:00:00+04:00', pm25: 5.5, pm10: 7.7, pressure: 101_320 },
    ]);
  });

  it.each([
    ['ISO 8601', '2026-11-20T09:00:00+01:00'],
    ['milliseconds', Date.parse('2026-11-20T08:00:00Z')],
  ])('is read from Zigbee2MQTT, at last_seen in %s', async (_, last_seen) => {
    const zigbee = { temperature: 21.3, humidity: 40, pm25: 5, linkquality: 120, last_seen };
    const { body } = await post('/v1/readings?device=roof-1', zigbee);
    expect(body).toMatchObject({ accepted: 1, ignored: ['linkquality'] });
    expect(body.time).toBeUndefined();
    expect(await stored(here.owner)).toMatchObject([
      { measured_at: '2026-11-20T12:00:00+04:00', temperature: 21.3, pm25: 5 },
    ]);
  });

  it('is refused where its device is a number above 2^53, which JSON rounds (S7)', async () => {
    const { body, status } = await post('/v1/readings', '{"device":9007199254740993,"pm25":5}');
    expect([status, body.detail]).toEqual([400, expect.stringContaining('above 2^53')]);
  });
});
