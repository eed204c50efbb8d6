/**
 * POST /v1/push/airrohr, with bodies and headers as the firmware writes them (airrohr-firmware.ino,
 * NRZ-2020-133 to NRZ-2024-135).
 */
import request, { type Response } from 'supertest';
import { describe, expect, it } from 'vitest';
import { listQuarantine } from '../../../../src/ingest/quarantine/list.ts';
import { push, usePushing } from '../../../ingest/http/pushing.ts';
import { retry, stored } from '../../../ingest/support.ts';
import { NOW } from '../../../support/clock.ts';
import { READING_FORMATS } from '../../../support/formats.ts';

/** As the device with an SDS011 and a BME280 sends it, blanks and all. */
const BODY = `{"esp8266id": "12345678", "software_version": "NRZ-2020-133", "sensordatavalues":[
{"value_type":"SDS_P1","value":"66.04"},{"value_type":"SDS_P2","value":"53.32"},{"value_type":"BME280_temperature","value":"21.90"},
{"value_type":"BME280_pressure","value":"99312.25"},{"value_type":"BME280_humidity","value":"41.05"},{"value_type":"samples","value":"823214"},
{"value_type":"min_micro","value":"77"},{"value_type":"max_micro","value":"26303"},{"value_type":"interval","value":"145000"},{"value_type":"signal","value":"-66"}]}`;

const body = (values: Record<string, string>, id = '12345678') => ({
  esp8266id: id,
  software_version: 'NRZ-2024-135',
  sensordatavalues: Object.entries(values).map(([value_type, value]) => ({ value_type, value })),
});

