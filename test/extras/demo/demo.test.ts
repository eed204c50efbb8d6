/**
 * The demo in a database: loaded, aggregated, and fed after pauses, in the same way for its history
 * and for each minute.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refresh as refreshAggregates } from '../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../src/base/log.ts';
import type { Sql } from '../../../src/database/client.ts';
import {
  copyMissing,
  fillDemo,
  hasDemo,
  installDemo,
  isEmpty,
  openDemo,
} from '../../../src/extras/demo/demo.ts';
import { demoNetwork } from '../../../src/extras/demo/network.ts';
import { demoReadings } from '../../../src/extras/demo/readings.ts';
import { importNetwork } from '../../../src/network/importNetwork.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../../support/database.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const now = new Date('2026-11-20T12:00:00Z');
const since = new Date(now.getTime() - 31 * DAY);
/** As far back as the history goes where older readings are not kept: two pieces. */
const kept = new Date(now.getTime() - 95 * DAY);
const log = makeLog('error', false);

onEveryEngineInAll('the demo', (engine) => {
  let db: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    sql = db.as();
  });
  afterAll(() => db.drop());

  const network = demoNetwork('Asia/Yerevan');
  const countRows = async () =>
    (await sql<{ n: number }[]>`select count(*)::int as n from raw.readings`)[0]?.n ?? 0;
  const expected = (from: Date, to: Date, at = to) =>
    [...demoReadings({ network, from, to, now: at })].flat().length;
  const options = (at = now, lines = keepingLog()) => {
    return { timeZone: 'Asia/Yerevan', clock: () => at, log: lines, terminal: false };
  };
  const refresh = async () => {
    await refreshAggregates(db.target, () => now);
    expect(await sql`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
  };
  /** The history of the demo begins here: older readings are not kept. */
  const keepSince = (from: Date | '-infinity') =>
    sql`update raw.installation set ingest_cutoff = ${from}::timestamptz`;

  it('the demo is loaded only if it is switched on, and never into a database that has or had a network', async () => {
    const other = await testDatabase(engine);
    const owner = other.as();
    for (const setting of ['off', undefined] as const)
      expect((await openDemo(other.target, setting, options())).jobs).toEqual([]);
    expect([await hasDemo(other.target), await isEmpty(owner)]).toEqual([false, true]);
    await importNetwork(owner, JSON.stringify(citiesOfOneStation(['town'])), { log });
    // no job asks each minute if the database has the demo
    expect((await openDemo(other.target, 'on', options())).jobs).toEqual([]);
    await expect(installDemo(other.target, options())).rejects.toThrow('needs an empty database');
    expect(await copyMissing(owner, now)).toBe(0);
    // a database that has an hour of an earlier network does not count as empty
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${now}, 1, 5)`;
    await refreshAggregates(other.target, () => now);
    const tables = 'readings membership placement sensor station region provider'.split(' ');
    const deletions = tables.map((table) => `delete from raw.${table}`).join(';');
    await owner.unsafe(`alter table raw.readings disable trigger user; ${deletions}`).simple();
    expect(await isEmpty(owner)).toBe(false);
    await other.drop();
  });

  it('the demo opens with readings of the last 31 days, each of a placed sensor', async () => {
    const lines = keepingLog();
    const { jobs } = await openDemo(db.target, 'on', options(now, lines));
    expect(jobs.map(({ name, schedule }) => [name, schedule])).toEqual([
      ['demo_feed', '* * * * *'],
    ]);
    expect(await hasDemo(db.target)).toBe(true);
    expect(await countRows()).toBe(expected(since, now));
    expect(lines.lines.at(-1)).toMatchObject({ fields: { readings: expected(since, now) } });
    expect(
      await sql`select from raw.readings r
        where not exists (select from raw.placement p where p.sensor_id = r.sensor_id and r.measured_at >= p.since and r.measured_at < p.until)`,
    ).toEqual([]);
  });

  it('a start with DEMO=off feeds the demo no more, and logs how to replace it', async () => {
    const lines = keepingLog();
    const later = new Date(now.getTime() + HOUR);
    const before = await countRows();
    expect((await openDemo(db.target, 'off', options(later, lines))).jobs).toEqual([]);
    expect(await countRows()).toBe(before);
    expect(lines.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringMatching(/^DEMO=off.*import network FILE --replace-demo$/)],
    ]);
  });

  it('a full disk while the history loads is logged in one line with the remedy', async () => {
    const full = `raise exception 'could not extend file "base/16384/2619": No space left on device' using errcode = '53100'`;
    await sql.unsafe(
      `create function raw.full() returns trigger language plpgsql as $$ begin ${full}; end $$`,
    );
    await sql.unsafe(
      'create trigger full_disk before insert on raw.readings for each row execute function raw.full()',
    );
    const lines = keepingLog();
    // a start waits for no history
    const opened = await openDemo(db.target, undefined, options(now, lines));
    opened.begin();
    const errors = () => lines.lines.filter(({ level }) => level === 'error');
    await expect.poll(errors).toHaveLength(1);
    await opened.stop();
    expect(errors()[0]).toEqual({
      level: 'error',
      message: 'the readings of the demo could not be loaded; trying again every minute',
      fields: {
        reason: 'could not extend file "base/16384/2619": No space left on device',
        remedy: 'Make room there: what is stored is not lost.',
      },
    });
    await sql.unsafe('drop trigger full_disk on raw.readings; drop function raw.full()').simple();
  });

  it('the history is loaded backwards as far as readings are kept, and an aborted load is continued', async () => {
    await keepSince(kept);
    const before = await countRows();
    const aborted = new AbortController();
    aborted.abort();
    const lines = keepingLog();
    // ends with its current piece
    const first = await fillDemo(db.target, options(now, lines), aborted.signal);
    // without its progress, which it logs every five seconds
    const outcome = () =>
      lines.lines.filter(({ message }) => message === 'the readings of the demo are complete');
    expect(outcome()).toEqual([]);
    expect(first).toBe(expected(new Date(since.getTime() - 60 * DAY), since, now));
    const rest = await fillDemo(db.target, options(now, lines));
    expect(outcome()).toMatchObject([{ fields: { readings: rest } }]);
    expect(rest).toBeGreaterThan(0);
    expect(await countRows()).toBe(before + first + rest);
    expect(first + rest).toBe(expected(kept, since, now));
    expect(await fillDemo(db.target, options())).toBe(0);
    await refresh();
  });

  it('no station of the demo is said to have a wrong clock, though one has its thermometer on a warm wall', async () => {
    expect(
      await sql`select from api.station_shift(${now}) where shift_hours is not null`,
    ).not.toEqual([]);
    expect(await sql`select station_id from api.station_shift(${now}) where is_clear`).toEqual([]);
  });

  it('concurrent and repeated feeds add each reading once, the same as the history would have', async () => {
    const later = new Date(now.getTime() + 3 * HOUR + 100_000);
    const before = await countRows();
    const demos = [0, 1].map(() => fillDemo(db.target, options(later)));
    const added = await Promise.all(demos);
    expect((added[0] ?? 0) + (added[1] ?? 0)).toBe(expected(now, later));
    const { jobs } = await openDemo(db.target, 'on', options(later));
    await jobs[0]?.run(later);
    expect(await countRows()).toBe(before + expected(now, later));
  });

  it('the demo catches up after nine days: hourly, and the last week every ten minutes', async () => {
    const [from, to] = [new Date(now.getTime() + 3 * HOUR), new Date(now.getTime() + 9 * DAY)];
    const before = await countRows();
    await openDemo(db.target, undefined, options(to));
    expect((await countRows()) - before).toBe(expected(from, to));
    const [row] = await sql`select max(measured_at) as newest from raw.readings`;
    expect(new Date(row?.newest)).toEqual(to);
    await refresh();
  });
});
