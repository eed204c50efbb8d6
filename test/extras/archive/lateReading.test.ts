/**
 * The walk of a reading that comes a month late: from its POST to the Parquet file that changes, by
 * HTTP, and to the feed that tells it (R1, R2).
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../../src/ingest/http/tokens.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngine } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { until } from '../../support/patience.ts';
import { indexOf, rowsIn } from './archiveValues.ts';
import { emptyFolder } from './support.ts';

const HOUR = 3_600_000;
const YESTERDAY = NOW.getTime() - 24 * HOUR;

onEveryEngine('a reading that comes a month late', (engine) => {
  let here: Installation;
  let token: string;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town', 'port']));
    const hours = Array.from({ length: 80 * 24 }, (_, n) => YESTERDAY - (n + 1) * HOUR);
    await here.accept(
      hours.flatMap((at) => [1, 2].map((sensor) => reading(sensor, at, { pm25: 10 }))),
    );
    await here.refresh(new Date(YESTERDAY));
    const about = { name: 'roof', provider: 'us', stations: null, now: NOW };
    ({ token } = await createToken(here.database.as(), about));
  });
  afterAll(() => here.close());

  it('a reading of October that is sent in November changes the files of October alone, and its feed says why', async () => {
    const archiveDirectory = emptyFolder();
    const { port, runJob } = await launch(here, { archiveDirectory });
    const resources = () =>
      Object.fromEntries(indexOf(archiveDirectory).resources.map((one) => [one.path, one]));
    const files = async () => {
      const tags: Record<string, string | undefined> = {};
      for (const path of Object.keys(resources())) {
        const { status, headers } = await httpGet(port.public, `/archive/${path}`);
        expect([path, status]).toEqual([path, 200]);
        tags[path] = headers.etag;
      }
      return tags;
    };
    const pm25 = async () => {
      const rows = await rowsIn(archiveDirectory, 'hours/2026-10.parquet');
      const at = Date.parse('2026-10-20T09:00:00Z');
      return rows.find((row) => row.station_id === 1 && Number(row.timestamp) === at)?.avg_pm25;
    };
    const path = join(archiveDirectory, 'datapackage.json');
    await until(() => runJob('archive').then(() => Object.keys(resources()).length > 0), path);
    const before = await files();
    expect(await pm25()).toBe(10);

    const sent = await fetch(`http://localhost:${port.ingest}/v1/readings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify([{ sensor_id: 1, time: '2026-10-20T09:10:00Z', pm25: 50 }]),
    });
    expect(await sent.json()).toMatchObject({ accepted: 1 });
    await runJob('refresh');
    await runJob('archive');

    const after = await files();
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    const isCsv = (name: string) => name.startsWith('airquality-am/');
    expect(changed.filter(isCsv)).toContain('airquality-am/station_avg_daily.csv');
    expect(changed.filter((name) => !isCsv(name))).toEqual([
      'hours/2026-10.parquet',
      'days/2026.parquet',
      'regions-hours/2026-10.parquet',
      'regions-days/2026.parquet',
    ]);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(await pm25()).toBe(30); // of 10 and 50
    const { body } = await httpGet(port.public, '/en/explore/v1/station/1/changes.json');
    const hour = '2026-10-20T13:00:00+04:00';
    expect(JSON.parse(body).changes[0]).toMatchObject({
      reason: 'late',
      hours: [{ first_hour: hour, last_hour: hour }],
    });
  });
});
