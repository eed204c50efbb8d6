/**
 * The promises that every engine keeps, each on every engine that this run covers. Where engines
 * differ, the table says how, and the tests read the table: no test knows which engine it runs on.
 * The same SQL computes the buckets on all of them; rules.test.ts compares it with the rules.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { maintain, rebuild, refresh } from '../../src/aggregate/refresh.ts';
import { deleteExpired } from '../../src/aggregate/retention.ts';
import { makeLog } from '../../src/base/log.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { deleteReadings } from '../../src/ingest/store/deleteReadings.ts';
import { type Engine, LEVELS } from '../../src/schema/aggregates.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { copyIn } from '../database/copyIn.ts';
import { file, HOW } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import {
  isRepetition,
  onEveryEngine,
  type TestDatabase,
  testDatabase,
} from '../support/database.ts';
import { changedDefinitions } from '../support/definitions.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { lockWaits, untilWaiting } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';
import { differences } from './differences.ts';
import { storedBuckets } from './sixHourly.ts';
import { storageOf } from './storage.ts';

type Differences = {
  /**
   * Tables whose chunks are compressed once they have been at rest for a week or a month, and again
   * after late rows.
   */
  compressed: readonly string[];
  /** How to list the chunks that can be compressed. */
  chunks: string;
  /** How to find the largest number of rows that are compressed together, by table. */
  batches: string;
  /** How many chunks a nightly maintenance puts off while somebody writes to one. */
  postponed: number;
  /** Readings may outlive their retention by this many days: the length of a dropped chunk. */
  outliveDays: number;
  /** Lowers the number of compressed rows that a statement may rewrite, in DATABASE. */
  limitRewriting: string;
  /** Names of relations that hold their rows, outside of schemas raw and rollup. */
  stored: string;
};

const ENGINES: Record<Engine, Differences> = {
  // tables: nothing is compressed, autovacuum is all that they need, and readings are deleted a day
  // at a time
  plain: {
    compressed: [],
    chunks:
      'select null as relation, null as name, false as is_compressed, false as is_stale, false as is_old where false',
    batches: 'select null as name, 0 as rows where false',
    postponed: 0,
    outliveDays: 0,
    limitRewriting: '',
    stored: '^$',
  },
  // hypertables: chunks of 30 days are compressed, and dropped as a whole
  timescale: {
    compressed: ['readings', 'sensor_hourly', 'station_hourly'],
    chunks: `
      select format('%I.%I', c.chunk_schema, c.chunk_name) as relation, coalesce(a.view_name, c.hypertable_name) as name,
        c.is_compressed, c.range_end < timestamptz '${NOW.toISOString()}'
          - case when r.is_hours then interval '30 days' else interval '7 days' end as is_old,
        -- the tests may look where the product may not: a compressed chunk with uncompressed rows
        not c.is_compressed or _timescaledb_functions.chunk_status(format('%I.%I', c.chunk_schema, c.chunk_name)::regclass) & 8 > 0 as is_stale
      from timescaledb_information.chunks c
      join logic.compressible_chunk r using (chunk_schema, chunk_name)
      left join timescaledb_information.continuous_aggregates a on a.materialization_hypertable_name = c.hypertable_name
      order by c.range_start`,
    batches: `
      select coalesce(a.view_name, c.hypertable_name) as name, max((xpath('//n/text()', query_to_xml(
        format('select max(_ts_meta_count) as n from %s', s.compress_relid), false, false, '')))[1]::text::int) as rows
      from timescaledb_information.chunks c
      join _timescaledb_catalog.compression_settings s on s.relid = format('%I.%I', c.chunk_schema, c.chunk_name)::regclass
      left join timescaledb_information.continuous_aggregates a on a.materialization_hypertable_name = c.hypertable_name
      group by 1 order by 1`,
    postponed: 1,
    outliveDays: 30,
    // by default 100,000, and writing a month of as many takes a minute
    limitRewriting:
      'alter database DATABASE set timescaledb.max_tuples_decompressed_per_dml_transaction = 5000',
    stored: '^(_hyper_|compress_hyper_|_materialized_hypertable_|_compressed_hypertable_)',
  },
};

type Chunk = {
  relation: string;
  name: string;
  is_compressed: boolean;
  is_stale: boolean;
  is_old: boolean;
};

