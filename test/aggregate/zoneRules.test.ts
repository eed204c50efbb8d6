/**
 * Z5: the rules of the zone change while there are days and months. The rules are British
 * Columbia's, as tzdata had them until April 2026 and has them since.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { deleteExpired } from '../../src/aggregate/retention.ts';
import { readZoneRules } from '../../src/aggregate/zoneRules.ts';
import { makeLog } from '../../src/base/log.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { compareBuckets } from '../lab/sim/compare.ts';
import { allBuckets } from '../lab/sim/run.ts';
import { engines, onEveryEngineInAll } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import type { Server } from '../support/makeDatabase.ts';
import { bringIn } from '../support/smallNetwork.ts';
import { compareWithLiteral } from './compareLiteral.ts';
import { literalBuckets, type Reading } from './literal.ts';
import {
  needsZoneFiles,
  openZoneServer,
  type Rules,
  type ZoneServer,
  zoneOf,
} from './zoneFiles.ts';

const UNTIL_2026: Rules['offsets'] = [
  ['2025-11-02T09:00:00Z', -8],
  ['2026-03-08T10:00:00Z', -7],
];
const BEFORE: Rules = {
  offsets: [...UNTIL_2026, ['2026-11-01T09:00:00Z', -8]],
  rule: 'PST8PDT,M3.2.0,M11.1.0',
};
const AFTER: Rules = { offsets: UNTIL_2026, rule: 'MST7' };
/** At 1:00 of New Year's Day the clocks go back to midnight, which Z1 refuses. */
const REFUSED: Rules = { offsets: [...UNTIL_2026, ['2027-01-01T08:00:00Z', -8]], rule: 'PST8' };

const NOW = new Date('2027-01-15T20:00:00Z');
const EPOCH = '2026-01-01';
const LATER = new Date('2027-01-16T20:00:00Z');

const SKIPPED = Object.fromEntries(
  await Promise.all(engines.map(async (engine) => [engine, await needsZoneFiles(engine)] as const)),
);

