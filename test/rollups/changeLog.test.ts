/** What changed is noted by the writer's own transaction, and stays noted until a refresh that has seen it is through (S4, A10). */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { connect, type Sql } from '../../src/database/client.ts';
import { maintain, refresh } from '../../src/rollups/refresh.ts';
import { bringIn, differences, NOW, smallNetwork } from '../ingest/support.ts';
import { copyIn } from '../support/copyIn.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { openTransaction } from '../support/openTransaction.ts';

onEveryEngine('the change log', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  let superuser: Sql;
  const noted = async () =>
    (await owner`select distinct hour, sensor_id from rollup.changed_hour order by 1, 2`).map(
      ({ hour: at, sensor_id }) => [at, sensor_id],
    );
  /** Buckets of a level whose value was not overwritten behind the engine's back since: those that a refresh has recomputed. */
  const recomputed = async (level: string, id: string, change: () => Promise<unknown>) => {
    const [row] = await owner`select logic.storage_of(${level})::text as storage`;
    await owner.unsafe(`update ${row?.storage} set pm25 = -9`);
    await change();
    await refresh(database.target, NOW);
    const rows = await owner.unsafe(`select bucket, ${id} as id from rollup.${level} where pm25 <> -9 order by 1, 2`);
    return rows.map(({ bucket, id: subject }) => [bucket, subject]);
  };
  const settle = async () => {
    await owner`insert into rollup.stale_period (since, until, from_level) values ('-infinity', 'infinity', 'sensor_hourly')`;
    await refresh(database.target, NOW);
  };

  beforeAll(async () => {
    database = await testDatabase(engine, 'Asia/Kolkata'); // hours begin at half past
    owner = connect(database.target, { role: 'airseries_owner' }); // one connection, for its temporary tables
    superuser = database.superuser();
    await bringIn(owner, smallNetwork({ timeZone: 'Asia/Kolkata' }));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, sensor, 10 from generate_series(timestamptz '2026-07-01 00:00+00', '2026-08-15 00:00+00', '1 hour') at, generate_series(1, 3) sensor`;
    await refresh(database.target, NOW);
    await maintain(database.target, NOW); // compresses on an engine that can
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });
  beforeEach(() => refresh(database.target, NOW));

  const at = (text: string) => `2026-${text}:30:00+00:00`;
  it.each([
    [
      'an insert',
      `insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-07-02 10:40+00', 1, 15)`,
      [[at('07-02T10'), 1]],
    ],
    [
      'an upsert, the new row and the old one',
      `insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-07-02 10:00+00', 2, 16), ('2026-07-03 10:41+00', 2, 17)
       on conflict (sensor_id, measured_at) do update set pm25 = excluded.pm25`,
      [
        [at('07-02T09'), 2],
        [at('07-03T10'), 2],
      ],
    ],
    [
      'an update that moves a row, where it was and where it is',
      `update raw.readings set measured_at = '2026-07-05 10:45+00', sensor_id = 3 where measured_at = '2026-07-04 10:00+00' and sensor_id = 1`,
      [
        [at('07-04T09'), 1],
        [at('07-05T10'), 3],
      ],
    ],
    [
      'a deletion by time',
      `delete from raw.readings where measured_at = '2026-07-06 10:00+00'`,
      [
        [at('07-06T09'), 1],
        [at('07-06T09'), 2],
        [at('07-06T09'), 3],
      ],
    ],
  ])('notes %s, of compressed rows too, and the refresh follows', async (_, statement, expected) => {
    await owner.unsafe(statement);
    expect(await noted()).toEqual(expected);
    expect(await differences(database)).toEqual([]);
    expect(await noted()).toEqual([]);
  });

  it('notes every hour of a sensor that is deleted as a whole, and all of a copy', async () => {
    const [hours] =
      await owner`select count(distinct rollup.bucket_start('hour', measured_at))::int as n from raw.readings where sensor_id = 3`;
    await owner`create temporary table of_three as select * from raw.readings where sensor_id = 3`;
    await owner`delete from raw.readings where sensor_id = 3`;
    expect((await noted()).length).toBe(hours?.n);
    expect(await differences(database)).toEqual([]);
    await copyIn(owner, 'copy raw.readings (measured_at, sensor_id, pm25) from stdin', [
      '2026-07-07 10:10+00\t3\t5\n2026-07-07 10:20+00\t3\t6\n',
      '2026-07-08 11:10+00\t3\t7\n',
    ]);
    expect(await noted()).toEqual([
      [at('07-07T09'), 3],
      [at('07-08T10'), 3],
    ]);
    expect(await differences(database)).toEqual([]);
    await owner`insert into raw.readings select * from of_three`;
  });

  it('notes only the hours of a statement that changes very many, and everything of a truncation', async () => {
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select '2026-08-20 10:40+00', 100 + n, 5 from generate_series(0, 20000) n`;
    expect(await noted()).toEqual([[at('08-20T10'), null]]);
    await owner`delete from raw.readings where sensor_id >= 100`;
    expect(await differences(database)).toEqual([]);
    await owner`create temporary table kept as select * from raw.readings`;
    await owner`truncate raw.readings`;
    expect(await owner`select since, until from logic.pending`).toEqual([{ since: '-infinity', until: 'infinity' }]);
    expect(await differences(database)).toEqual([]);
    expect(await owner`select from rollup.region_monthly`).toEqual([]);
    await owner`insert into raw.readings select * from kept`;
    await settle();
  });

  it('is written to with the rights of its owner, not of the sender', async () => {
    const ingest = database.as('airseries_ingest');
    await ingest`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-08-01 12:07+00', 1, 5)`;
    await expect(ingest`insert into rollup.changed_hour values ('2026-08-01', 1)`).rejects.toThrow('permission denied');
  });

  it('keeps the note of a writer who commits while a refresh runs', async () => {
    const end = await openTransaction(
      superuser,
      `insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-07-10 10:40+00', 1, 90)`,
    );
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-07-10 10:41+00', 2, 90)`;
    await refresh(database.target, NOW);
    await end('commit');
    expect(await noted()).toEqual([[at('07-10T10'), 1]]);
    expect(await differences(database)).toEqual([]);
  });

  it('recomputes only the hours of those concerned, at every level', async () => {
    await settle();
    const change = () =>
      owner`update raw.readings set pm25 = pm25 + 1 where sensor_id = 3 and measured_at = '2026-07-11 10:00+00'`;
    expect(await recomputed('sensor_hourly', 'sensor_id', change)).toEqual([[at('07-11T09'), 3]]);
    await settle();
    expect(await recomputed('station_hourly', 'station_id', change)).toEqual([[at('07-11T09'), 2]]);
    await settle();
    expect(await recomputed('region_hourly', 'region_slug', change)).toEqual([[at('07-11T09'), 'town']]);
    await settle();
    expect(await recomputed('station_daily', 'station_id', change)).toEqual([[at('07-10T18'), 2]]);
    await settle();
    expect(await recomputed('region_monthly', 'region_slug', change)).toEqual([[at('06-30T18'), 'town']]);
    await settle();
  });

  it('recomputes hours for all where more sensors changed than a crowd, joined where they are close', async () => {
    await superuser.unsafe(
      `create or replace function logic.crowd() returns int language sql stable as $$ select 1 $$`,
    );
    const change = () =>
      owner`update raw.readings set pm25 = pm25 + 1 where sensor_id < 3 and measured_at in ('2026-07-12 10:00+00', '2026-07-12 12:00+00')`;
    const rows = await recomputed('sensor_hourly', 'sensor_id', change);
    expect(rows).toEqual(['09', '10', '11'].flatMap((of) => [1, 2, 3].map((sensor) => [at(`07-12T${of}`), sensor])));
    await settle();
    expect(await differences(database)).toEqual([]);
  });

  it('follows a sensor to where it stood, and a station to where it belonged, in each hour of a longer change', async () => {
    const [half, then] = ['2026-07-15T00:00', '2026-07-16T00:00'];
    const moved = smallNetwork({
      timeZone: 'Asia/Kolkata',
      one: { regions: [{ slug: 'town' }, { slug: 'quarter', since: then }] },
      two: {
        sensors: [
          {
            id: 3,
            stations: [
              { id: 2, until: half },
              { id: 1, since: half },
            ],
          },
        ],
      },
    });
    await bringIn(owner, moved);
    expect(await differences(database)).toEqual([]);
    await owner`update raw.readings set pm25 = pm25 + 7 where sensor_id = 3 and measured_at >= '2026-07-13' and measured_at < '2026-07-18'`;
    expect(await differences(database)).toEqual([]);
    await bringIn(owner, smallNetwork({ timeZone: 'Asia/Kolkata' }));
    await settle();
  });

  it('recomputes whole days where very many different hours changed', async () => {
    await superuser.unsafe(
      `create or replace function logic.crowd() returns int language sql stable as $$ select 100 $$`,
    );
    const rows = await recomputed(
      'sensor_hourly',
      'sensor_id',
      () =>
        owner`update raw.readings set pm25 = pm25 + 1 where sensor_id = 2 and extract(hour from measured_at) in (1, 9, 15)
        and measured_at >= '2026-07-02' and measured_at < '2026-07-30'`,
    );
    expect(rows.length).toBeGreaterThan(27 * 24 - 10);
    expect(new Set(rows.map(([, sensor]) => sensor))).toEqual(new Set([2]));
    await settle();
  });

  it('has what a refresh that was cut off still needs: the next one completes it, even for a region that its station has left meanwhile', async () => {
    await owner`delete from raw.readings where sensor_id = 3`; // the only sensor of station 2
    // the level above the stations can't be written to, as if the refresh had been killed there
    const [row] = await owner`select logic.storage_of('region_hourly')::text as storage`;
    await superuser.unsafe(`create function public.cut_off() returns trigger language plpgsql as $$ begin raise 'cut off'; end $$;
        create trigger cut_off before delete on ${row?.storage} for each row execute function public.cut_off()`);
    await expect(refresh(database.target, NOW)).rejects.toThrow('cut off');
    expect(
      (await owner`select from rollup.station_hourly where station_id = 2 and bucket >= '2026-08-01'`).length,
    ).toBe(0);
    expect((await owner`select * from logic.pending`).length).toBeGreaterThan(0);
    await superuser.unsafe(`drop trigger cut_off on ${row?.storage}; drop function public.cut_off`);
    await bringIn(owner, smallNetwork({ timeZone: 'Asia/Kolkata', two: { regions: [] } }));
    expect(await differences(database)).toEqual([]);
    expect(await owner`select * from logic.pending`).toEqual([]);
  });

  it('leaves hours whose readings are gone as they are', async () => {
    await owner`update raw.installation set ingest_cutoff = '2026-08-01 00:00+05:30', retained_from = '2026-08-01 00:00+05:30'`;
    const before =
      await owner`select * from rollup.sensor_hourly where bucket < '2026-08-01 00:00+05:30' order by 1, 2`;
    await owner`delete from raw.readings where measured_at < '2026-07-20'`;
    await refresh(database.target, NOW);
    expect(
      await owner`select * from rollup.sensor_hourly where bucket < '2026-08-01 00:00+05:30' order by 1, 2`,
    ).toEqual(before);
    expect(await noted()).toEqual([]);
  });
});
