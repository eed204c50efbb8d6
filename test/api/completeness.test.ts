/** How complete the data of a station are, and the words for its index. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { insertNetwork, NOW } from './network.ts';

onEveryEngine('completeness', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine); // local midnight is 20:00 UTC
    await insertNetwork(database.as());
  });
  afterAll(() => database.drop());

  /** Days of a station, as [local day of November, expected, measured]. */
  const days = async (since: string, until: string, station: number) => {
    const rows = await database.as('airseries_reader')`
      select extract(day from timestamp)::int as day, expected_hours, measured_hours
      from api.station_completeness(${since}, ${until}, array[${station}::int]) order by timestamp`;
    return rows.map(({ day, expected_hours, measured_hours }) => [day, expected_hours, measured_hours]);
  };

  it('expects every closed hour up to the end of the period, and counts those with readings', async () => {
    expect(await days('2026-11-09T07:00Z', '2026-11-12T08:30Z', 3)).toEqual([
      [9, 24, 24],
      [10, 24, 14],
      [11, 24, 0],
      [12, 12, 0],
    ]);
    expect(await days('2026-11-18T20:00Z', '2026-11-19T08:30Z', 1)).toEqual([[19, 12, 12]]);
  });

  it('expects nothing before the first hour of a station, and nothing of one that never measured', async () => {
    expect(await days('2026-11-15T20:00Z', '2026-11-18T20:00Z', 2)).toEqual([
      [17, 11, 11],
      [18, 24, 24],
    ]);
    expect(await days('2026-11-15T20:00Z', '2026-11-18T20:00Z', 5)).toEqual([]);
    expect(await days('2026-11-16T20:00Z', '2026-11-18T20:00Z', 6)).toEqual([
      [17, 24, 0],
      [18, 24, 0],
    ]);
  });

  it('is of all stations unless some are given', async () => {
    const reader = database.as('airseries_reader');
    const all = await reader`
      select station_id, sum(measured_hours)::int as hours
      from api.station_completeness('2026-11-18 20:00Z', '2026-11-19 20:00Z') group by 1 order by 1`;
    expect(all.map(({ station_id, hours }) => [station_id, hours])).toEqual([
      [1, 24],
      [2, 24],
      [3, 0],
      [4, 20],
      [6, 0],
    ]);
  });

  it('expects nothing of the hours in which a sensor is suspicious (P2)', async () => {
    const owner = database.as();
    await owner`insert into raw.suspicious_period (sensor_id, since, until) values (12, '2026-11-18 00:20Z', '2026-11-18 05:40Z')`;
    await owner`select logic.apply_periods()`;
    await owner`call rollup.refresh(${NOW})`;
    expect(await days('2026-11-17T20:00Z', '2026-11-18T20:00Z', 2)).toEqual([[18, 18, 18]]);
  });

  it('names the categories of the US EPA', async () => {
    const rows = await database.as('airseries_reader')`
      select api.aqi_text(aqi) as text from unnest(array[0, 50, 51, 100, 101, 150, 151, 200, 201, 300, 301, 900, null]::int[]) aqi`;
    expect(rows.map(({ text }) => text)).toEqual([
      '0 · Good',
      '50 · Good',
      '51 · Moderate',
      '100 · Moderate',
      '101 · Unhealthy for sensitive groups',
      '150 · Unhealthy for sensitive groups',
      '151 · Unhealthy',
      '200 · Unhealthy',
      '201 · Very unhealthy',
      '300 · Very unhealthy',
      '301 · Hazardous',
      '900 · Hazardous',
      null,
    ]);
  });
});
