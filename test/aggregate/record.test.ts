/**
 * A change of published numbers is recorded with its reason, its hours and the instant at which
 * it showed (R1), and nothing else is. Reasons of zones and new versions are in zoneRules.test.ts
 * and test/schema/migrate.test.ts.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { deleteOldChanges, rebuild } from '../../src/aggregate/refresh.ts';
import { deleteExpired } from '../../src/aggregate/retention.ts';
import type { Sql } from '../../src/database/client.ts';
import { screen } from '../../src/network/screening.ts';
import { importText } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import {
  isRepetition,
  onEveryEngine,
  type TestDatabase,
  testDatabase,
} from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn, type Json, smallNetwork } from '../support/smallNetwork.ts';
import { tamper } from './storage.ts';

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE);

onEveryEngine('the record of changes', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'Asia/Yerevan');
  });
  afterAll(() => db.drop());

  /** `late 1: 10-03 09 to 10-03 10`: the reason, the station or region, the first and last hour. */
  const changes = async () => {
    const rows = await owner<{ line: string }[]>`
      select concat_ws(' ', reason, station_id, region_slug, 'sensor ' || sensor_id) || ': '
        || to_char(first_hour, 'MM-DD HH24') || replace(to_char(first_hour, ':MI'), ':00', '')
        || ' to ' || to_char(last_hour, 'MM-DD HH24') as line
      from api.changes('-infinity', 'infinity')
      order by reason, station_id, region_slug, sensor_id, first_hour`;
    return rows.map(({ line }) => line);
  };
  const shownAt = async () => {
    const rows = await owner<{ shown_at: string }[]>`
      select shown_at from api.changes('-infinity', 'infinity') order by 1`;
    return rows.map(({ shown_at }) => new Date(shown_at));
  };
  const store = (sensor: number, at: string | Date, values: Json = { pm25: 7 }) =>
    owner`insert into raw.readings ${owner({ sensor_id: sensor, measured_at: at, ...values })}`;
  const change = (assignments: string, sensor: number, at: string) =>
    owner.unsafe(
      `update raw.readings set ${assignments} where sensor_id = ${sensor} and measured_at = '${at}'`,
    );
  const remove = (sensor: number, since: string, until: string) =>
    owner`select logic.delete_readings(${sensor}, ${since}, ${until})`;

  /** Hours of three sensors since 1 October, published, and an empty record. */
  beforeEach(async () => {
    await owner.unsafe('truncate raw.readings, rollup.stale, rollup.changed, raw.screened_period');
    await bringIn(owner, smallNetwork());
    await owner`select logic.apply_periods()`;
    await owner`insert into raw.readings (measured_at, sensor_id, pm25, temperature)
      select at, sensor, 10 + sensor + extract(hour from at) / 10, 15 + extract(hour from at) / 10
      from generate_series(timestamptz '2026-10-01 00:10+04', ${ago(60)}::timestamptz, '1 hour') at, generate_series(1, 3) sensor
      where at < '2026-10-04 00:00+04' or at >= '2026-11-19 00:00+04'`;
    await db.refresh(ago(9));
    await owner`delete from rollup.change`;
  });

  it('the first build records nothing, since nothing was published before', async () => {
    await owner`update rollup.freshness set refreshed_at = null`;
    await store(1, '2026-10-03 09:00+04');
    await bringIn(owner, smallNetwork({ two: { regions: [] } }));
    await db.refresh(NOW);
    expect(await changes()).toEqual([]);
    expect(
      await owner`select round(pm25::numeric, 2) as pm25 from rollup.sensor_hourly where bucket = '2026-10-03 09:00+04' and sensor_id = 1`,
    ).toEqual([{ pm25: '9.45' }]);
  });

  type Row = [what: string, change: () => Promise<unknown>, ...lines: string[]];
  /** A row is inserted, updated, moved, deleted and truncated: engines log each in their way. */
  const ofWrites: Row[] = [
    ['a late reading', () => store(1, '2026-10-03 09:30+04'), 'late 1: 10-03 09 to 10-03 09'],
    [
      'a corrected reading',
      () => change('pm25 = 99', 1, '2026-10-03 09:10+04'),
      'corrected 1: 10-03 09 to 10-03 09',
    ],
    [
      'a reading that a person moves to another hour',
      () => change("measured_at = '2026-10-03 10:20+04'", 1, '2026-10-03 09:10+04'),
      'corrected 1: 10-03 09 to 10-03 10',
    ],
    [
      'deleted readings',
      () => remove(3, '2026-10-03 09:00+04', '2026-10-03 11:00+04'),
      'deleted 2: 10-03 09 to 10-03 10',
    ],
    ['all readings', () => owner`truncate raw.readings`, 'deleted: 10-01 00 to 11-20 14'],
  ];
  const ofReadings: Row[] = [
    [
      'late readings of several hours and days, each run without a whole day between two as one',
      async () => {
        await store(1, '2026-10-03 09:30+04');
        await store(1, '2026-10-04 09:30+04');
        await store(2, '2026-10-05 11:00+04');
      },
      'late 1: 10-03 09 to 10-04 09',
      'late 1: 10-05 11 to 10-05 11',
    ],
    ['a reading of 1 h 50 min ago', () => store(1, ago(119)) /* the last refresh is 9 min old */],
    [
      'a reading that is two hours old when the last refresh is',
      () => store(1, ago(9 + 121)),
      'late 1: 11-20 13 to 11-20 13',
    ],
    [
      'a withdrawn value',
      () => change('pm25 = null', 1, '2026-10-03 09:10+04'),
      'corrected 1: 10-03 09 to 10-03 09',
    ],
    [
      'a parameter that comes later',
      () => change('no2 = 5', 1, '2026-10-03 09:10+04'),
      'late 1: 10-03 09 to 10-03 09',
    ],
    [
      'a deleted reading of the last closed hour, and none of the running one',
      async () => {
        await store(3, ago(15));
        await remove(3, '2026-11-20 14:00+04', '2026-11-20 16:00+04');
      },
      'deleted 2: 11-20 14 to 11-20 14',
    ],
    [
      'a late reading of a sensor without a station',
      async () => {
        await owner`insert into raw.sensor (id) values (9) on conflict do nothing`;
        await store(9, '2026-10-03 09:30+04');
      },
    ],
  ];
  /** The small network with another city. */
  const withPort = (change: Parameters<typeof smallNetwork>[0]) => {
    const network = smallNetwork(change);
    const port = { slug: 'port', kind: 'city', title: { en: 'Port' } };
    return { ...network, regions: [...network.regions, port] };
  };
  /** The same with another station, beside the first. */
  const withThird = (more: Json = {}) => {
    const network = smallNetwork();
    const third = { ...network.stations[0], id: 3, sensors: [{ id: 4 }], ...more };
    return { ...network, stations: [...network.stations, third] };
  };
  const network = (change: Parameters<typeof smallNetwork>[0]) => () =>
    bringIn(owner, smallNetwork(change));
  const morning = [{ since: '2026-10-03T09:30', until: '2026-10-03T11:00' }];
  const moved = [
    { id: 1, until: '2026-11-03T12:20' },
    { id: 2, since: '2026-11-03T12:20' },
  ];
  const ofTheNetwork: Row[] = [
    [
      'a sensor that moves',
      network({ one: { sensors: [{ id: 1 }, { id: 2, stations: moved }] } }),
      'placement 1 sensor 2: 11-03 12 to 11-20 14',
      'placement 2 sensor 2: 11-03 12 to 11-20 14',
    ],
    [
      'late readings of hours that no placement covers whole',
      async () => {
        await owner`insert into raw.suspicious_period (sensor_id, since, until) values
          (1, '2026-10-03 09:40+04', '2026-10-03 10:10+04'), (1, '2026-10-03 10:20+04', '2026-10-03 12:20+04')`;
        await owner`select logic.apply_periods()`;
        await db.refresh(ago(8));
        await owner`delete from rollup.change`;
        for (const hour of ['09:30', '10:15', '12:30', '13:30'])
          await store(1, `2026-10-03 ${hour}+04`);
      },
      'late 1: 10-03 13 to 10-03 13',
    ],
    [
      'a formula',
      network({ sensor: { correction: [{ formula: 'epa-2021', since: '2026-11-01' }] } }),
      'formula 1 sensor 1: 11-01 00 to 11-20 14',
    ],
    [
      'a station that leaves a region',
      network({ two: { regions: [] } }),
      'membership 2 town: 10-01 00 to 11-20 14',
    ],
    [
      'a flag of the operator',
      network({ one: { is_bad_pm: morning } }),
      'flag 1: 10-03 09 to 10-03 10',
    ],
    [
      'a flag of a station in no region',
      network({ two: { regions: [], is_bad_thp: morning } }),
      'flag 2: 10-03 09 to 10-03 10',
      'membership 2 town: 10-01 00 to 11-20 14',
    ],
    [
      'a period that an operator has recomputed',
      () =>
        rebuild(db.target, () => NOW, {
          from: new Date('2026-10-03T09:00+04:00'),
          to: new Date('2026-10-03T12:00+04:00'),
        }),
      'repair: 10-03 09 to 10-03 11',
    ],
    [
      'an hour that an audit repairs',
      async () => {
        const row = `station_id = 2 and bucket = '2026-10-03 09:00+04'`;
        await tamper(owner, 'station_hourly', `update %s set pm25 = 1 where ${row}`);
        await audit(db.target, { clock: () => NOW, timeZone: 'Asia/Yerevan', repair: true });
      },
      'repair: 10-03 09 to 10-03 09',
    ],
    [
      'a new region, of which nothing was published',
      () => bringIn(owner, withPort({ two: { regions: ['town', 'port'] } })),
    ],
    ['a new station without a reading', () => bringIn(owner, withThird())],
  ];
  // what triggers log differs between engines, and what the network file changes does not
  const rows = isRepetition(engine) ? ofWrites : [...ofWrites, ...ofReadings, ...ofTheNetwork];
  it.each(rows)('%s: recorded as expected (R1)', async (_, work, ...lines) => {
    await work();
    await db.refresh(NOW);
    expect(await changes()).toEqual(lines);
    expect(new Set((await shownAt()).map(Number))).toEqual(
      new Set(lines.length > 0 ? [NOW.getTime()] : []),
    );
  });

  if (isRepetition(engine)) return;

  it('a value that is corrected within two hours is no news, and its hour follows (R1)', async () => {
    await change('pm25 = 99', 1, '2026-11-20 14:10+04');
    await db.refresh(NOW);
    expect(await changes()).toEqual([]);
    expect(
      await owner`select pm25 from rollup.sensor_hourly where bucket = '2026-11-20 14:00+04' and sensor_id = 1`,
    ).toEqual([{ pm25: 99 }]);
  });

  it('a file of old readings, which are copied, is recorded as late (R1)', async () => {
    await owner`delete from raw.readings where sensor_id = 3 and measured_at >= '2026-11-01 00:00+04'`;
    await db.refresh(ago(8));
    await owner`delete from rollup.change`;
    const lines = Array.from(
      { length: 48 },
      (_, hour) =>
        `3,2026-11-0${hour < 24 ? 1 : 2}T${String(hour % 24).padStart(2, '0')}:20:00+04:00,7`,
    );
    await importText(db.as('airseries_ingest'), ['sensor_id,time,pm25', ...lines].join('\n'));
    await db.refresh(NOW);
    expect(await changes()).toEqual(['late 2: 11-01 00 to 11-02 23']);
  });

  it('screening records the hours of a flag that it raises, once, and a day of normal running records nothing (R1)', async () => {
    await owner`update raw.station set screening = true, altitude = 100`;
    for (let minutes = 0; minutes <= 1440; minutes += 240) {
      const now = new Date(NOW.getTime() + minutes * MINUTE);
      for (const sensor of [1, 2, 3])
        await store(sensor, now, { pm25: 10 + sensor + (minutes % 7), temperature: minutes % 11 });
      await db.refresh(now);
      await screen(db.target, now);
    }
    const tomorrow = new Date(NOW.getTime() + 1441 * MINUTE);
    await db.refresh(tomorrow);
    expect(await changes()).toEqual([]);

    await owner`update raw.readings set pressure = 50000 where sensor_id = 3 and measured_at >= '2026-11-19 15:00+04' and measured_at < '2026-11-19 18:00+04'`;
    await db.refresh(tomorrow);
    await owner`delete from rollup.change`;
    await screen(db.target, tomorrow);
    await db.refresh(tomorrow);
    await screen(db.target, tomorrow);
    await db.refresh(tomorrow);
    expect(await changes()).toEqual(['screening 2: 11-19 15 to 11-21 15']);
  });

  it('retention records nothing, since the hours of deleted readings stay (R1)', async () => {
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 5 from generate_series(timestamptz '2025-01-01 00:10+04', '2025-01-03 00:00+04', '1 hour') at`;
    await db.refresh(NOW);
    await owner`delete from rollup.change`;
    await deleteExpired(db.target, () => NOW, '400 days', {
      log: keepingLog(),
      timeZone: 'Asia/Yerevan',
    });
    expect(await owner`select from raw.readings where measured_at < '2025-02-01'`).toHaveLength(0);
    await db.refresh(NOW);
    expect(await changes()).toEqual([]);
    await owner`update raw.installation set retained_from = '-infinity', ingest_cutoff = '-infinity'`;
    await owner`truncate rollup.expired_month`;
  });

  it('hours that were never published before are no change of a station, however many files they come in, and one of its region (R1)', async () => {
    await bringIn(owner, withThird({ regions: ['town'] }));
    const file = (since: string, until: string) =>
      owner`insert into raw.readings (measured_at, sensor_id, pm25)
        select at, 4, 5 from generate_series(${since}::timestamptz, ${until}, '1 hour') at`;
    // the town has hours since the first of October
    await file('2026-09-20 00:10+04', '2026-10-01 12:10+04');
    await db.refresh(ago(6));
    const ofTown = ['late 3 town: 10-01 00 to 10-01 12'];
    expect(await changes()).toEqual(ofTown);
    // the next file, and the one before
    await file('2026-10-01 13:10+04', '2026-10-02 12:10+04');
    await file('2026-09-01 00:10+04', '2026-09-19 23:10+04');
    await db.refresh(ago(5));
    expect(await changes()).toEqual(['late 3 town: 10-01 00 to 10-02 12']);
    // what has been published is told at once
    await store(4, '2026-09-05 05:40+04');
    await db.refresh(NOW);
    expect(await changes()).toEqual([
      'late 3 town: 10-01 00 to 10-02 12',
      'late 3: 09-05 05 to 09-05 05',
    ]);
    // the archive learns of all of them
    expect(
      await owner`select min(since) as since from rollup.change where reason = 'first'`,
    ).toMatchObject([{ since: '2026-09-01T00:00:00+04:00' }]);
    await owner`delete from raw.readings where sensor_id = 4`;
    await owner`delete from raw.sensor_station where sensor_id = 4`;
    await owner`select logic.apply_periods()`;
    await db.refresh(NOW);
  });

  it('a row keeps the regions that its hours had then (R1)', async () => {
    const regions = [
      { slug: 'town', until: '2026-10-03T09:00' },
      { slug: 'port', since: '2026-10-03T09:00' },
    ];
    await bringIn(owner, withPort({ two: { regions } }));
    await db.refresh(ago(8));
    await owner`delete from rollup.change`;
    for (const hour of ['07', '08', '09', '10']) await store(3, `2026-10-03 ${hour}:40+04`);
    await db.refresh(ago(7));
    const rows = () => owner`
      select regions, to_char(first_hour, 'MM-DD HH24') as first,
        to_char(last_hour, 'MM-DD HH24') as last
      from api.changes('-infinity', 'infinity') where reason = 'late' order by first_hour`;
    const kept = [
      { regions: '["town"]', first: '10-03 07', last: '10-03 08' },
      { regions: '["port"]', first: '10-03 09', last: '10-03 10' },
    ];
    expect(await rows()).toEqual(kept);
    const shown = async () => {
      const [row] = await owner`
        select shown_at from api.changes('-infinity', 'infinity') where regions = '["port"]'`;
      return row?.shown_at;
    };
    const before = await shown();
    await store(3, '2026-10-03 08:50+04'); // of the town alone
    await db.refresh(ago(6));
    expect([await rows(), await shown()]).toEqual([kept, before]);
    await bringIn(owner, smallNetwork());
    await db.refresh(NOW);
    expect(await rows()).toEqual(kept);
  });

  it('a change that goes on within a local day is one row with the last instant, and a new one the next day (R1)', async () => {
    await store(1, '2026-10-03 09:30+04');
    await db.refresh(ago(5));
    await store(1, '2026-10-03 08:30+04');
    await store(1, '2026-10-06 08:30+04');
    await db.refresh(NOW);
    expect(await changes()).toEqual([
      'late 1: 10-03 08 to 10-03 09',
      'late 1: 10-06 08 to 10-06 08',
    ]);
    expect(await shownAt()).toEqual([NOW, NOW]);
    const soon = new Date(NOW.getTime() + MINUTE);
    await store(1, '2026-10-06 09:30+04');
    await db.refresh(soon);
    expect(await shownAt()).toEqual([NOW, soon]);
    const tomorrow = new Date(NOW.getTime() + 24 * 60 * MINUTE);
    await store(1, '2026-10-03 07:30+04');
    await db.refresh(tomorrow);
    expect(await changes()).toEqual([
      'late 1: 10-03 07 to 10-03 07',
      'late 1: 10-03 08 to 10-03 09',
      'late 1: 10-06 08 to 10-06 09',
    ]);
    expect(await shownAt()).toEqual([NOW, soon, tomorrow]);
  });

  it('a row that shows gets an id above all that showed before (R2)', async () => {
    const newest = async () => {
      const [row] = await owner`
        select max(id)::int as id from rollup.change where shown_at is not null`;
      return row?.id;
    };
    await store(1, '2026-10-03 09:30+04');
    await db.refresh(ago(5));
    const first = await newest();
    await store(1, '2026-10-03 10:30+04');
    await db.refresh(NOW);
    expect(await newest()).toBeGreaterThan(first);
  });

  it('changes are kept for two years', async () => {
    await store(1, '2026-10-03 09:30+04');
    await db.refresh(NOW);
    await deleteOldChanges(db.target, new Date('2028-11-20T12:00:00Z'));
    expect(await changes()).toHaveLength(1);
    await deleteOldChanges(db.target, new Date('2028-11-20T12:00:01Z'));
    expect(await changes()).toEqual([]);
  });

  it('a change is open while any of its hours waits, and shows with the step that recomputes the last', async () => {
    await owner`create or replace function logic.rows_per_hour(before timestamptz) returns bigint language sql as 'select 1000000'`;
    const step = async () => {
      const [row] = await owner<[{ waiting: number }]>`
        call rollup.refresh_step(${NOW}, false, null, null)`;
      return row.waiting;
    };
    await store(1, '2026-10-03 09:30+04');
    await store(3, '2026-10-04 09:30+04');
    await bringIn(
      owner,
      smallNetwork({
        one: { is_bad_pm: [{ since: '2026-10-03T09:30', until: '2026-10-05T11:00' }] },
      }),
    );
    const seen = [];
    for (let waiting = 1; waiting > 0; ) {
      waiting = await step();
      seen.push(await changes());
    }
    expect(seen).toEqual([
      [],
      ['late 2: 10-04 09 to 10-04 09'],
      [
        'flag 1: 10-03 09 to 10-05 10',
        'late 1: 10-03 09 to 10-03 09',
        'late 2: 10-04 09 to 10-04 09',
      ],
    ]);
  });
});