onEveryEngineInAll('days and months after a change of rules', (engine) => {
  const skipped = SKIPPED[engine] ?? {};
  let server: ZoneServer;
  let target: Server;
  let owner: Sql;
  const pools: Sql[] = [];

  beforeAll(async () => {
    if (skipped.skip) return;
    server = await openZoneServer(engine, 'America/Vancouver');
    server.setRules(BEFORE);
    ({ target, owner } = await made(NOW));
    await deleteExpired(target, () => NOW, '40 days', { log: makeLog('silent'), apply: true });
    // TimescaleDB deletes whole chunks
    await owner`delete from raw.readings where measured_at < (select retained_from from raw.installation)`;
    await refresh(target, () => NOW);
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
    await server?.close();
  });

  /** Two stations with an hourly reading each, since October. */
  async function made(now: Date) {
    const database = await server.database();
    const log = makeLog('silent');
    await migrate(database, { timeZone: server.zone, epoch: EPOCH, now, log });
    const sql = connect(database, { role: 'airseries_owner', timeZone: 'UTC', max: 2 });
    pools.push(sql);
    await bringIn(sql, citiesOfOneStation(['a', 'b'], { timeZone: server.zone }));
    await addReadings(sql, '2026-10-20T07:00:00Z', now);
    await refresh(database, () => now);
    return { target: database, owner: sql };
  }
  const addReadings = (sql: Sql, since: string, until: Date) => sql`
    insert into raw.readings (measured_at, sensor_id, pm25, temperature, rain, wind_direction)
    select at, sensor, (extract(epoch from at)::bigint / 3600 * 7) % 50 + sensor, extract(hour from at), 0.1,
      (extract(epoch from at)::bigint / 3600 * 35) % 360
    from generate_series(${since}::text::timestamptz, ${until}::timestamptz, '1 hour') at, generate_series(1, 2) sensor`;
  /** The buckets that the literal rules give for the readings by AFTER. */
  const literalOf = async (sql: Sql) => {
    const readings = await sql<{ at: number; sensor: number; values: Reading['values'] }[]>`
      select extract(epoch from measured_at)::float8 * 1000 as at, sensor_id as sensor,
        json_strip_nulls(json_build_object('pm25', pm25, 'temperature', temperature, 'rain', rain::float8,
          'wind_direction', wind_direction)) as values from raw.readings`;
    const always = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
    return literalBuckets(zoneOf(AFTER), readings, {
      placed: [1, 2].map((id) => ({ sensor: id, station: id, ...always })),
      regions: ['a', 'b'].map((region, index) => ({ station: index + 1, region, ...always })),
      suspicious: [],
      corrected: [],
      hidden: [],
      flagged: [],
    });
  };
  const starts = async (sql: Sql, level: string) =>
    (
      await sql.unsafe(
        `select distinct to_char(bucket at time zone 'UTC', 'MM-DD HH24') as at from rollup.${level} order by 1`,
      )
    ).map(({ at }) => at as string);
  /** Reads in a session of its own, since each session keeps the rules that it has once read. */
  const rulesNow = async () => {
    const sql = connect(target, { role: 'airseries_owner', timeZone: 'UTC' });
    try {
      return (await readZoneRules(sql)) as Record<string, unknown>;
    } finally {
      await sql.end();
    }
  };
  const found = async (now = NOW) =>
    (
      await audit(target, {
        clock: () => now,
        from: new Date('2026-10-01T00:00:00Z'),
        timeZone: 'UTC',
      })
    ).found;

  it(
    'the rules that days and months were computed by are recorded until five years ahead',
    skipped,
    async () => {
      expect(
        await owner`select to_char(until at time zone 'UTC', 'YYYY-MM-DD HH24') as until, utc_offset from raw.zone_offset order by since desc limit 2`,
      ).toEqual([
        { until: '2032-01-15 20', utc_offset: '-08:00:00' },
        { until: '2031-11-02 09', utc_offset: '-07:00:00' },
      ]);
      expect(await starts(owner, 'station_daily')).toContain('11-02 08');
      expect(await found()).toEqual([]);
    },
  );

  it(
    'days and months become as in a database made by the new rules, of deleted readings too; hours do not move (Z5)',
    skipped,
    async () => {
      const before = await allBuckets(owner);
      const [kept] = await owner`select retained_from as since from raw.installation`;
      expect(kept?.since).toBe('2026-12-01T08:00:00+00:00');
      expect(await owner`select from raw.readings where measured_at < ${kept?.since}`).toEqual([]);
      server.setRules(AFTER);
      const log = keepingLog();
      await refresh(target, () => NOW, { log, terminal: false });
      expect(
        log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
      ).toEqual([
        expect.stringContaining(
          `rules of ${server.zone} changed from 2026-11-01 09:00:00+00 on: days and months`,
        ),
      ]);
      const reference = await made(NOW);
      const after = await allBuckets(owner);
      expect(compareBuckets(after, await allBuckets(reference.owner))).toEqual([]);
      expect(await compareWithLiteral(reference.owner, await literalOf(reference.owner))).toEqual({
        wrong: [],
        compared: expect.toSatisfy((count: number) => count > 40_000),
      });
      expect(await starts(owner, 'region_daily')).not.toContain('11-02 08');
      expect(await starts(owner, 'region_monthly')).toEqual([
        '01-01 07',
        '10-01 07',
        '11-01 07',
        '12-01 07',
      ]);
      for (const { name, unit } of LEVELS) {
        const [old, now] = [before, after].map((all) =>
          [...all].filter(([key]) => key.startsWith(name)).toSorted(),
        );
        if (unit === 'hour') expect(now).toEqual(old);
        else expect(now).not.toEqual(old);
      }
      expect(await found()).toEqual([]);
      expect(await rulesNow()).toMatchObject({
        changed_at: '2027-01-15T20:00:00+00:00',
        changed_from: '2026-11-01T09:00:00+00:00',
        refused: null,
      });
      // from the day before the first difference to the newest closed hour (R1)
      expect(
        await owner`select reason, station_id, first_hour, last_hour from api.changes('-infinity', 'infinity') where reason = 'zone'`,
      ).toEqual([
        {
          reason: 'zone',
          station_id: null,
          first_hour: '2026-10-31T07:00:00+00:00',
          last_hour: '2027-01-15T19:00:00+00:00',
        },
      ]);
      await refresh(target, () => NOW, { log, terminal: false });
      expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    },
  );

  it(
    'days and months after a change that Z1 refuses stay as they are, while hours go on',
    skipped,
    async () => {
      const before = await allBuckets(owner);
      server.setRules(REFUSED);
      await addReadings(owner, '2027-01-15T21:00:00Z', LATER);
      await owner`update raw.readings set pm25 = 400 where measured_at in ('2026-12-20 12:00Z', '2027-01-05 12:00Z')`;
      const log = keepingLog();
      await refresh(target, () => LATER, { log, terminal: false });
      const why = 'the local midnight 2027-01-01 00:00:00 would occur twice';
      expect(log.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining(why));
      expect(await rulesNow()).toMatchObject({
        refused_from: '2027-01-01T08:00:00+00:00',
        refused: why,
      });
      const changed = [...(await allBuckets(owner))].flatMap(([key, row]) => {
        const old = new Map([[key, before.get(key) ?? {}]]);
        return compareBuckets(new Map([[key, row]]), old).length > 0
          ? (key.split('+')[0] ?? '')
          : [];
      });
      const of = (level: string) => [...new Set(changed.filter((key) => key.startsWith(level)))];
      expect(of('region_daily')).toEqual(['region_daily 2026-12-20T07:00:00']);
      expect(of('region_monthly')).toEqual([]);
      expect(of('station_hourly')).toContain('station_hourly 2027-01-16T20:00:00');
      expect(await found(LATER)).toEqual([]);

      // a rebuild would compute them by the refused rules
      const [built] = await owner`select rollups from raw.installation`;
      await owner`update raw.installation set rollups = 'of another version'`;
      const upgrading = migrate(target, { now: LATER, log: makeLog('silent') });
      await expect(upgrading).rejects.toThrow(`rules of the time zone are refused: ${why}`);
      await owner`update raw.installation set rollups = ${built?.rollups}`;

      const ends = new Date('2027-01-17T05:00:00Z');
      await addReadings(owner, '2027-01-16T21:00:00Z', ends);
      server.setRules(AFTER);
      await refresh(target, () => ends);
      expect(await rulesNow()).toMatchObject({ refused_from: null, refused: null });
      expect(await found(ends)).toEqual([]);
      expect(await starts(owner, 'station_daily')).toContain('01-16 07');
    },
  );
});
