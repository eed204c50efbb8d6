/**
 * A reading that comes a month late, from the POST to the documents that tell it (R1), after a day
 * of normal running, of which they tell nothing.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { httpGet } from '../support/http.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { launch } from '../support/launch.ts';
import { until } from '../support/patience.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

onEveryEngineInAll('a reading that comes a month late', (engine) => {
  let here: Installation;
  let token: string;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town', 'port']));
    const both = (at: number) => [1, 2].map((sensor) => reading(sensor, at, { pm25: 10 }));
    const before = Array.from({ length: 40 * 24 }, (_, n) => NOW.getTime() - DAY - n * 60 * MINUTE);
    await here.accept(before.flatMap(both));
    await here.refresh(new Date(NOW.getTime() - DAY));
    // a day of normal running: a reading each half hour, one that is an hour late, and the refresh
    for (let ago = DAY - 30 * MINUTE; ago >= 0; ago -= 30 * MINUTE) {
      const now = new Date(NOW.getTime() - ago);
      await here.accept(both(now.getTime() - MINUTE), now);
      await here.accept([reading(1, now.getTime() - 61 * MINUTE, { pm25: 12 })], now);
      await here.refresh(now);
    }
  });
  beforeAll(async () => {
    const about = { name: 'roof', provider: 'us', stations: null, now: NOW };
    ({ token } = await createToken(here.database.as(), about));
  });
  afterAll(() => here.close());

  it('a day of normal running changes nothing that was published, and the reading is told with its station and its city (R1)', async () => {
    const { port, runJob } = await launch(here);
    const json = async (path: string) => {
      const { status, body } = await httpGet(port.public, `/en/explore/v1/${path}`);
      expect([path, status]).toEqual([path, 200]);
      return JSON.parse(body).changes;
    };
    // neither the import of its history, which was never published before, nor the day since
    for (const subject of ['', 'station/1/', 'station/2/', 'region/town/', 'region/port/']) {
      expect([subject, await json(`${subject}changes.json`)]).toEqual([subject, []]);
    }

    const sent = await fetch(`http://localhost:${port.ingest}/v1/readings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify([{ sensor_id: 1, time: '2026-10-20T09:10:00Z', pm25: 50 }]),
    });
    expect([sent.status, await sent.json()]).toMatchObject([200, { accepted: 1 }]);
    await runJob('refresh');
    await until(async () => (await json('changes.json')).length > 0, 'the change is in the list');

    const hour = '2026-10-20T13:00:00+04:00';
    const hours = { first_hour: hour, last_hour: hour };
    const shown = {
      ...{ shown_at: '2026-11-20T16:00:00+04:00', reason: 'late' },
      ...{ hours: [hours], ...hours },
    };
    expect(await json('changes.json')).toEqual([
      { ...shown, stations: [1], station_count: 1, regions: [] },
    ]);
    expect((await json('station/1/changes.json'))[0]).toEqual({ ...shown, sensors: [] });
    expect((await json('region/town/changes.json'))[0]).toEqual({
      ...shown,
      stations: [1],
      station_count: 1,
    });
    for (const subject of ['station/2', 'region/port'])
      expect(await json(`${subject}/changes.json`)).toEqual([]);
  });
});