// nothing here depends on the engine
describe('the airRohr firmware', () => {
  const here = usePushing();

  const from = (device: string, given: string | object, headers = {}, token = here.token) =>
    push(here.app, token, given, {
      'X-Sensor': device,
      'X-MAC-ID': 'esp8266-a4cf12f00baa',
      ...headers,
    });
  const answer = (received: number, accepted: number, ...refused: number[]) => ({
    received,
    accepted,
    unchanged: 0,
    quarantined: refused.map((index) => ({ index, reason: 'unknown_sensor' })),
  });
  const quarantine = () => here.owner`select source, provider_id, reason, text from raw.quarantine`;
  const expectProblem = (res: Response, status: number, detail: RegExp) => {
    expect(res.body).toMatchObject({ status, detail: expect.stringMatching(detail) });
    expect(res.status).toBe(status);
  };

  it('an airRohr push is accepted: each value goes to the sensor of its kind, with the current time', async () => {
    const res = await from('esp8266-12345678', BODY);
    expect([res.status, res.body]).toEqual([200, answer(2, 2)]);
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 1, measured_at: expect.any(String), pm10: 66.04, pm25: 53.32, pm25_raw: null },
      { sensor_id: 2, temperature: 21.9, pressure: 99312.25, humidity: 41.05 },
    ]);
    const [row] =
      await here.owner`select count(*)::int as n from raw.readings where measured_at = ${NOW}`;
    expect(row?.n).toBe(2);
    expect((await from('esp8266-12345678', BODY)).body).toEqual({ ...answer(2, 0), unchanged: 2 });
  });

  it('an airRohr push that could not be sent at once says when it was measured (S3)', async () => {
    const at = (minutes: number) => NOW.getTime() - minutes * 60_000;
    const buffered = (timestamp: unknown, value: string) => ({
      ...body({ SDS_P2: value }),
      timestamp,
    });
    for (const [timestamp, value] of [
      [at(120), '10'],
      [at(60) / 1_000, '20'],
    ] as const)
      expect((await from('esp8266-12345678', buffered(timestamp, value))).body).toMatchObject({
        accepted: 1,
      });
    const rows = await here.owner`
      select extract(epoch from measured_at)::float8 * 1000 as at, pm25 from raw.readings order by 1`;
    expect(rows).toEqual([
      { at: at(120), pm25: 10 },
      { at: at(60), pm25: 20 },
    ]);
    expectProblem(
      await from('esp8266-12345678', buffered('noon', '30')),
      400,
      /The timestamp "noon" is not a number of seconds or milliseconds since 1970/,
    );
  });

  it('an airRohr device without the X-Sensor header is recognized by its body', async () => {
    expect((await push(here.app, here.token, BODY)).body).toEqual(answer(2, 2));
    const other = body({ SDS_P2: '1' });
    expect(
      (await push(here.app, here.token, { ...other, esp8266id: undefined, esp32id: 'a0b1' })).body,
    ).toEqual(answer(1, 0, 0));
    expect(JSON.parse((await quarantine())[0]?.text).device).toBe('esp32-a0b1');
    expectProblem(await push(here.app, here.token, { ...other, esp8266id: '' }), 400, /X-Sensor/);
    expectProblem(await from('two words', other), 400, /X-Sensor/);
    expectProblem(await from('esp8266-2', other, { 'X-PIN': 'one' }), 400, /X-PIN/);
  });

  it('an unknown airRohr device may push if its token is scoped to a single station', async () => {
    const values = {
      SPS30_P1: '9',
      SPS30_P4: '8',
      SPS30_P2: '7',
      SPS30_N05: '6',
      SHT3X_humidity: '50',
      GPS_lat: '40.1',
    };
    const narrow = await here.makeToken('three', 'us', [3]);
    expect((await from('esp8266-new', body(values), {}, narrow)).body).toEqual(answer(2, 2));
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 5, pm10: 9, pm25: 7 },
      { sensor_id: 6, humidity: 50 },
    ]);
    // sensor 7 is there too, but of another device; and two stations are not one
    expect((await from('esp8266-new', body({ SDS_P1: '9' }), {}, narrow)).body).toEqual(
      answer(1, 0, 0),
    );
    const wide = await here.makeToken('two', 'us', [2, 3]);
    expect((await from('esp8266-new', body(values), {}, wide)).body).toEqual(answer(1, 0, 0));
  });

  it('a body that the airRohr firmware would not send is refused, and unusable values are reported', async () => {
    const device = 'esp8266-12345678';
    for (const given of ['nonsense', '[]', '7', '{"sensordatavalues":{}}', '{"P1":1}', '']) {
      expectProblem(await from(device, given), 400, /not JSON|sensordatavalues|empty/);
    }
    expectProblem(
      await from(device, BODY, { 'Content-Type': 'text/html' }),
      415,
      /application\/json/,
    );
    expectProblem(await from(device, BODY.padEnd(65_537)), 413, /64 KiB/);
    expect((await from(device, JSON.stringify(body({})).padEnd(65_536))).status).toBe(200);
    expect((await push(here.app, 'wrong', BODY)).status).toBe(401);
    expect((await from(device, body({ samples: '1', signal: '-66' }))).body).toEqual(answer(0, 0));
    const odd = body({ SDS_P1: 'broken', SDS_P2: '1e999', BME280_humidity: '50' });
    expect((await from(device, odd)).body).toEqual({
      ...answer(2, 1),
      quarantined: [{ index: 0, reason: 'no_value' }],
      values: [
        {
          index: 0,
          parameter: 'pm25',
          reason: 'out_of_bounds',
          bounds: [-10, 2000],
          unit: 'µg/m³',
        },
        { index: 0, parameter: 'pm10', reason: 'unreadable' },
      ],
    });
  });

  describe('lines of InfluxDB', () => {
    const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const LINE =
      'feinstaub,node=esp8266-12345678 SDS_P1=66.04,SDS_P2=53.32,BME280_humidity=41.05,signal="-66",samples=823214\n';

    it('a line of InfluxDB names its device by a tag, and its time is not used', async () => {
      const timed = LINE.replace('\n', ' 1434055562000000000\n')
        .replace('=66.04', '=66.04i')
        .replace('feinstaub', 'air,site=roof');
      expect((await push(here.app, here.token, timed, FORM)).body).toEqual(answer(2, 2));
      expect(await stored(here.owner)).toMatchObject([
        { sensor_id: 1, pm10: 66.04 },
        { sensor_id: 2 },
      ]);
      // at the same instant: PM10 is replaced, and nothing else
      expect(
        (await push(here.app, here.token, `\n${JSON.stringify(body({ SDS_P1: '1' }))}`, FORM)).body,
      ).toEqual({ ...answer(1, 1), replaced: expect.objectContaining({ values: 1 }) });
    });

    it.each([
      'SDS_P1=1',
      'feinstaub,node SDS_P1=1',
      'feinstaub SDS_P1=1,,SDS_P2=2',
      `${LINE}${LINE}`,
    ])(
      'an airRohr body that is neither JSON nor a line of InfluxDB is refused with 400: %j',
      async (line) => {
        expectProblem(
          await push(here.app, here.token, line, FORM),
          400,
          /neither JSON nor a line of InfluxDB such as/,
        );
      },
    );
  });

  it('an airRohr push to the path with a slash at its end is accepted, as some devices send it', async () => {
    const res = await request(here.app)
      .post('/v1/push/airrohr/')
      .set({ 'Content-Type': 'application/json', 'X-Sensor': 'esp8266-12345678' })
      .auth('', here.token)
      .send(BODY);
    expect(res.body).toEqual(answer(2, 2));
  });

  it('a retry stores the values of a device that the network can assign now, and keeps the others', async () => {
    const sent = (minutes: number, particles: string) => ({
      ...body({ SPS30_P2: particles, SHT3X_temperature: '7.5' }),
      timestamp: NOW.getTime() - minutes * 60_000,
    });
    await from('esp8266-new', sent(10, '12.5'));
    await from('esp8266-new', sent(5, 'x'));
    expect(await retry(here.owner)).toMatchObject({ retried: 2, still_quarantined: 2 });
    const retried = async (sensor: number) => {
      await here.owner`update raw.sensor set device = 'esp8266-new' where id = ${sensor}`;
      const { accepted, still_quarantined } = await retry(here.owner);
      return [accepted, still_quarantined];
    };
    expect(await retried(6)).toEqual([2, 2]);
    for (const { text } of await quarantine()) expect(text).not.toContain('SHT3X');
    expect(await retried(5)).toEqual([1, 1]); // the second push has unreadable particles
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 5, pm25: 12.5 },
      { sensor_id: 6, temperature: 7.5 },
      { sensor_id: 6, temperature: 7.5 },
    ]);
    expect((await quarantine()).map(({ reason }) => reason).sort()).toEqual([
      'no_value',
      'unreadable:pm25',
    ]);
    await here.owner`update raw.sensor set device = null where id in (5, 6)`;
  });

  describe('explanations in quarantine', () => {
    const explanation = async () =>
      (await listQuarantine(here.owner, {}, 1, READING_FORMATS)).lines[0]?.explanation;

    it.each<[string, string, Record<string, string>, RegExp]>([
      [
        'a device that the network does not know',
        'esp8266-777',
        { SDS_P1: '5', BME280_temperature: '3' },
        /^device esp8266-777 sent values of SDS011, BME280, .*: write \{"id": …, "kind": "SDS011", "device": "esp8266-777"\}, \{"id": …, "kind": "BME280".* into the sensors of its station, import the network, then run quarantine retry$/,
      ],
      [
        'an instrument that the network does not know',
        'esp8266-12345678',
        { SHT3X_temperature: '3' },
        /^device esp8266-12345678 has sensors 1 \(SDS011\), 2 \(BME280\) in the network, but no SHT31: write \{"id": …, "kind": "SHT31", "device": "esp8266-12345678"\}/,
      ],
    ])(
      'the explanation in quarantine says what to write for %s',
      async (_, device, values, expected) => {
        expect((await from(device, body(values))).body.accepted).toBe(0);
        expect(await explanation()).toMatch(expected);
      },
    );

    it('the explanation in quarantine says what to write for two fitting sensors, and one that was nowhere', async () => {
      await here.owner`update raw.sensor set device = 'twins' where id in (1, 5)`;
      await here.owner`update raw.sensor set kind = 'SDS011' where id = 5`;
      await here.owner`update raw.sensor_station set until = '2026-01-01' where sensor_id = 2`;
      try {
        await from('twins', body({ SDS_P1: '5' }));
        expect(await explanation()).toMatch(
          /^sensors 1 and 5 of device twins may both be its SDS011: give each its "kind"/,
        );
        await from('esp8266-12345678', body({ BME280_temperature: '5' }));
        expect(await explanation()).toMatch(
          /^sensor 2, the BME280 of device esp8266-12345678, was at no station on 2026-11-20T12:00:00Z: correct its periods in "stations"/,
        );
      } finally {
        await here.owner`update raw.sensor set device = 'esp8266-12345678' where id = 1`;
        await here.owner`update raw.sensor set device = null, kind = 'SPS30' where id = 5`;
        await here.owner`update raw.sensor_station set until = 'infinity' where sensor_id = 2`;
      }
    });
  });

  it('values that several airRohr instruments of one sensor send within a second are kept by pin', async () => {
    const values = { SDS_P1: '6.5' };
    await from('esp8266-elsewhere', body({ P1: '6.5', P2: '5.5' }), { 'X-PIN': '1' });
    await from('esp8266-elsewhere', body({ temperature: '7.5' }), { 'X-PIN': '7' });
    await from('esp8266-elsewhere', body(values));
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, pm10: 6.5, pm25: null, temperature: null },
      { sensor_id: 7, pm10: 6.5, pm25: 5.5, temperature: null },
      { sensor_id: 7, pm10: null, pm25: null, temperature: 7.5 },
    ]);
  });
});
