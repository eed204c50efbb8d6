/** A wrong clock cannot empty a database: retention counts from the time that a tenth of the sensors have reached, and refuses large steps. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { acceptReadings } from '../../src/ingest/accept.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { audit } from '../../src/rollups/audit.ts';
import { maintain } from '../../src/rollups/refresh.ts';
import { deleteExpired, lowerCutoff, planRetention } from '../../src/rollups/retention.ts';
import { maintainStorage } from '../../src/worker/jobs.ts';
import { bringIn, keepingLog } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { citiesOfOneStation, reading } from '../support/installation.ts';

const NOW = new Date('2026-11-20T00:17:00Z');
const AHEAD = new Date('2028-11-20T00:17:00Z');
const SENSORS = 20;
const CITIES = Array.from({ length: SENSORS }, (_, n) => `city-${String.fromCharCode(97 + n)}`);
const KEEP = '60 days';

onEveryEngine('60 days of 20 sensors', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  let log: ReturnType<typeof keepingLog>;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await bringIn(owner, citiesOfOneStation(CITIES));
    await measure('2026-09-21 04:00+04', '2026-11-20 03:59+04', '20 minutes');
  });
  beforeEach(() => {
    log = keepingLog();
  });
  afterAll(() => database.drop());

  const measure = (since: string, until: string, every: string, sensors = SENSORS) => owner`
    insert into raw.readings (measured_at, sensor_id, pm25)
    select at, s, 10 from generate_series(${since}::text::timestamptz, ${until}::text::timestamptz, ${every}::text::interval) at, generate_series(1, ${sensors}::int) s`;
  const count = async () => (await owner<{ n: number }[]>`select count(*)::int as n from raw.readings`)[0]?.n;
  const installation = async () =>
    (await owner`select ingest_cutoff as cutoff, retained_from as retained from raw.installation`)[0];
  const takes = async (at: string, now: Date = NOW, sensor = 1) =>
    (await acceptReadings(owner, [reading(sensor, at, { pm25: 1 })], { now, source: 'test' })).accepted;
  const night = async (now: Date) => {
    const metrics = makeMetrics();
    const { target, timeZone } = database;
    await maintainStorage({ target, clock: () => now, retention: KEEP, timeZone, log, metrics });
    return /^airseries_retention_refusals_total (\d+)$/m.exec(await metrics.registry.metrics())?.[1];
  };
  const logged = (level: string) => log.lines.filter((line) => line.level === level);

  it('one reading from a clock two years ahead deletes nothing, and the next reading is accepted', async ({
    annotate,
  }) => {
    expect(await count()).toBe(86_400);
    expect(await takes('2028-11-20T00:10:00Z', AHEAD)).toBe(1);
    expect(await night(AHEAD)).toBe('0');
    expect(await count()).toBe(86_401);
    expect(await takes('2026-11-20T00:10:00Z')).toBe(1);
    expect(await installation()).toEqual({
      cutoff: '2026-09-01T00:00:00+04:00',
      retained: '2026-09-01T00:00:00+04:00',
    });
    await annotate(
      `row 6: one reading from a clock two years ahead: ${86_402 - ((await count()) ?? 0)} of 86,400 deleted (${engine}); before: 86,400`,
    );
  });

  it('readings of a tenth of the sensors from that time: retention refuses, logs and counts it, and deletes nothing', async () => {
    expect(await takes('2028-11-20T00:10:00Z', AHEAD, 2)).toBe(1);
    const [kept, before] = [await count(), await installation()];
    expect(await night(AHEAD)).toBe('1');
    expect([await count(), await installation()]).toEqual([kept, before]);
    expect(logged('error')).toEqual([
      {
        level: 'error',
        message: expect.stringContaining('retention --apply'),
        fields: {
          retention: KEEP,
          cutoff: '2026-09-01T00:00:00+04:00',
          retained_from: '2026-09-01T00:00:00+04:00',
          wanted: '2028-09-01T00:00:00+04:00',
          months: 24,
          counted_from: '2028-11-20T04:10:00+04:00',
        },
      },
    ]);
    expect(await planRetention(owner, AHEAD, KEEP)).toMatchObject({ sensors: SENSORS, months: 24, is_refused: true });
    expect(await takes('2026-11-20T00:11:00Z')).toBe(1);
    // by a correct clock nothing is due: readings from the future count as of now
    expect(await planRetention(owner, NOW, KEEP)).toMatchObject({
      counted_from: '2026-11-20T04:17:00+04:00',
      months: 0,
    });
    await owner`delete from raw.readings where measured_at > '2027-01-01'`;
  });

  it('a cutoff that was raised wrongly can be lowered, but not below what is retained', async () => {
    await owner`call logic.raise_ingest_cutoff('2028-09-01 00:00+04')`;
    expect(await takes('2026-11-20T00:12:00Z')).toBe(0);
    await expect(lowerCutoff(owner, new Date('2030-01-01T00:00:00Z'))).rejects.toThrow('already accepted from');
    await lowerCutoff(owner, new Date('2026-10-01T00:20:00+04:00'));
    expect((await installation())?.cutoff).toBe('2026-10-01T01:00:00+04:00'); // the next full hour
    await lowerCutoff(owner, new Date('2026-09-01T00:00:00+04:00'));
    expect(await takes('2026-11-20T00:12:00Z')).toBe(1);
    expect(await takes('2026-09-01T00:30:00Z')).toBe(1);
    expect(await takes('2026-08-31T19:59:59Z')).toBe(0);
  });

  it('two months are deleted at once, and logged first; a third is refused', async () => {
    const later = new Date('2027-01-25T00:17:00Z'); // 60 days before: November
    await measure('2027-01-24 04:00+04', '2027-01-24 05:00+04', '1 hour');
    const silent = {
      ...log,
      info: () => {
        throw new Error('the log failed');
      },
    };
    await expect(deleteExpired(database.target, later, KEEP, { log: silent })).rejects.toThrow('the log failed');
    expect((await installation())?.cutoff).toBe('2026-09-01T00:00:00+04:00');
    expect(await planRetention(owner, later, KEEP)).toMatchObject({ months: 2, is_refused: false });
    expect(await planRetention(owner, later, '50 days')).toMatchObject({ months: 3, is_refused: true });
    const [due] = await owner`select count(*)::int as n from raw.readings where measured_at < '2026-11-01 00:00+04'`;
    expect(await night(later)).toBe('0');
    expect(logged('info').filter(({ message }) => message === 'readings are being deleted')).toMatchObject([
      {
        fields: {
          before: '2026-11-01T00:00:00+04:00',
          months: 2,
          readings: due?.n,
          counted_from: '2027-01-24T05:00:00+04:00',
        },
      },
    ]);
    expect(logged('error')).toEqual([]);
    expect((await installation())?.retained).toBe('2026-11-01T00:00:00+04:00');
  });

  it('more than two months are deleted on request, and then readings are accepted again', async () => {
    await measure('2028-11-20 04:00+04', '2028-11-20 05:00+04', '1 hour', 3);
    await owner`delete from raw.readings where measured_at between '2026-12-01' and '2028-01-01'`;
    await deleteExpired(database.target, AHEAD, KEEP, { log, apply: true });
    expect(logged('info')).toHaveLength(1);
    expect((await installation())?.retained).toBe('2028-09-01T00:00:00+04:00');
    const next = new Date('2026-11-20T01:20:00Z');
    expect(await takes(next.toISOString(), next)).toBe(0);
    const hours = () => owner`select * from rollup.sensor_hourly where bucket < '2027-01-01' order by 1, 2`;
    const before = await hours();
    expect(before.length).toBeGreaterThan(25_000);
    await expect(lowerCutoff(owner, new Date('2026-11-19T00:00:00Z'))).rejects.toThrow(
      /may have been deleted.*the earliest cutoff is 2026-11-20 05:00/,
    );
    await lowerCutoff(owner, new Date('2026-11-20T01:00:00Z'));
    expect(await takes(next.toISOString(), next)).toBe(1);
    const { found } = await audit(database.target, {
      now: NOW,
      from: new Date('2026-09-01T00:00:00Z'),
      timeZone: database.timeZone,
    });
    expect(found).toEqual([]);
    const after = await hours();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 1);
  });
});

const MORE = Array.from({ length: 12 }, (_, n) => 101 + n);

onEveryEngine('the instant that retention counts from', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    const base = citiesOfOneStation(CITIES);
    const [first, second, ...others] = base.stations;
    const gone = { ...first, sensors: [{ id: 1, stations: [{ id: 1, until: '2026-10-01' }] }] };
    const many = { ...second, sensors: [2, ...MORE].map((id) => ({ id })) };
    await bringIn(owner, { ...base, stations: [gone, many, ...others] });
  });
  afterAll(() => database.drop());

  const from = async (at = NOW) => (await owner`select * from logic.common_measurement(${at})`)[0];
  const add = (measured: string, ...sensors: number[]) => owner`
    insert into raw.readings (measured_at, sensor_id, pm25) select ${measured}::text::timestamptz, s, 1 from unnest(${`{${sensors}}`}::text::int[]) s`;

  it('is the time reached by a tenth of the placed sensors with readings, and by at least two', async () => {
    expect(await from()).toEqual({ sensors: 0, measured_at: null });
    expect(await planRetention(owner, NOW, KEEP)).toMatchObject({
      sensors: 0,
      counted_from: null,
      months: 0,
      wanted: '-infinity',
    });
    await add('2026-11-01 00:00+04', 2);
    expect(await from()).toEqual({ sensors: 1, measured_at: '2026-11-01T00:00:00+04:00' });
    await add('2026-11-02 00:00+04', 3);
    expect(await from()).toEqual({ sensors: 2, measured_at: '2026-11-01T00:00:00+04:00' });
    await add('2026-11-03 00:00+04', 1, 99); // no longer placed, and unknown
    expect(await from()).toEqual({ sensors: 2, measured_at: '2026-11-01T00:00:00+04:00' });
    expect(await from(new Date('2026-09-30T00:00:00Z'))).toEqual({
      sensors: 3,
      measured_at: '2026-11-02T00:00:00+04:00',
    });
    await add('2026-10-01 00:00+04', ...Array.from({ length: 17 }, (_, n) => n + 4));
    expect(await from()).toEqual({ sensors: 19, measured_at: '2026-11-01T00:00:00+04:00' });
    await add('2026-10-31 00:00+04', ...MORE);
    expect(await from()).toEqual({ sensors: 31, measured_at: '2026-10-31T00:00:00+04:00' }); // the fourth
  });

  describe.runIf(engine === 'timescale')('and', () => {
    it('is found in the newest chunk, without opening two years of compressed ones', async () => {
      await owner`insert into raw.readings (measured_at, sensor_id, pm25)
        select at, s, 1 from generate_series(timestamptz '2024-11-20 00:01', '2026-11-20', '6 hours') at, (select generate_series(2, 20) union all select generate_series(101, 112)) as standing(s)`;
      await maintain(database.target, NOW);
      const [body] = await owner<
        { text: string }[]
      >`select prosrc as text from pg_proc where oid = 'logic.common_measurement'::regproc`;
      const plan = await owner.unsafe<{ 'QUERY PLAN': string }[]>(
        `explain (analyze, costs off, timing off) ${body?.text.replace(/\bat\b/g, `timestamptz '${NOW.toISOString()}'`)}`,
      );
      const lines = plan.map((row) => row['QUERY PLAN']);
      const chunks = lines.filter((line) => /Scan .*on (compress)?_?_?hyper|on _hyper/.test(line));
      const opened = chunks.filter((line) => !line.includes('never executed'));
      expect(chunks.length).toBeGreaterThan(24);
      expect(opened.length, lines.join('\n')).toBeLessThanOrEqual(2);
    });
  });
});
