/** A sender learns more from the answer to its readings than how many were stored. */
import { describe, expect, it } from 'vitest';
import { stored } from '../support.ts';
import { send, usePushing } from './pushing.ts';

// nothing here depends on the engine
const here = usePushing();

const T = '2026-11-20T10:00:00Z';
const CSV = { 'Content-Type': 'text/csv; charset=utf-8' };
const json = async (readings: object) =>
  (await send(here.app, here.token, JSON.stringify(readings))).body;
const csv = (text: string, headers: Record<string, string> = CSV) =>
  send(here.app, here.token, text, headers);

describe('an answer', () => {
  it('the answer to a push names each value that was left out, with the likely mistake', async () => {
    const values = { temperature: 3, pressure: 1013.25, wind_direction: 361, humidity: '40,5' };
    const { values: left } = await json([{ sensor_id: 2, time: T, ...values }]);
    expect(left).toMatchObject([
      {
        index: 0,
        parameter: 'humidity',
        reason: 'unreadable',
        hint: expect.stringContaining('has a comma'),
      },
      {
        ...{ parameter: 'pressure', reason: 'out_of_bounds', bounds: [50_000, 110_000] },
        hint: '1013.25 looks like hPa: send it in Pa, as 101325',
      },
      { parameter: 'wind_direction', bounds: [0, 360], unit: 'degrees' },
    ]);
  });

  it('the answer to a push names each unused key once, also a second name of a parameter', async () => {
    const readings = [
      { sensor_id: 1, time: T, pm25: 5, 'pm2.5': 6, signal: -71 },
      { sensor_id: 2, time: T, temperature: 1, signal: -70, battery: 3.3 },
    ];
    expect((await json(readings)).ignored).toEqual(['signal', 'pm2.5', 'battery']);
    expect(await stored(here.owner)).toMatchObject([{ pm25: 5 }, { temperature: 1 }]);
  });

  it('the answer to a push lists at most 1,000 values that were left out, and counts the rest', async () => {
    const readings = Array.from({ length: 1_100 }, (_, second) => ({
      sensor_id: 1,
      time: new Date(Date.parse(T) - second * 1_000).toISOString(),
      pm25: 9_999,
      pm10: 1,
    }));
    const answer = await json(readings);
    expect(answer).toMatchObject({ accepted: 1_100, more_values: 100 });
    expect(answer.values).toHaveLength(1_000);
  });
});

describe('CSV', () => {
  it('a push may be CSV, with decimal commas between semicolons', async () => {
    const plain = await csv(`sensor_id,time,pm2.5,colour\n1,${T},5,red\n99,${T},5,red\n`);
    expect(plain.body).toEqual({
      received: 2,
      accepted: 1,
      unchanged: 0,
      quarantined: [{ index: 1, reason: 'unknown_sensor' }],
      ignored: ['colour'],
      format: 'airseries',
    });
    const german = await csv(`\ufeffsensor_id;time;temperature;pressure\r\n2;${T};-0,5;1013,2\r\n`);
    expect(german.body).toMatchObject({
      accepted: 1,
      values: [
        { index: 0, parameter: 'pressure', hint: expect.stringContaining('1013.2 looks like hPa') },
      ],
    });
    expect(await stored(here.owner)).toMatchObject([
      { pm25: 5 },
      { temperature: -0.5, pressure: null },
    ]);
  });
});
