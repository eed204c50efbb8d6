/**
 * POST /v1/readings: what can be sent, and in which forms. Refusals are in
 * test/extras/senders/pushes.test.ts.
 */

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import request, { type Response } from 'supertest';
import { describe, expect, it } from 'vitest';
import { whereComplete } from '../../support/complete.ts';
import { stored } from '../support.ts';
import { send, usePushing } from './pushing.ts';

const T = '2026-11-20T11:00:00Z';
const LINES = { 'Content-Type': 'application/x-ndjson' };
const GOOD = JSON.stringify([{ sensor_id: 1, time: T, pm25: 5 }]);

function expectProblem(res: Response, status: number, detail: RegExp) {
  expect(res.body).toEqual({
    status,
    title: expect.any(String),
    detail: expect.stringMatching(detail),
  });
  expect(res.status).toBe(status);
  expect(res.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(res.headers['cache-control']).toBe('no-store');
}

// nothing here depends on the engine
describe('POST /v1/readings', () => {
  const here = usePushing();

  const post = (body: string | Buffer, headers = {}) => send(here.app, here.token, body, headers);
  const quarantine = () =>
    here.owner`select source, provider_id, line, reason, text from raw.quarantine order by id`;

  it(
    'an array of readings is accepted, and each unusable one is reported with its reason',
    whereComplete,
    async () => {
      const body = JSON.stringify([
        { sensor_id: 1, measured_at: T, pm25: 5.5, pm10: '7' },
        { sensor_id: 77, measured_at: T, pm25: 1 },
        'no reading',
        {
          sensor_id: '2',
          timestamp: '2026-11-20T15:00:01+04:00',
          temperature: 21.5,
          humidity: '40.25',
        },
        { sensor_id: 2, time: T, temperature: 99 },
      ]);
      const first = await post(body);
      expect(first.status).toBe(200);
      expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(first.text).toBe(
        '{"received":5,"accepted":2,"unchanged":0,"quarantined":[{"index":1,"reason":"unknown_sensor"},' +
          '{"index":2,"reason":"unreadable_line"},{"index":4,"reason":"no_value"}],' +
          '"values":[{"index":4,"parameter":"temperature","reason":"out_of_bounds","bounds":[-60,60],"unit":"°C",' +
          '"hint":"99 looks like °F: send it in °C, as 37.2"}],"format":"airseries"}',
      );
      expect(await stored(here.owner)).toMatchObject([
        { sensor_id: 1, pm25: 5.5, pm10: 7 },
        { sensor_id: 2, temperature: 21.5, humidity: 40.25 },
      ]);
      expect(await quarantine()).toContainEqual({
        source: 'feed',
        provider_id: 'us',
        line: '3',
        reason: 'unreadable_line',
        text: '"no reading"',
      });
      expect((await post(body)).body).toMatchObject({ received: 5, accepted: 0, unchanged: 2 });
    },
  );

  it.each(['application/x-ndjson', 'application/ndjson; charset=utf-8', 'text/plain'])(
    'readings one per line are accepted as %s',
    async (type) => {
      const body = `{"sensor_id":1,"time":"${T}","pm25":5}\r\n\nnonsense\n{"sensor_id":2,"time":"${T}","humidity":50}`;
      expect((await post(body, { 'Content-Type': type })).body).toEqual({
        received: 3,
        accepted: 2,
        unchanged: 0,
        quarantined: [{ index: 1, reason: 'unreadable_line' }],
        format: 'airseries',
      });
      expect(await quarantine()).toMatchObject([{ line: '3', text: 'nonsense' }]);
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('a body compressed with %s is unpacked', async (encoding, pack) => {
    expect((await post(pack(GOOD), { 'Content-Encoding': encoding })).body).toMatchObject({
      accepted: 1,
    });
  });

  it('a push of 5,000 readings is accepted, and one of 5,001 is refused as a whole with 413', async () => {
    const lines = (n: number) => {
      const line = (i: number) =>
        `{"sensor_id":1,"time":"${new Date(1.7e12 + i * 1000).toISOString()}","pm25":1}`;
      return Array.from({ length: n }, (_, i) => line(i));
    };
    expectProblem(await post(lines(5001).join('\n'), LINES), 413, /more than 5000 readings/);
    expect(await stored(here.owner)).toEqual([]);
    expect((await post(lines(5000).join('\n'), LINES)).body).toMatchObject({
      received: 5000,
      accepted: 5000,
    });
  });

  it('a body of unknown length is refused with 413 as soon as it is too large', async () => {
    const server = here.app.listen(0);
    const { port } = server.address() as { port: number };
    const body = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 9; n++) controller.enqueue(Buffer.alloc(1024 * 1024, ' '));
        controller.close();
      },
    });
    const headers = { Authorization: `Bearer ${here.token}`, 'Content-Type': 'application/json' };
    const res = await fetch(`http://localhost:${port}/v1/readings`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    expect(res.status).toBe(413);
    server.close();
  });

  it('odd or deeply nested JSON is refused, and does no harm to the readings beside it', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const body = `[{"__proto__":{"sensor_id":1},"time":"${T}","pm25":1},
      {"sensor_id":1,"time":"${T}","pm25":1e999,"pm10":3,"constructor":{"prototype":1},"toString":1},
      {"sensor_id":1,"time":"${T}","pm25":${deep}}, ${deep},
      {"sensor_id":{"valueOf":1},"time":["x"],"pm25":1},
      {"sensor_id":1,"time":"${T}","pm25":1,"note":"${'x'.repeat(70_000)}"},
      {"sensor_id":2,"time":"\\ud800\\u0000","pm25":1}]`;
    const res = await post(body);
    expect([res.status, res.body]).toEqual([
      200,
      {
        received: 7,
        accepted: 1,
        unchanged: 0,
        quarantined: [
          { index: 0, reason: 'unknown_sensor' },
          { index: 2, reason: 'unreadable_line' },
          { index: 3, reason: 'unreadable_line' },
          { index: 4, reason: 'unknown_sensor' },
          { index: 5, reason: 'unreadable_line' },
          { index: 6, reason: 'unreadable_time' },
        ],
        values: [
          {
            index: 1,
            parameter: 'pm25',
            reason: 'out_of_bounds',
            bounds: [-10, 2000],
            unit: 'µg/m³',
          },
        ],
        ignored: ['__proto__', 'constructor', 'toString'],
        format: 'airseries',
      },
    ]);
    expect(await stored(here.owner)).toMatchObject([{ sensor_id: 1, pm25: null, pm10: 3 }]);
    expect(({} as Record<string, unknown>).sensor_id).toBeUndefined();
    expect((await post(deep)).status).toBe(400);
    expect((await post(`{"sensor_id":1,"time":"${T}","__proto__":${deep}}`)).status).toBe(400);
  });

  it('the answer to a push lists at most 1,000 values that were left out, and counts the rest', async () => {
    const readings = Array.from({ length: 1_100 }, (_, second) => ({
      ...{ sensor_id: 1, pm25: 9_999, pm10: 1 },
      time: new Date(Date.parse(T) - second * 1_000).toISOString(),
    }));
    const { body } = await post(JSON.stringify(readings));
    expect(body).toMatchObject({ accepted: 1_100, more_values: 100 });
    expect(body.values).toHaveLength(1_000);
  });

  it('a push may be CSV, with decimal commas between semicolons', whereComplete, async () => {
    const lines = `\ufeffsensor_id;time;temperature;pressure\r\n2;${T};-0,5;1013,2\r\n99;${T};5;\r\n`;
    const { body } = await post(lines, { 'Content-Type': 'text/csv; charset=utf-8' });
    expect(body).toMatchObject({
      ...{ received: 2, accepted: 1, format: 'airseries' },
      quarantined: [{ index: 1, reason: 'unknown_sensor' }],
      values: [{ parameter: 'pressure', hint: expect.stringContaining('1013.2 looks like hPa') }],
    });
    expect(await stored(here.owner)).toMatchObject([{ temperature: -0.5, pressure: null }]);
  });

  it('readings of a station outside the scope of the token are refused with 403', async () => {
    const narrow = await here.makeToken('only one', 'us', [1]);
    expect((await send(here.app, narrow, GOOD)).body).toMatchObject({ accepted: 1 });
    const other = JSON.stringify([3, 5].map((sensor_id) => ({ sensor_id, time: T, pm25: 5 })));
    expectProblem(await send(here.app, narrow, other), 403, /sensors 3, 5\./);
  });

  it(
    'HTTP ingestion takes only POST on its paths, and refuses other methods and paths',
    whereComplete,
    async () => {
      for (const path of ['/v1/readings', '/v1/push/airrohr']) {
        const res = await request(here.app).get(path);
        expectProblem(res, 405, /Use POST/);
        expect(res.headers.allow).toBe('POST');
        expect((await request(here.app).put(path)).status).toBe(405);
      }
      for (const path of ['/', '/v1/reading', '/v1/readings/', '/V1/readings', '/v1/push/other']) {
        expectProblem(
          await request(here.app).post(path),
          404,
          /\/v1\/readings or \/v1\/push\/airrohr/,
        );
      }
      expectProblem(await request(here.app).post('/v1/%zz'), 400, /percent/);
    },
  );

  it(
    'readings without a time are the same if a token repeats its body within a minute (S3)',
    whereComplete,
    async () => {
      let seconds = 0;
      const clock = () => new Date(Date.parse(T) + seconds * 1_000);
      const app = here.another({ clock });
      const other = await here.makeToken('another');
      const sent = async (at: number, token: string, pm25: number) => {
        seconds = at;
        const { body } = await send(app, token, JSON.stringify({ sensor_id: 1, pm25 }));
        return [body.accepted, body.unchanged, body.time];
      };
      expect(await sent(0, here.token, 5)).toEqual([1, 0, 'server']);
      expect(await sent(59, here.token, 5)).toEqual([0, 1, 'server']);
      expect(await sent(59, here.token, 6)).toEqual([1, 0, 'server']);
      expect(await sent(59.5, other, 5)).toEqual([1, 0, 'server']);
      expect(await sent(61, here.token, 5)).toEqual([1, 0, 'server']);
      expect(await sent(120.5, here.token, 5)).toEqual([0, 1, 'server']);
      expect((await stored(here.owner)).length).toBe(4);
    },
  );

  const doubtful = (count: number) =>
    Array.from({ length: count }, (_, minute) => {
      const time = new Date(Date.parse(T) - minute * 60_000).toISOString();
      return { sensor_id: 1, time, humidity: 0.5 + minute / 100, pm25: 5, valid: minute % 2 };
    });

  it(
    'the answer to a short push hints at a scale, a verdict, contradicting rows and a clock that was reset (S7, S8)',
    whereComplete,
    async () => {
      const rows = doubtful(6);
      const old = { ...rows[0], time: '2000-01-01T00:00:07Z' };
      const { body } = await post(JSON.stringify([...rows, { ...rows[0], pm25: 0.04 }, old]));
      expect(body).toMatchObject({ accepted: 8, ignored: ['valid'] });
      expect(body.hints).toEqual([
        expect.stringMatching(
          /^column humidity looks like a fraction of 1, .*Add \?unit=humidity=fraction if it is/,
        ),
        expect.stringContaining(
          'seems to stand in valid (0, 1), and is not used. Write ?only=valid=0 for',
        ),
        expect.stringMatching(
          /^1 row gives a parameter another value than an earlier row of the same sensor and time/,
        ),
        'the oldest reading is of 2000-01-01T00:00:07Z, and between 2000-01 and 2026-11 there is none: a clock that was reset? Set EPOCH to refuse such times, or remove them with "delete readings"',
      ]);
    },
  );

  it(
    'a push of 20 readings that cannot be as they are is refused as a whole, and one of 19 is stored (S7)',
    whereComplete,
    async () => {
      const rows = doubtful(20).map(({ time }) => ({ sensor_id: 1, time, pm25: 9, pm10: 3 }));
      const { status, body } = await post(JSON.stringify(rows));
      expect([status, body.detail]).toEqual([
        422,
        expect.stringMatching(/^The body: PM2\.5 is above PM10 in each of 20 rows, .* stored\. /),
      ]);
      expect(await stored(here.owner)).toEqual([]);
      const { body: few } = await post(JSON.stringify(rows.slice(1)));
      expect(few).toMatchObject({ accepted: 19 });
    },
  );

  it(
    'a push of one reading is refused where nobody may guess its unit or its sensor (S9)',
    whereComplete,
    async () => {
      const gas = await request(here.app)
        .post('/v1/readings?column=no2=NO2_mean')
        .set({ Authorization: `Bearer ${here.token}`, 'Content-Type': 'application/json' })
        .send(JSON.stringify({ sensor_id: 1, time: T, NO2_mean: 40 }));
      expect([gas.status, gas.body.detail]).toEqual([
        422,
        'The body: nothing says the unit of NO2_mean; nothing of it was stored. Add ?unit=no2=ug/m3 (40 is 20.9 ppb) or ?unit=no2=ug/m3@25c (40 is 21.3 ppb) or ?unit=no2=ppb (40 is 40 ppb). Convert values in any other unit first.',
      ]);
    },
  );

  it('a day above the 12th in a body tells the order of all its dates', whereComplete, async () => {
    const rows = ['01/12/2026', '11/19/2026'].map((day) => ({
      ...{ sensor_id: 1, time: `${day} 08:00`, pm25: 5 },
    }));
    expect((await postAs('zone=UTC', rows)).body).toMatchObject({ accepted: 2, quarantined: [] });
    expect(await stored(here.owner)).toMatchObject([
      { measured_at: '2026-01-12T12:00:00+04:00' },
      { measured_at: '2026-11-19T12:00:00+04:00' },
    ]);
  });

  it(
    'the refusal of a push speaks of parameters of the address, not of options',
    whereComplete,
    async () => {
      const lines = 'sensor_id,time,pm25\n1,2026-11-20 08:00,5\n';
      const { body } = await post(lines, { 'Content-Type': 'text/csv' });
      expect(body.detail).toContain(
        "; ?zone says which zone's clock it is: ?zone=Asia/Yerevan as in this network, or ?zone=UTC.",
      );
      const { detail } = (await postAs('zone=MEZ', [{ sensor_id: 1, time: T, pm25: 5 }])).body;
      expect(detail).toMatch(/^\?zone: there is no time zone "MEZ"/);
    },
  );

  const postAs = (query: string, rows: readonly object[]) =>
    request(here.app)
      .post(`/v1/readings?${query}`)
      .set({ Authorization: `Bearer ${here.token}` })
      .send(rows);

  it(
    'the address of a push declares what the options of a file do (S3, S7)',
    whereComplete,
    async () => {
      const row = (ok: number) => ({ at: '2026-11-19 23:59:59', fine: 0.005 + ok, ok });
      const names = 'sensor_id=1&column=time=at&column=pm25=fine&unit=pm25=mg/m3';
      const query = `zone=UTC&round=minute&shift=-1h&only=ok=0&${names}`;
      const { body } = await postAs(query, [row(0), row(1)]);
      expect(body).toMatchObject({ accepted: 1, excluded: 1, quarantined: [] });
      expect(await stored(here.owner)).toMatchObject([
        { sensor_id: 1, pm25: 5, measured_at: '2026-11-20T03:00:00+04:00' },
      ]);
      const rows = [{ sensor_id: 1, time: T, pm25: 5 }];
      expectProblem(
        await postAs('round=hour', rows),
        400,
        /^\?round: expected minute, found "hour"/,
      );
    },
  );
});