const ZONE = 'Asia/Kolkata'; // hours begin at half past
const DAY = 86_400_000;
const log = makeLog('silent');
/** A local time of 2026. */
const at = (text: string) => `2026-${text}:00+05:30`;
const hour = (text: string) => `2026-${text}:00:00+05:30`;

onEveryEngine('an engine', (engine) => {
  const differing = ENGINES[engine];
  let database: TestDatabase;
  let owner: Sql;
  let superuser: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine, ZONE);
    // one connection, for its temporary tables
    owner = connect(database.target, { role: 'airseries_owner', timeZone: ZONE });
    superuser = database.superuser();
    await bringIn(owner, smallNetwork({ timeZone: ZONE }));
    // three a day; one of them at the midnights at which months begin
    await owner`insert into raw.readings (measured_at, sensor_id, pm25, rain)
      select at, sensor, extract(hour from at), 1 from generate_series(timestamptz '2026-06-10 00:00+05:30', ${NOW}, '2 hours') at, generate_series(1, 3) sensor
      where extract(hour from at) in (0, 10, 18)`;
    await database.refresh(NOW);
    await maintain(database.target, NOW);
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  const noted = async () => {
    const rows = await owner`select distinct since as hour from rollup.changed order by 1`;
    return rows.map(({ hour }) => hour);
  };
  const version = async () => {
    const [row] = await owner`select data_version from rollup.freshness`;
    return row?.data_version;
  };
  const pending = () => owner`select since, until from logic.pending`;
  const chunks = () => owner.unsafe<Chunk[]>(differing.chunks);
  const stale = async () => (await chunks()).filter(({ is_stale, is_old }) => is_stale && is_old);
  const count = async (condition: string) => {
    const of = `raw.readings where ${condition}`;
    const [row] = await owner.unsafe(`select count(*)::int as n from ${of}`);
    return row?.n;
  };

  describe('a refresh after a write to readings, compressed ones too', () => {
    beforeEach(() => database.refresh(NOW));

    it.each([
      [
        'an inserted row',
        `insert into raw.readings (measured_at, sensor_id, pm25) values ('${at('07-02 10:40')}', 1, 15)`,
        [hour('07-02T10')],
      ],
      [
        'an upsert of a new row and an old one',
        `insert into raw.readings (measured_at, sensor_id, pm25) values ('${at('07-02 10:00')}', 2, 16), ('${at('07-03 10:41')}', 2, 17)
         on conflict (sensor_id, measured_at) do update set pm25 = excluded.pm25`,
        [hour('07-02T10'), hour('07-03T10')],
      ],
      [
        'an update that moves a row to another hour and sensor',
        `update raw.readings set measured_at = '${at('07-05 10:45')}', sensor_id = 3 where measured_at = '${at('07-04 10:00')}' and sensor_id = 1`,
        [hour('07-04T10'), hour('07-05T10')],
      ],
      [
        'a deletion by time',
        `delete from raw.readings where measured_at = '${at('07-06 10:00')}'`,
        [hour('07-06T10')],
      ],
      [
        'very many rows at once',
        `insert into raw.readings (measured_at, sensor_id, pm25) select '${at('08-20 10:40')}', 100 + n, 5 from generate_series(0, 2000) n`,
        [hour('08-20T10')],
      ],
    ])(
      '%s is noted by the writer, and in the aggregates after one refresh',
      async (_, statement, expected) => {
        const before = await version();
        await owner.unsafe(statement);
        expect(await noted()).toEqual(expected);
        expect(await differences(database)).toEqual([]);
        expect(await noted()).toEqual([]);
        expect(await version()).toBeGreaterThan(before); // or old documents would stay cached
      },
    );

    // the same SQL on every engine
    if (!isRepetition(engine))
      it('a reading from the future raises the data version once, when it becomes the current value', async () => {
        const ahead = new Date(NOW.getTime() + 120_000);
        await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${ahead}, 1, 33)`;
        await database.refresh(NOW);
        const before = await version();
        await database.refresh(NOW);
        expect(await version()).toBe(before);
        for (const _ of [1, 2]) {
          await database.refresh(ahead);
          expect(await version()).toBe(before + 1);
        }
        await owner`delete from raw.readings where measured_at = ${ahead}`;
      });

    it('a COPY is in the aggregates after one refresh', async () => {
      await owner`delete from raw.readings where sensor_id >= 100`; // the very many rows
      await database.refresh(NOW);
      await copyIn(owner, 'copy raw.readings (measured_at, sensor_id, pm25) from stdin', [
        `${at('07-07 10:10')}\t3\t5\n${at('07-07 10:20')}\t3\t6\n`,
        `${at('07-08 11:10')}\t3\t7\n`,
      ]);
      expect(await noted()).toEqual([hour('07-07T10'), hour('07-08T11')]);
      expect(await differences(database)).toEqual([]);
    });

    it('a truncation leaves no bucket after one refresh', async () => {
      await owner`create temporary table kept as select * from raw.readings`;
      await owner`truncate raw.readings`;
      expect(await pending()).toEqual([{ since: '-infinity', until: 'infinity' }]);
      expect(await differences(database)).toEqual([]);
      expect(await owner`select from rollup.region_monthly`).toEqual([]);
      await owner`insert into raw.readings select * from kept`;
      expect(await differences(database)).toEqual([]);
    });

    it('a row that is committed after a refresh has begun is in the aggregates after the next one', async () => {
      const end = await openTransaction(
        superuser,
        `insert into raw.readings (measured_at, sensor_id, pm25) values ('${at('07-10 10:40')}', 1, 90)`,
      );
      await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${at('07-10 10:41')}, 2, 90)`;
      await database.refresh(NOW);
      await end('commit');
      expect(await noted()).toEqual([hour('07-10T10')]);
      expect(await differences(database)).toEqual([]);
    });

    it('several refreshes at the same time leave nothing pending and no difference', async () => {
      await owner`update raw.readings set pm25 = pm25 + 1 where sensor_id < 3 and measured_at >= '2026-07-01'`;
      await Promise.all([1, 2, 3].map(() => refresh(database.target, () => NOW)));
      expect(await pending()).toEqual([]);
      expect(await differences(database)).toEqual([]);
    });

    it('a refresh that is cut off between two levels is completed by the next one, also for a region that its station has left', async () => {
      await owner`create temporary table of_station_two as select * from raw.readings where sensor_id = 3`;
      await owner`delete from raw.readings where sensor_id = 3`;
      // the level above the stations can't be written to, as if the refresh had been killed there,
      // in the running day, which is its first piece
      const storage = await storageOf(owner, 'region_hourly');
      await superuser.unsafe(`create function public.cut_off() returns trigger language plpgsql as $$ begin raise 'cut off'; end $$;
        create trigger cut_off before delete on ${storage} for each row execute function public.cut_off()`);
      // TimescaleDB 2.28.3 on PostgreSQL 15.20, and 2.29.2 on 17.12, hide the error behind another
      await expect(refresh(database.target, () => NOW)).rejects.toThrow(
        /cut off|invalid transaction termination/,
      );
      expect(
        await owner`select from rollup.station_hourly where station_id = 2 and bucket >= ${at('11-20 00:00')}`,
      ).toEqual([]);
      expect((await pending()).length).toBeGreaterThan(0);
      await superuser.unsafe(`drop trigger cut_off on ${storage}; drop function public.cut_off`);
      await bringIn(owner, smallNetwork({ timeZone: ZONE, two: { regions: [] } }));
      expect(await differences(database)).toEqual([]);
      expect(await pending()).toEqual([]);
      await bringIn(owner, smallNetwork({ timeZone: ZONE }));
      await owner`insert into raw.readings select * from of_station_two`;
    });

    it.each([
      ['a station that leaves its region', { two: { regions: [] } }],
      [
        'a sensor that leaves its station',
        { one: { sensors: [{ id: 1 }, { id: 2 }, { id: 3 }] }, two: { sensors: [] } },
      ],
    ])(
      '%s while a refresh deletes its hours leaves no difference after the next refresh',
      async (_, elsewhere) => {
        await owner`create temporary table of_sensor_three as select * from raw.readings where sensor_id = 3`;
        await owner`delete from raw.readings where sensor_id = 3`;
        // the refresh has taken the notes, and recomputed nothing yet
        const end = await openTransaction(
          superuser,
          `lock table ${await storageOf(owner, 'sensor_hourly')} in share mode`,
        );
        const refreshed = refresh(database.target, () => NOW);
        await untilWaiting(superuser, { of: 'airseries refresh' });
        await bringIn(owner, smallNetwork({ timeZone: ZONE, ...elsewhere }));
        await end('rollback');
        await refreshed;
        expect(await differences(database)).toEqual([]);
        await bringIn(owner, smallNetwork({ timeZone: ZONE }));
        await owner`insert into raw.readings select * from of_sensor_three`;
        await owner`drop table of_sensor_three`;
        expect(await differences(database)).toEqual([]);
      },
    );
  });

  describe('compression of chunks that have been at rest for long enough', () => {
    it('maintenance compresses every old chunk of the engine’s compressed tables, and no other chunk', async () => {
      await database.refresh(NOW);
      await maintain(database.target, NOW);
      const all = await chunks();
      expect([...new Set(all.map(({ name }) => name))].sort()).toEqual(
        [...differing.compressed].sort(),
      );
      for (const name of differing.compressed) {
        expect(all.filter((chunk) => chunk.name === name && chunk.is_old).length).toBeGreaterThan(
          2,
        );
      }
      expect(
        all.filter(
          (chunk) => chunk.is_compressed !== chunk.is_old || chunk.is_stale === chunk.is_old,
        ),
      ).toEqual([]);
      expect(await differences(database)).toEqual([]);
      await maintain(database.target, NOW); // may be repeated at any time
    });

    it('maintenance goes on with the other chunks while one is locked, and comes back to it the next time', async () => {
      await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${at('07-02 10:30')}, 1, 15), (${at('08-20 10:30')}, 1, 15)`;
      await database.refresh(NOW);
      const late = (await stale()).filter(({ name }) => name === 'readings');
      expect(late.length).toBe(2 * differing.postponed);
      const busy = late[0]?.relation ?? 'raw.readings';
      const end = await openTransaction(superuser, `lock table ${busy} in access exclusive mode`);
      const { lines, ...watching } = keepingLog();
      await maintain(database.target, NOW, { log: watching, terminal: false }).finally(() =>
        end('rollback'),
      );
      expect(lines.map(({ message }) => message.includes('left for the next time'))).toEqual(
        Array(differing.postponed).fill(true),
      );
      expect((await stale()).map(({ relation }) => relation).includes(busy)).toBe(
        differing.postponed > 0,
      );
      await maintain(database.target, NOW);
      expect(await stale()).toEqual([]);
      expect(await differences(database)).toEqual([]);
    });

    if (differing.compressed.length > 0)
      it(
        'a month of very many readings, compressed by the week, can be imported again, corrected and completed late',
        needs('all'),
        async () => {
          const month = await testDatabase(engine);
          await month
            .superuser()
            .unsafe(differing.limitRewriting.replace('DATABASE', month.target.database));
          const sensors = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109];
          await bringIn(
            month.as(),
            smallNetwork({ one: { sensors: sensors.map((id) => ({ id })) } }),
          );
          const hours = Array.from({ length: 31 * 24 }, (_, n) => n);
          const all = sensors.length * hours.length;
          const ingest = month.as('airseries_ingest');
          /** Imports a reading of every sensor in each of these hours. */
          const imported = async ({ minute = 0, pm25 = 1, of = hours } = {}) => {
            const lines = of.flatMap((n) => {
              const time = new Date(
                Date.parse('2026-07-01T00:00:00+04:00') + (n * 60 + minute) * 60_000,
              ).toISOString();
              return sensors.map((sensor) => `${sensor},${time},${(n % 50) + pm25}\n`);
            });
            const path = file('month.csv', `sensor_id,time,pm25\n${lines.join('')}`);
            const { accepted, unchanged } = await importReadings(ingest, [path], HOW);
            return { accepted, unchanged };
          };
          expect(await imported()).toEqual({ accepted: all, unchanged: 0 });
          expect(await differences(month)).toEqual([]);
          await maintain(month.target, NOW);
          // recomputing an hour decompresses the batches it lies in, so a batch is a week, not a month
          const batches = await month
            .superuser()
            .unsafe<{ name: string; rows: number }[]>(differing.batches);
          expect(batches.map(({ name }) => name)).toEqual([...differing.compressed].sort());
          for (const { name, rows } of batches) {
            if (name === 'readings') expect(rows).toBeGreaterThan(168);
            else expect([name, rows]).toEqual([name, 168]);
          }
          expect(await imported()).toEqual({ accepted: 0, unchanged: all });
          expect(await imported({ of: [100], pm25: 77 })).toEqual({
            accepted: sensors.length,
            unchanged: 0,
          });
          expect(await differences(month)).toEqual([]);
          await maintain(month.target, NOW);
          expect(await imported({ pm25: 2 })).toEqual({ accepted: all, unchanged: 0 });
          expect(await differences(month)).toEqual([]);
          await maintain(month.target, NOW);
          expect(await imported({ minute: 30 })).toEqual({ accepted: all, unchanged: 0 });
          expect(await differences(month)).toEqual([]);
          await month.drop();
        },
      );
  });

  it('a half-open period of one sensor can be deleted, compressed or not, and the aggregates follow', async () => {
    const [from, to] = [new Date(at('07-10 00:00')), new Date(at('11-15 00:00'))];
    const due = await count(
      `sensor_id = 2 and measured_at >= '${at('07-10 00:00')}' and measured_at < '${at('11-15 00:00')}'`,
    );
    const all = await count('true');
    expect(due).toBeGreaterThan(300);
    expect(await deleteReadings(owner, { sensor: 2, from, to })).toBe(due);
    expect(await deleteReadings(owner, { sensor: 2, from, to })).toBe(0);
    expect(await count('true')).toBe(all - due);
    expect(await differences(database)).toEqual([]);
  });

  /** Vacuums first, so that autovacuum shrinks nothing between two calls or during one. */
  const sizes = async () => {
    await superuser`vacuum`;
    const [row] = await superuser<[{ raw: number; rollup: number; disk: number }]>`
      select sum(bytes) filter (where schema = 'raw') as raw, sum(bytes) filter (where schema = 'rollup') as rollup, (
        select sum(pg_total_relation_size(c.oid))::float8 from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'm') and (n.nspname in ('raw', 'rollup') or c.relname ~ ${differing.stored})
      ) as disk
      from logic.storage()`;
    return row;
  };

  it('the reported sizes count every byte of readings and aggregates, compressed or not, each in its schema', async () => {
    const before = await sizes();
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) select '2026-11-19'::timestamptz + (n + 0.5) * interval '1 second', 1, 1 from generate_series(1, 20000) n`;
    const filled = await sizes();
    // the header of a row, and no more
    expect(filled.raw - before.raw).toBeGreaterThan(20_000 * 28);
    expect(filled.raw + filled.rollup).toBe(filled.disk);
    await owner`delete from raw.readings where measured_at <> date_trunc('second', measured_at)`;
    await database.refresh(NOW);
    const { raw, rollup, disk } = await sizes();
    expect(raw + rollup).toBe(disk);
  });

  /**
   * The published rain of a month that has ended. Later versions multiply it, so its sum tells
   * which version's numbers are served.
   */
  const rain = async () => {
    const [row] = await owner`
      select sum(total_rain)::float8 as sum from api.station_hourly
      where station_id = 1 and timestamp >= ${at('09-01 00:00')} and timestamp < ${at('10-01 00:00')}`;
    return row?.sum;
  };
  /** Migrates to the next version, which sums rain differently. */
  const upgrade = (rainSum: string) =>
    migrate(database.target, {
      now: NOW,
      log,
      definitions: changedDefinitions(temporaryFolder('sql'), 'rollups/sensor_hourly.sql', (text) =>
        text.replace('sum(rain::float8)', rainSum),
      ),
    });

  it('an upgrade serves the old numbers until the new ones are complete, with all that was written meanwhile', async () => {
    const before = await rain();
    expect(before).toBeGreaterThan(0);
    // the first of the new aggregates waits for this lock while it is filled
    const end = await openTransaction(
      superuser,
      'lock table raw.membership in access exclusive mode',
    );
    const upgraded = upgrade('2 * sum(rain::float8)');
    await untilWaiting(superuser, { of: 'airseries migrate' });
    expect(await rain()).toBe(before);
    await owner`update raw.readings set rain = 2 where sensor_id = 1 and measured_at = ${at('09-10 10:00')}`;
    await owner`delete from raw.readings where sensor_id = 3 and measured_at < '2026-07-01'`;
    expect(await rain()).toBe(before);
    await end('rollback');
    await bringIn(
      owner,
      smallNetwork({ timeZone: ZONE, one: { hidden: [{ since: '2026-10-01T00:00' }] } }),
    );
    await upgraded;
    await database.refresh(NOW);
    expect(await rain()).toBe(2 * before + 2);
    const hidden = `select from rollup.region_hourly where region_slug = 'quarter' and bucket >= '${at('10-01 00:00')}'`;
    expect(await owner.unsafe(hidden)).toEqual([]);
    expect(await differences(database)).toEqual([]);
    expect(await owner`select from pg_namespace where nspname ~ '_(next|old)$'`).toEqual([]);
  });

  describe('the deletion of expired readings', () => {
    const RETAINED = hour('09-01T00');
    const night = (keep: string, apply = false) =>
      deleteExpired(database.target, () => NOW, keep, { log: keepingLog(), apply });
    const aggregates = () => storedBuckets(owner, LEVELS, RETAINED);
    let before: unknown;
    let newer: number | undefined;

    /**
     * Resolves once a deletion of expired readings waits for a lock with this statement, and gives
     * its process.
     */
    const waitsAt = async (statement: string) => {
      const waiting = () => lockWaits(superuser, { of: 'airseries refresh', at: statement });
      await expect.poll(waiting).toHaveLength(1);
      return (await waiting())[0]?.pid ?? 0;
    };

    it('expired readings are deleted only after a refresh that has the last ones of a writer in progress', async () => {
      newer = await count(`measured_at >= '${RETAINED}'`);
      const endWriter = await openTransaction(
        database.superuser(),
        `lock table raw.ingest_lock in row exclusive mode;
         insert into raw.readings (measured_at, sensor_id, pm25) values ('${at('06-11 10:20')}', 1, 70)`,
      );
      const endUpdate = await openTransaction(
        database.superuser(),
        `update raw.readings set pm1 = 1 where measured_at = '${at('06-20 10:00')}'`,
      );
      try {
        const cutOff = night('60 days', true).catch((error: Error) => error.message);
        await waitsAt('raise_ingest_cutoff').finally(() => endWriter('commit'));
        await superuser`select pg_terminate_backend(${await waitsAt('delete_expired_readings')})`;
        expect(await cutOff).toMatch(/terminat|closed/i);
      } finally {
        await endUpdate('rollback');
      }
      before = await aggregates();
      expect(
        await owner`select pm25 from rollup.sensor_hourly where bucket = ${at('06-11 10:00')} and sensor_id = 1`,
      ).toEqual([{ pm25: (10 + 70) / 2 }]);
    });

    it('a deletion that was cut off is completed in the next run, in whole months, and deletes no other reading', async () => {
      await night('60 days', true);
      const [left] = await owner<{ first: string; since: string }[]>`
        select min(measured_at) as first, (select retained_from from raw.installation) as since from raw.readings`;
      expect(left?.since).toBe(RETAINED);
      const outlives = (Date.parse(RETAINED) - Date.parse(left?.first ?? '')) / DAY;
      expect(outlives).toBeGreaterThanOrEqual(0);
      expect(outlives).toBeLessThanOrEqual(differing.outliveDays);
      expect(await count(`measured_at >= '${RETAINED}'`)).toBe(newer);
      expect(await aggregates()).toEqual(before);
    });

    it.each<[string, () => Promise<unknown>]>([
      [
        'a refresh, the next night, a longer retention and compression',
        async () => {
          await database.refresh(NOW);
          await night('60 days');
          await night('2 years');
          await maintain(database.target, NOW);
        },
      ],
      ['a rebuild of everything', () => rebuild(database.target, () => NOW, {})],
      ['an upgrade of the aggregates', () => upgrade('sum(2 * rain::float8)')],
      [
        'a station is hidden for all time and shown again',
        async () => {
          const shown = { hidden: [{ since: '2026-10-01T00:00' }] };
          await bringIn(owner, smallNetwork({ timeZone: ZONE, one: { hidden: true } }));
          await database.refresh(NOW);
          await bringIn(owner, smallNetwork({ timeZone: ZONE, one: shown }));
          await database.refresh(NOW);
        },
      ],
    ])('the aggregates of deleted readings stay as they are after %s', async (_, act) => {
      await act();
      expect(await aggregates()).toEqual(before);
      expect(await differences(database)).toEqual([]);
    });

    it('a cutoff that an operator moved to any hour is kept: nothing newer is deleted', async () => {
      const moved = at('10-05 07:00');
      await owner`update raw.installation set ingest_cutoff = ${moved}, retained_from = ${moved}`;
      const kept = await count(`measured_at >= '${moved}'`);
      await night('2 years');
      expect(await count(`measured_at >= '${moved}'`)).toBe(kept);
      const from = new Date(at('01-01 00:00'));
      const options = { clock: () => NOW, from, timeZone: ZONE };
      expect((await audit(database.target, options)).found).toEqual([]);
    });
  });
});
