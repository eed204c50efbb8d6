/**
 * Temperatures in °F and wind in km/h that lie within the bounds of our units are told by the hours
 * of their own station and of others nearby (S8).
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { refresh } from '../../../../src/aggregate/refresh.ts';
import type { Sql } from '../../../../src/database/client.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { acceptReadings } from '../../../../src/ingest/store/accept.ts';
import { openPushing, type Pushing } from '../../../ingest/http/pushing.ts';
import { importText, reading, stored } from '../../../ingest/support.ts';
import { NOW } from '../../../support/clock.ts';
import { onEveryEngineInAll } from '../../../support/database.ts';
import { bringIn, smallNetwork } from '../../../support/smallNetwork.ts';

onEveryEngineInAll('readings among others', (engine) => {
  let here: Pushing;
  let owner: Sql;
  beforeAll(async () => {
    // 26 km apart
    here = await openPushing(engine, smallNetwork({ two: { latitude: 40.1, longitude: 44.28 } }));
    owner = here.owner;
    const known = hours(48).map((row) => {
      const [at, temperature, wind_speed] = row.split(',');
      return reading(3, at, { temperature, wind_speed });
    });
    await acceptReadings(here.writes, known, { now: NOW, source: 'test' });
    await refresh(here.database.target, () => NOW);
  });
  beforeEach(() => owner`delete from raw.readings where sensor_id = 1`);
  afterAll(() => here.close());

  /** The first `count` hours before noon, each with a temperature and a wind. */
  const hours = (count: number, temperature = 3, wind = 2.5, until = NOW) =>
    Array.from({ length: count }, (_, hour) => {
      const at = new Date(until.getTime() - (hour + 1) * 3_600_000);
      return `${at.toISOString()},${temperature + (hour % 3)},${wind}`;
    });
  const imported = (sensor: number, rows: readonly string[], format: Declarations = {}) => {
    const lines = rows.map((row) => `${sensor},${row}`);
    const table = ['sensor_id,time,temperature,wind_speed', ...lines].join('\n');
    return importText(here.database.as('airseries_ingest'), table, format);
  };

  it('temperatures 20 above the stations nearby stop an import, because they look like °F', async () => {
    const rows = hours(24, 38);
    const { received, failures } = await imported(1, rows);
    expect([received, failures]).toEqual([
      0,
      [
        expect.stringMatching(
          /column temperature looks like °F: its median is 39, and the stations nearby have 4 around that time; nothing of it was stored\. Add --unit temperature=f if it is, or --unit temperature=c if it is right as it is\./,
        ),
      ],
    ]);
    for (const unit of ['f', 'c'])
      expect(await imported(1, rows, { units: [`temperature=${unit}`] })).toMatchObject({
        received: 24,
        failed: false,
      });
  });

  it.each([
    [23, 2.5],
    [3, 6.25],
  ])('%s °C and %s m/s beside 3 °C and 2.5 m/s are asked about', async (temperature, wind) => {
    expect((await imported(1, hours(24, temperature, wind))).failures).toHaveLength(1);
  });

  it('wind 2.5 times as strong as nearby stops an import, because it looks like km/h', async () => {
    const { failures } = await imported(1, hours(24, 3, 9));
    expect(failures).toEqual([
      expect.stringMatching(
        /column wind_speed looks like km\/h: its median is 9, and the stations nearby have 2\.5/,
      ),
    ]);
  });

  it('an import accepts warmer air, stronger wind, few values and times without hours to compare', async () => {
    const before = new Date(NOW.getTime() - 30 * 86_400_000);
    for (const rows of [
      hours(24, 22.9),
      hours(24, 3, 6.2),
      hours(19, 38),
      hours(24, 38, 9, before),
    ]) {
      expect(await imported(1, rows)).toMatchObject({ received: rows.length, failed: false });
    }
  });

  it('stations farther than 50 km are not compared', async () => {
    await bringIn(owner, smallNetwork({ two: { latitude: 40.5, longitude: 44 } })); // 56 km
    expect(await imported(1, hours(24, 38))).toMatchObject({ received: 24, failed: false });
  });

  it('the hours of the station itself are compared, too', async () => {
    const { failures } = await imported(3, hours(24, 38));
    expect(failures).toEqual([
      expect.stringContaining('and the hours of its own station have 4 around that time'),
    ]);
    expect((await stored(owner)).every(({ temperature }) => temperature < 10)).toBe(true);
  });
});
