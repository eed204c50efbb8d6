/**
 * A backfill does not keep new readings waiting: after each piece of it the refresh looks for newer
 * changes first (S4), and freshness tells how far both are. In a small network everything old is
 * one piece, so here a piece is one day. The scheduled refresh lets the running day and month lag
 * ten minutes; everything closed follows at once, and the rest when asked to.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { untilWaiting } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { differences } from './differences.ts';
import { storageOf } from './storage.ts';

/** How many calls recompute twelve months that differ, with a month between each two of them. */
const CALLS: Record<Engine, number> = { plain: 12, timescale: 1 };

const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

onEveryEngineInAll('a refresh during a backfill', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  let rowsPerHour: string;
  /** The buckets of a level that were recomputed since the last call, in order, as local times. */
  const recomputed = async (level: string) => {
    const rows = await owner<{ since: string }[]>`
      with seen as (delete from public.recomputed returning *)
      select to_char(since at time zone 'Asia/Yerevan', 'YYYY-MM-DD HH24:MI') as since from seen where level = ${level} order by n`;
    return rows.map(({ since }) => since);
  };
  const accept = (at: string) =>
    owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${at}, 1, 5)`;
  const step = async (now: Date, lazily = false) => {
    const [row] = await owner<[{ done: number; waiting: number }]>`
      call rollup.refresh_step(${now}, ${lazily}, null, null)`;
    return row;
  };
  const freshness = async () => {
    const [row] = await owner<[{ refreshed: number | null; completed: number | null }]>`
      select (extract(epoch from refreshed_at - ${NOW}) / 60)::int as refreshed, (extract(epoch from completed_at - ${NOW}) / 60)::int as completed
      from api.freshness`;
    return row;
  };

  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await bringIn(owner, smallNetwork());
    const [text] = await owner<
      [{ definition: string }]
    >`select pg_get_functiondef('logic.rows_per_hour'::regproc) as definition`;
    rowsPerHour = text.definition;
    await database.superuser().unsafe(`
      create table public.recomputed (n int generated always as identity, level text, since timestamptz, until timestamptz);
      grant all on public.recomputed to airseries_owner`);
    await owner.unsafe(`
      alter procedure rollup.recompute rename to recompute_unseen;
      create procedure rollup.recompute(level text, since timestamptz, until timestamptz) language plpgsql as $$
      begin
        insert into public.recomputed (level, since, until) values (level, since, until);
        commit;
        call rollup.recompute_unseen(level, since, until);
      end $$`);
  });
  beforeEach(async () => {
    await owner.unsafe(rowsPerHour);
    await owner`delete from raw.readings`;
    await refresh(database.target, () => NOW);
    await owner`create or replace function logic.rows_per_hour(before timestamptz) returns bigint language sql as 'select 1000000'`;
    await recomputed('');
  });
  afterAll(() => database.drop());

  const OLD = ['2025-03-05 10:07+04', '2025-03-04 10:07+04', '2025-03-03 10:07+04'];

  it('a refresh recomputes the running hour, whose reading arrives meanwhile, before the rest of an old year (S4)', async () => {
    for (const at of OLD) await accept(at);
    const storage = await storageOf(owner, 'sensor_hourly');
    const end = await openTransaction(database.superuser(), `lock table ${storage} in share mode`);
    const refreshed = refresh(database.target, () => NOW);
    const watcher = database.superuser();
    await untilWaiting(watcher, { of: 'airseries refresh' });
    await accept('2026-11-20 16:00+04');
    await end('rollback');
    await refreshed;
    expect(await recomputed('station_hourly')).toEqual([
      '2025-03-05 10:00', // had begun
      '2026-11-20 16:00',
      '2025-03-04 10:00',
      '2025-03-03 10:00',
    ]);
    expect(await differences(database)).toEqual([]);
  });

  it('a backfill goes on however many new readings come, and freshness tells how far each is', async () => {
    for (const at of OLD) await accept(at);
    expect(await step(later(1))).toEqual({ done: 1, waiting: 2 });
    expect(await freshness()).toEqual({ refreshed: 1, completed: 0 });
    await accept('2026-11-20 16:01+04');
    await accept('2026-11-19 23:00+04'); // newer than the days that are left
    expect(await step(later(2))).toEqual({ done: 2, waiting: 2 });
    expect(await freshness()).toEqual({ refreshed: 2, completed: 0 });
    await accept('2026-11-20 16:02+04');
    expect(await step(later(3))).toEqual({ done: 2, waiting: 1 });
    await accept('2026-11-20 16:03+04');
    expect(await step(later(4))).toEqual({ done: 2, waiting: 0 });
    expect(await freshness()).toEqual({ refreshed: 4, completed: 4 });
    expect(await recomputed('station_hourly')).toEqual([
      '2025-03-05 10:00',
      '2026-11-20 16:00',
      '2026-11-19 23:00',
      '2026-11-20 16:00',
      '2025-03-04 10:00',
      '2026-11-20 16:00',
      '2025-03-03 10:00',
    ]);
    expect(await differences(database)).toEqual([]);
  });

  it('a month is recomputed once, with the last of its pieces, however many there are', async () => {
    for (const at of [...OLD, '2026-11-03 10:07+04', '2026-11-02 10:07+04']) await accept(at);
    await accept('2026-11-20 16:00+04');
    await refresh(database.target, () => NOW);
    expect(await recomputed('region_monthly')).toEqual(['2026-11-01 00:00', '2025-03-01 00:00']);
    expect(await differences(database)).toEqual([]);
  });

  it('a month of stations is recomputed although only its regions are stale in the rest of it', async () => {
    await accept('2025-03-05 10:07+04');
    await owner`insert into rollup.stale (from_level, since, until) values ('region_hourly', '2025-03-03 00:00+04', '2025-03-04 00:00+04')`;
    await refresh(database.target, () => NOW);
    expect(await differences(database)).toEqual([]);
    expect(await recomputed('station_monthly')).toEqual(['2025-03-01 00:00']);
  });

  it('a lazy refresh leaves the running day for ten minutes, then brings it up to date during a backfill too (S4)', async () => {
    await accept('2026-11-20 15:00+04');
    await step(later(0), true);
    for (const at of [...OLD, '2026-11-20 16:00+04', '2026-11-19 23:00+04']) await accept(at);
    await recomputed('');
    await step(later(1), true);
    expect(await recomputed('station_daily')).toEqual(['2026-11-19 00:00']);
    await step(later(11), true);
    expect(await recomputed('station_daily')).toEqual(['2026-11-20 00:00', '2025-03-05 00:00']);
    await accept('2026-11-20 16:01+04');
    expect((await step(later(12), true)).waiting).toBe(1);
    expect((await step(later(13), true)).waiting).toBe(0); // the running day is not waited for
    expect(await differences(database)).toEqual([]);
  });

  it('freshness is null until the first build is complete', async () => {
    await owner`update rollup.freshness set refreshed_at = null, completed_at = null`;
    for (const at of OLD.slice(1)) await accept(at);
    await accept('2026-11-20 16:00+04');
    await step(later(1));
    expect(await freshness()).toEqual({ refreshed: null, completed: null });
    await step(later(2));
    expect(await freshness()).toEqual({ refreshed: 2, completed: 2 });
  });

  it('few late rows of many months are recomputed in one piece, and their months in as few calls as the engine needs', async () => {
    await owner.unsafe(rowsPerHour);
    for (let month = 1; month <= 24; month += 2) {
      const at = new Date(Date.UTC(2024, 9 + month, 10)).toISOString();
      await accept(at);
    }
    expect(await step(NOW)).toEqual({ done: 12, waiting: 0 });
    const [calls] = await owner<[{ hours: number; months: number }]>`
      select count(*) filter (where level = 'region_hourly')::int as hours, count(*) filter (where level = 'region_monthly')::int as months
      from public.recomputed`;
    expect(calls).toEqual({ hours: 12, months: CALLS[engine] });
    expect(await differences(database)).toEqual([]);
  });

  it('the rows of an hour are estimated from the newest changed hour before it', async () => {
    await owner.unsafe(rowsPerHour);
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select '2026-07-01 00:00+04'::timestamptz + n * interval '1 second', 1, 5 from generate_series(0, 2499) n`;
    await owner`select logic.claim_changes(${NOW})`;
    const [row] = await owner`
      select logic.rows_per_hour('2026-07-01 01:00+04')::int as dense, logic.rows_per_hour('2026-07-01 00:00+04')::int as none`;
    expect(row).toEqual({ dense: 2500, none: 3 });
  });

  it('a lazy refresh leaves the running day and month for up to ten minutes, and completes a day as soon as it is over', async () => {
    const accept = (minutes: number, pm10: number) =>
      owner`insert into raw.readings (measured_at, sensor_id, pm10) values (${later(minutes)}, 1, ${pm10})`;
    const lazily = (minutes: number) => step(later(minutes), true);
    /** The means of PM10 by hours, days and months. */
    const levels = async () => {
      const all = [];
      for (const level of ['hourly', 'daily', 'monthly']) {
        const rows = await owner<{ pm10: number }[]>`
          select pm10 from ${owner(`rollup.station_${level}`)} where station_id = 1 order by bucket`;
        const regions = await owner<{ pm10: number }[]>`
          select pm10 from ${owner(`rollup.region_${level}`)} where region_slug = 'town' order by bucket`;
        expect(regions).toEqual(rows);
        all.push(rows.map(({ pm10 }) => pm10));
      }
      return all;
    };
    const version = async () =>
      (await owner`select data_version from rollup.freshness`)[0]?.data_version;
    await accept(60, 10);
    await lazily(61);
    expect(await levels()).toEqual([[10], [10], [10]]);
    await accept(120, 20);
    await lazily(62);
    expect(await levels()).toEqual([[10, 20], [10], [10]]);
    await lazily(71);
    expect(await levels()).toEqual([[10, 20], [10], [10]]);
    const before = await version();
    await lazily(71 + 1 / 60_000);
    expect(await levels()).toEqual([[10, 20], [15], [15]]);
    expect(await version()).toBeGreaterThan(before); // or old documents would stay cached
    // the last two minutes before midnight
    await accept(419, 30);
    await lazily(478);
    expect((await levels())[1]).toEqual([20]);
    await accept(479, 60);
    await lazily(479);
    expect((await levels())[1]).toEqual([20]);
    await accept(481, 21);
    await lazily(482);
    expect((await levels()).slice(1)).toEqual([[30, 21], [28.2]]);
  });
});
