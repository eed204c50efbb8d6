/**
 * The scheduled refresh lets the running day and month lag ten minutes (S4); everything closed
 * follows at once, and the rest when asked to.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';

const MINUTE = 60_000;
const MIDNIGHT = Date.parse('2026-11-20T00:00:00+04:00');

onEveryEngineInAll('a lazy refresh', (engine) => {
  let here: Installation;
  let owner: Sql;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town']));
    owner = here.database.as();
  });
  afterAll(() => here.close());

  const lazily = (at: number) =>
    refresh(here.database.target, () => new Date(at), undefined, { lazily: true });
  const accept = (at: number, pm10: number) => here.accept([reading(1, at, { pm10 })]);
  /** The means of PM10 by hours, days and months. */
  const levels = async () => {
    const all = [];
    for (const level of ['hourly', 'daily', 'monthly']) {
      const rows = await owner<{ pm10: number }[]>`
        select pm10 from ${owner(`rollup.station_${level}`)} where station_id = 1 order by bucket`;
      const regions = await owner<{ pm10: number }[]>`
        select pm10 from ${owner(`rollup.region_${level}`)} order by bucket`;
      expect(regions).toEqual(rows);
      all.push(rows.map(({ pm10 }) => pm10));
    }
    return all;
  };

  const version = async () => {
    const [row] = await owner<
      [{ data_version: number }]
    >`select data_version from rollup.freshness`;
    return row.data_version;
  };

  it('a lazy refresh leaves the running day and month for up to ten minutes', async () => {
    const noon = MIDNIGHT + 12 * 60 * MINUTE;
    await accept(noon, 10);
    await lazily(noon + MINUTE);
    expect(await levels()).toEqual([[10], [10], [10]]);
    await accept(noon + 60 * MINUTE, 20);
    await lazily(noon + 2 * MINUTE);
    expect(await levels()).toEqual([[10, 20], [10], [10]]);
    await lazily(noon + 11 * MINUTE);
    expect(await levels()).toEqual([[10, 20], [10], [10]]);
    const before = await version();
    await lazily(noon + 11 * MINUTE + 1);
    expect(await levels()).toEqual([[10, 20], [15], [15]]);
    expect(await version()).toBeGreaterThan(before); // or old documents would stay cached
  });

  it('a lazy refresh brings a closed day up to date at once, and its running month later', async () => {
    const noon = MIDNIGHT + 12 * 60 * MINUTE;
    await accept(MIDNIGHT - 60 * MINUTE, 45);
    await lazily(noon + 12 * MINUTE);
    expect(await levels()).toEqual([[45, 10, 20], [45, 15], [15]]);
    await refresh(here.database.target, () => new Date(noon + 13 * MINUTE));
    expect((await levels())[2]).toEqual([25]);
  });

  it('a lazy refresh completes a day as soon as it is over, however short the time since the last one', async () => {
    const late = MIDNIGHT + 24 * 60 * MINUTE - MINUTE;
    await accept(late - 60 * MINUTE, 30);
    await lazily(late - MINUTE);
    expect((await levels())[1]).toEqual([45, 20]);
    await accept(late, 60);
    await lazily(late);
    expect((await levels())[1]).toEqual([45, 20]);
    await accept(late + MINUTE, 21);
    await lazily(late + 2 * MINUTE);
    expect((await levels()).slice(1)).toEqual([[45, 30, 21], [31]]);
  });
});
