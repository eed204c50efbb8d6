/**
 * POST /v1/push/FORMAT: what its address may declare, a token in its path, and the sensor that a
 * device stands for. The formats are in test/extras/senders/formats.
 */
import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { listQuarantine } from '../../../../src/ingest/quarantine/list.ts';
import { checkDeclaredOwner } from '../../../../src/ingest/store/deviceSensors.ts';
import { usePushing } from '../../../ingest/http/pushing.ts';
import { retry, stored } from '../../../ingest/support.ts';
import { READING_FORMATS } from '../../../support/formats.ts';

const T = '2026-11-20T11:00:00Z';

// nothing here depends on the engine
const here = usePushing();
beforeEach(async () => {
  await here.owner`update raw.sensor set device = null where id in (5, 6)`;
  await here.owner`update raw.sensor set device = 'roof' where id = 7`;
  here.log.lines.length = 0;
});

const post = (path: string, body: string | object, token = here.token) =>
  request(here.app)
    .post(path)
    .set({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' })
    .send(typeof body === 'string' ? body : JSON.stringify(body));

const sensorsWithReadings = async () =>
  (await stored(here.owner)).map(({ sensor_id }) => sensor_id);

describe('refused pushes', () => {
  const reading = { sensor_id: 7, time: T, pm25: 5 };

  it.each<[what: string, path: string, body: object, status: number, detail: RegExp]>([
    [
      'an unknown device',
      '/v1/push/home-assistant',
      { device: 'attic', pm25: 5 },
      422,
      /^The reading could not be used: no sensor, or more than one, has device attic: write "device": "attic" into the sensor/,
    ],
    [
      'an unknown sensor, and a reading without a value',
      '/v1/readings',
      [
        { sensor_id: 99, time: T, pm25: 5 },
        { sensor_id: 98, time: T },
      ],
      422,
      /^None of the 2 readings could be used: there is no sensor 99/,
    ],

    [
      'an unknown parameter of the address',
      '/v1/push/ttn?units=no2=ug/m3',
      reading,
      400,
      /^There is no parameter "units"\. The address may have unit, column, only, zone, .*device\. Nothing was stored\.$/,
    ],

    [
      'an unknown format',
      '/v1/push/nobody',
      reading,
      404,
      /\/v1\/push\/airgradient, .*\/v1\/push\/ttn/,
    ],
  ])('a push is refused with the reason: %s', async (_, path, body, status, detail) => {
    const response = await post(path, body);
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ status, detail: expect.stringMatching(detail) });
    if (status === 422)
      expect(response.body).toMatchObject({
        title: 'Unprocessable Entity',
        accepted: 0,
        unchanged: 0,
      });
    expect(await stored(here.owner)).toEqual([]);
  });
});

it('the event that ChirpStack appends to the address is accepted, and gets 200 even without a reading', async () => {
  const deviceInfo = { devEui: 'roof' };
  const up = { deviceInfo, time: T, fPort: 1, object: { pm25: 5, temperature: 50 } };
  const uplink = await post('/v1/push/chirpstack?event=up', up);
  expect(uplink.body).toMatchObject({ accepted: 1, format: 'chirpstack' });
  // behind a query, it appends another parameter
  await post('/v1/push/chirpstack?unit=temperature=f&event=up', up);
  expect(await stored(here.owner)).toMatchObject([{ pm25: 5, temperature: 10 }]);
  const join = await post('/v1/push/chirpstack?event=join', { deviceInfo, time: T, devAddr: '1' });
  expect([join.status, join.body]).toMatchObject([200, { received: 0, accepted: 0 }]);
});

describe('a token in the path', () => {
  const address = () => `/v1/push/airgradient/${here.token}`;
  /** The firmware of AirGradient appends it, and sends no other name of the device. */
  const measures = '/sensors/airgradient:roof/measures';
  const postWithoutHeader = (path: string) =>
    request(here.app)
      .post(path)
      .set('Content-Type', 'application/json')
      .send(JSON.stringify({ wifi: -46, pm02: 7, rhum: 43 }));

  it('a token in the path is accepted, with the device that the firmware appends', async () => {
    const { body } = await postWithoutHeader(`${address()}${measures}`);
    expect(body).toMatchObject({ accepted: 1, format: 'airgradient' });
    expect(await stored(here.owner)).toMatchObject([{ sensor_id: 7, pm25_raw: 7 }]);
  });

  it('a name behind the path that begins like a token stays whole', async () => {
    const sent = { time: T, pm25: 5 };
    const { status, body } = await post('/v1/readings?device=roof/airs_north', sent);
    expect(status).toBe(422);
    expect(body.detail).toContain('has device roof/airs_north:');
  });

  it('a token in the path, right or wrong, appears in no log and no answer', async () => {
    const wrong = `airs_0123456789_${'x'.repeat(43)}`;
    const answers = [
      await postWithoutHeader(`${address()}${measures}`),
      await postWithoutHeader(`/v1/push/airgradient/${wrong}${measures}`),
      await postWithoutHeader(`/v1/push/nothing/${here.token}`),
      await postWithoutHeader(`/${here.token}`),
      await request(here.app).get(`${address()}/sensors/airgradient:roof/one/config`),
      await postWithoutHeader(`${address()}${measures}?unit=x`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 404, 404, 400]);
    // the last line may still be on its way to the log
    expect(here.log.lines.length).toBeGreaterThanOrEqual(answers.length - 1);
    const all = JSON.stringify([
      here.log.lines,
      answers.map(({ text, headers }) => [text, headers]),
    ]);
    expect(all).toContain('/v1/push/airgradient/sensors');
    expect(all).not.toMatch(/airs_/);
  });
});

