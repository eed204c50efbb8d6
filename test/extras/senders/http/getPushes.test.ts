/**
 * GET /v1/push/FORMAT/TOKEN: consoles that know nothing else send each reading as a query, and append
 * it to the path in their own ways.
 */
import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { listQuarantine } from '../../../../src/ingest/quarantine/list.ts';
import { usePushing } from '../../../ingest/http/pushing.ts';
import { stored } from '../../../ingest/support.ts';
import { READING_FORMATS } from '../../../support/formats.ts';

// nothing here depends on the engine
const here = usePushing();
beforeEach(async () => {
  await here.owner`update raw.sensor set device = 'roof' where id = 7`;
  here.log.lines.length = 0;
});

const AMBIENT =
  'stationtype=AMBWeatherV4.3.3&PASSKEY=roof&dateutc=2026-11-20+11:00:00&tempf=41.0&battout=1&humidity=93&pm25=6.6';
const WUNDERGROUND =
  'ID=roof&PASSWORD=hunter2&dateutc=2026-11-20+11%3A00%3A00&tempf=41.0&humidity=93&AqPM2.5=6.6&action=updateraw';
const READING = {
  sensor_id: 7,
  measured_at: '2026-11-20T15:00:00+04:00',
  temperature: 5,
  humidity: 93,
  pm25_raw: 6.6,
};

const get = (path: string) => request(here.app).get(path);
const ambient = () => `/v1/push/ambient/${here.token}`;

describe('a query', () => {
  it.each<[what: string, path: () => string, format: string]>([
    ['behind a question mark', () => `${ambient()}?${AMBIENT}`, 'ambient'],
    ['behind a question mark and an ampersand', () => `${ambient()}?&${AMBIENT}`, 'ambient'],
    ['behind a slash', () => `${ambient()}/${AMBIENT}`, 'ambient'],
    ['behind a slash and an ampersand', () => `${ambient()}/&${AMBIENT}`, 'ambient'],
    ['behind an ampersand', () => `${ambient()}&${AMBIENT}`, 'ambient'],
    ['behind nothing', () => `${ambient()}${AMBIENT}`, 'ambient'],
    [
      'of the protocol of Wunderground',
      () => `/v1/push/wunderground/${here.token}?${WUNDERGROUND}`,
      'wunderground',
    ],
    ['on the short path', () => `/v1/${here.token}?${WUNDERGROUND}`, 'wunderground'],
    ['on the short path, behind a slash', () => `/v1/${here.token}/${AMBIENT}`, 'ambient'],
  ])('a query is one reading: %s', async (_, path, format) => {
    const { status, body, headers } = await get(path());
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ received: 1, accepted: 1, quarantined: [], format }),
    ]);
    expect(headers['cache-control']).toBe('no-store');
    expect(await stored(here.owner)).toMatchObject([READING]);
    expect(JSON.stringify(here.log.lines)).not.toMatch(/airs_|hunter2|PASSKEY/);
  });

  it('a query may declare, before what the console appends', async () => {
    const declared = `${ambient()}?column=pm25_raw_ugm3=pm25_in&`;
    const { body } = await get(`${declared}${AMBIENT}&pm25_in=9`);
    expect(body).toMatchObject({ accepted: 1, ignored: expect.arrayContaining(['pm25']) });
    expect(await stored(here.owner)).toMatchObject([{ ...READING, pm25_raw: 9 }]);
  });

  it('the same query within a minute is the same reading, without a clock, too', async () => {
    const path = `/v1/push/wunderground/${here.token}?ID=roof&dateutc=now&humidity=93`;
    expect((await get(path)).body).toMatchObject({ accepted: 1, time: 'server' });
    expect((await get(path)).body).toMatchObject({ unchanged: 1 });
  });

  it('rain of a day follows from its total, which begins anew at midnight (A6)', async () => {
    const path = (time: string, total: string) =>
      `/v1/push/wunderground/${here.token}?ID=roof&action=updateraw&dateutc=${time}&dailyrainin=${total}`;
    await get(path('2026-11-19+19:50:00', '0.5'));
    await get(path('2026-11-19+19:55:00', '0.6'));
    await get(path('2026-11-19+20:05:00', '0.1'));
    const amounts = (await stored(here.owner)).map(({ rain }) => rain && Math.round(rain * 100));
    expect(amounts).toEqual([null, 254, 254]);
  });
});

describe('a refusal', () => {
  it.each<[what: string, path: () => string, status: number, detail: RegExp]>([
    ['no token', () => `/v1/push/ambient?${AMBIENT}`, 401, /needs a token/],
    [
      'a token in the query',
      () => `/v1/push/wunderground?ID=roof&PASSWORD=${here.token}&tempf=41`,
      401,
      /needs a token/,
    ],
    ['no query', () => ambient(), 400, /^The address has no query, which is the reading/],
    [
      'an unknown device',
      () => `${ambient()}?PASSKEY=attic&dateutc=2026-11-20+11:00:00&tempf=41`,
      422,
      /has device attic/,
    ],
    [
      'a layout of another kind',
      () => `/v1/push/ecowitt/${here.token}?${AMBIENT}`,
      405,
      /^GET is not supported: this path takes readings. Use POST/,
    ],
    [
      'a query on the short path that is not recognized',
      () => `/v1/${here.token}?device=roof&pm25=5`,
      422,
      /which layout the query has: send it to \/v1\/push\/ambient or \/v1\/push\/wunderground/,
    ],
  ])('%s', async (_, path, status, detail) => {
    const answer = await get(path());
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
    expect(await stored(here.owner)).toEqual([]);
    expect(JSON.stringify(here.log.lines)).not.toMatch(/airs_/);
  });

  it('HEAD stores nothing', async () => {
    const { status, headers } = await request(here.app).head(`${ambient()}?${AMBIENT}`);
    expect([status, headers.allow]).toEqual([405, 'GET, POST']);
    expect(await stored(here.owner)).toEqual([]);
  });

  it('a password of another service gets into no quarantine, from a form neither', async () => {
    const unusable = 'ID=roof&PASSWORD=hunter2&action=updateraw&dateutc=yesterday&tempf=41';
    await get(`/v1/push/wunderground/${here.token}?${unusable}`);
    await request(here.app)
      .post(`/v1/push/wunderground/${here.token}`)
      .set('Content-Type', 'application/x-www-form-urlencoded')
      .send(`${unusable}&humidity=93`);
    const { lines } = await listQuarantine(here.owner, {}, 10, READING_FORMATS);
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
});