describe('a form', () => {
  const form = (path: string, body: string) =>
    request(here.app)
      .post(path)
      .set('Content-Type', 'application/x-www-form-urlencoded; charset=utf-8')
      .send(body);

  it('a form is one reading, in any layout, and its last field of a name counts', async () => {
    const own = 'device=roof&time=2026-11-20T12%3A00:00%2B01:00&pm25=4&pm25=5&temperature_f=50';
    const { body } = await form(`/v1/readings/${here.token}`, own);
    expect(body).toMatchObject({ received: 1, accepted: 1, format: 'airseries' });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, measured_at: '2026-11-20T15:00:00+04:00', pm25: 5, temperature: 10 },
    ]);
  });

  it('a gateway of Ecowitt has room for a path of 64 characters, with the token in it', async () => {
    const sent = 'PASSKEY=roof&stationtype=GW2000A_V3.1.3&dateutc=2026-11-20+11:00:00&tempf=41.0';
    for (const path of [`/v1/${here.token}`, `/v1/${here.token}/`, `//v1/${here.token}`]) {
      expect(path.length).toBeLessThanOrEqual(64);
      const { body } = await form(path, `${sent}&pm25_ch1=6.6\r\n`);
      expect(body).toMatchObject({ received: 1, quarantined: [], format: 'ecowitt' });
    }
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, measured_at: '2026-11-20T15:00:00+04:00', temperature: 5, pm25_raw: 6.6 },
    ]);
    expect(JSON.stringify(here.log.lines)).not.toContain('airs_');
  });

  it('a push by the short path is as small as every push', async () => {
    const readings = Array.from({ length: 1_500 }, () => ({ device: 'roof', time: T, pm25: 5 }));
    expect((await post('/v1/readings', readings)).status).toBe(200);
    expect((await post('/v1', readings)).status).toBe(413);
  });
});

describe('a device', () => {
  it('a reading of an unknown device is stored as first sent, once the network has the device', async () => {
    await post('/v1/push/home-assistant', { device: 'attic', time: T, pm2_5: 7, temp_f: 50 });
    const { lines } = await listQuarantine(here.owner, {}, 10, READING_FORMATS);
    expect(lines).toMatchObject([
      {
        explanation: expect.stringContaining('no sensor, or more than one, has device attic'),
        text: JSON.stringify({ device: 'attic', measured_at: T, temperature: 10, pm25: 7 }),
      },
    ]);

    await here.owner`update raw.sensor set device = 'attic' where id = 7`;
    expect(await retry(here.owner)).toMatchObject({ retried: 1, accepted: 1 });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, temperature: 10, pm25: 7, measured_at: '2026-11-20T15:00:00+04:00' },
    ]);
  });

  it('an unknown device may push if its token covers one station with one sensor without a device', async () => {
    await here.owner`update raw.sensor set device = 'another' where id = 5`;
    const token = await here.makeToken('one station', 'us', [3]);
    const { body } = await post('/v1/readings', { device: 'new', time: T, pm25: 5 }, token);
    expect(body).toMatchObject({ accepted: 1 });
    expect(await sensorsWithReadings()).toEqual([6]);
  });

  it('the name of a replaced device stands for the instrument that was at the station then', async () => {
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
    expect(await sensorsWithReadings()).toEqual([5, 6, 6]);
    await checkDeclaredOwner(here.writes, { device: 'replaced' });

    await here.owner`update raw.sensor_station set since = '-infinity' where sensor_id = 6`;
    await here.owner`update raw.sensor_station set until = 'infinity' where sensor_id = 5`;
    await expect(checkDeclaredOwner(here.writes, { device: 'replaced' })).rejects.toThrow(
      'at the same time',
    );
  });
});
