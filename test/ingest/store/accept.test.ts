import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PARAMETER_NAMES } from '../../../src/contract/parameters.ts';
import type { Sql } from '../../../src/database/client.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { acceptReadings, UnauthorizedSensors } from '../../../src/ingest/store/accept.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { isAll, isRepetition, onEveryEngine } from '../../support/database.ts';
import { untilWaiting } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { smallNetwork } from '../../support/smallNetwork.ts';
import { empty, reading, stored, storeStaged, useTown } from '../support.ts';

const T = '2026-01-01T00:00:00Z';

onEveryEngine('acceptReadings', (engine) => {
  const moved = {
    id: 5,
    stations: [
      { id: 1, until: '2026-05-01T00:00Z' },
      { id: 2, since: '2026-05-01T00:00Z' },
    ],
  };
  const network = smallNetwork({
    one: { is_bad_thp: [{ since: '2026-03-01T00:00Z', until: '2026-04-01T00:00Z' }] },
    sensor: {
      suspicious: [{ since: '2026-03-10T00:00Z', until: '2026-03-11T00:00Z' }],
      stations: [{ id: 1, since: '2025-01-01T00:00Z' }],
    },
    two: { sensors: [{ id: 3 }, { id: 4, correction: 'epa-2021' }, moved] },
  });
  const town = useTown(engine, network);
  const { accept } = town;
  const quarantine = () =>
    town.owner`select source, line, kind, reason, text from raw.quarantine order by id`;

  test('every parameter is stored, and readings at no station or under suspicion are counted (P2, S2)', async () => {
    const values = Object.fromEntries(
      PARAMETER_NAMES.map((name, index) => [name, name === 'pressure' ? '101325.5' : index]),
    );
    const outcome = await accept([
      reading('1', T, values),
      reading(1, '2026-03-05T00:00:00+04:00', { pm25: 1 }),
      reading(1, '2026-03-10T23:59:59.999999Z', { pm25: 2 }),
      reading(1, '2026-03-11T00:00:00Z', { pm25: 3 }),
      reading(2, '2026-03-10T12:00:00Z', { pm25: 4 }),
      reading(1, '2024-12-31T23:59:59Z', { pm25: 5 }),
      reading(1, '2026-03-10T00:00:00Z', { pm25: 6 }),
    ]);
    const counts = { received: 7, accepted: 7, unchanged: 0, withoutStation: 3, overflowed: 0 };
    expect(outcome).toEqual({
      ...counts,
      quarantined: [],
      values: [],
      replaced: { values: 0, oldest: null, newest: null },
      looked: { doubts: [] },
    });
    const rows = await stored(town.owner);
    expect(rows[1]).toEqual({
      ...values,
      pressure: 101325.5,
      rain_total: null,
      rain_given: null,
      sensor_id: 1,
      measured_at: expect.any(String),
    });
    expect(rows.map((row) => row.pm25)).toEqual([5, values.pm25, 1, 6, 2, 3, 4]);
    expect(await differences(town.db)).toEqual([]);
    expect(
      await town.owner`select pm25 from rollup.sensor_hourly order by sensor_id, bucket`,
    ).toHaveLength(7);
    expect(await town.owner`select pm25 from rollup.station_hourly order by bucket`).toEqual(
      [values.pm25, 1, 4, 3].map((pm25) => ({ pm25 })),
    );
  });

  test('two writers of the same rows in different orders both succeed, without a deadlock', async () => {
    const superuser = town.db.superuser();
    const batch = (pm25: number) =>
      Array.from({ length: 9 }, (_, n) => reading(1, `2026-01-0${n + 1}T00:00:00Z`, { pm25 }));
    await accept(batch(1));
    const middle = "update raw.readings set pm25 = 2 where measured_at = '2026-01-05T00:00Z'";
    const end = await openTransaction(superuser, middle);
    const writers = [batch(3), batch(4).reverse()].map(async (readings) => {
      const pool = town.db.as('airseries_ingest');
      const outcome = await acceptReadings(pool, readings, { now: NOW, source: 'test' });
      await pool.end(); // the server has counted its deadlocks then; after one it was tried again
      return outcome;
    });
    await untilWaiting(superuser, { many: 2 });
    await end('rollback');
    expect(await Promise.all(writers)).toMatchObject([{ accepted: 9 }, { accepted: 9 }]);
    const counted = await superuser`
      select deadlocks from pg_stat_database where datname = current_database()`;
    expect(counted).toEqual([{ deadlocks: '0' }]);
    expect(await differences(town.db)).toEqual([]);
  });

  describe('any input', () => {
    const odd = [null, true, {}, [], 2 ** 40, '01'];
    const value = fc.constantFrom<unknown>(
      '1',
      '1.0',
      '2',
      '0.1',
      '0.10000000149',
      '5000',
      'x',
      '',
      '1e999',
      -0,
      ...odd,
    );
    const anything = fc
      .record({
        sensor: fc.constantFrom<unknown>('1', '2', 1, 2, '9', 'x', ...odd),
        time: fc.constantFrom<unknown>(
          T,
          '2026-01-01T00:00:00.000+00:00',
          '2026-03-10T01:00:00Z',
          '2026-01-01',
          '1999-01-01T00:00:00Z',
          '2030-01-01T00:00:00Z',
          1_763_640_000,
          null,
        ),
        pm25: value,
        pm10: value,
      })
      .map(({ sensor, time, pm25, pm10 }) => reading(sensor, time, { pm25, pm10 }));

    test('any input adds up to accepted + unchanged + quarantined, and is stored the same by a push and by a file', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anything, { minLength: 1, maxLength: 30 }),
          fc.array(fc.nat(30)),
          async (readings, cuts) => {
            await empty(town.owner);
            const whole = await accept(readings);
            expect(whole.accepted + whole.unchanged + whole.quarantined.length).toBe(
              readings.length,
            );
            const atOnce = [await stored(town.owner), (await quarantine()).length];

            const again = await accept(readings);
            expect(again.replaced.values).toBe(0);
            expect([await stored(town.owner), (await quarantine()).length]).toEqual(atOnce);

            await empty(town.owner);
            const ends = [...cuts.filter((cut) => cut < readings.length), readings.length].sort(
              (a, b) => a - b,
            );
            const parts = ends.map((end, index) => readings.slice(ends[index - 1] ?? 0, end));
            const staged = await storeStaged(town.ingest, parts);
            expect(staged).toMatchObject({
              received: readings.length,
              accepted: whole.accepted,
              unchanged: whole.unchanged,
              replaced: 0,
              withdrawn: 0,
            });
            const reasons = whole.quarantined.map(({ index, reason }) => [index + 1, reason]);
            expect(
              staged.refused_ordinals.map((one, n) => [one, staged.refused_reasons[n]]),
            ).toEqual(reasons);
            expect([await stored(town.owner), (await quarantine()).length]).toEqual(atOnce);
          },
        ),
        { numRuns: isAll ? 25 : 10 },
      );
    });
  });

  if (isRepetition(engine)) return;

  test('a reading is stored without its unusable values, which are recorded', async () => {
    const odd = reading(
      '1',
      T,
      { temperature: '60.5', humidity: 'wet', wind_direction: '360', pm10: '7' },
      12,
    );
    expect(await accept([odd, odd])).toMatchObject({
      accepted: 1,
      unchanged: 1,
      quarantined: [],
      values: [
        { index: 0, reason: 'out_of_bounds:temperature' },
        { index: 0, reason: 'unreadable:humidity' },
        { index: 1, reason: 'out_of_bounds:temperature' },
        { index: 1, reason: 'unreadable:humidity' },
      ],
    });
    expect(await accept([odd])).toMatchObject({ accepted: 0, unchanged: 1 });
    expect(await stored(town.owner)).toMatchObject([
      { temperature: null, humidity: null, wind_direction: 0, pm10: 7 },
    ]);
    expect(await quarantine()).toEqual([
      {
        source: 'test',
        line: '12',
        kind: 'value',
        reason: 'out_of_bounds:temperature',
        text: odd.text,
      },
      { source: 'test', line: '12', kind: 'value', reason: 'unreadable:humidity', text: odd.text },
    ]);
  });

  test.each<[string, ReadingInput]>([
    ['unknown_sensor', reading(99, T, { pm25: 1 })],
    ['unknown_sensor', reading('1e0', T, { pm25: 1 })],
    ['unknown_sensor', reading(99_999_999_999, 'no time', {})],
    ['unreadable_time', reading(1, '2026-01-01T00:00:00', { pm25: 1 })],
    ['unreadable_time', reading(1, 1767225600, { pm25: 1 })],
    ['no_value', reading(1, T, {})],
    ['in_the_future', reading(1, '2026-11-20T12:05:00.001Z', { pm25: 1 })],
    ['before_epoch', reading(1, '1999-12-31T23:59:59+04:00', { pm25: 1 })],
    // the same whether or not another reading of the batch has the parameter that it leaves empty
    ['before_epoch', reading(1, '1999-12-31T23:59:59+04:00', { pm25: {} })],
    [
      'unreadable_line',
      { sensorId: undefined, measuredAt: undefined, values: {}, text: 'x\0y\nz', unreadable: true },
    ],
  ])('an unusable reading is quarantined: %s', async (reason, bad) => {
    const good = reading(2, T, { pm25: 1 });
    const outcome = await accept([good, bad, { ...good }, bad]);
    expect(outcome).toMatchObject({ received: 4, accepted: 1, unchanged: 1, values: [] });
    expect(outcome.quarantined).toEqual([
      { index: 1, reason },
      { index: 3, reason },
    ]);
    expect(await quarantine()).toMatchObject([
      { kind: 'reading', reason, text: bad.text.replace(/[\0\n]/g, '\ufffd') },
    ]);
    await accept([bad]);
    expect(await quarantine()).toHaveLength(1);
  });

  test('the last instant that is not in the future and the first of the epoch are accepted (Z1)', async () => {
    const outcome = await accept([
      reading(1, '2026-11-20T12:05:00Z', { pm25: 1 }),
      reading(1, '2000-01-01T00:00:00+04:00', { pm25: 1 }),
    ]);
    expect(outcome.accepted).toBe(2);
  });

  test('a reading from the cutoff on is accepted, and the cutoff cannot be raised until it is stored (S2)', async () => {
    await town.owner`update raw.installation set ingest_cutoff = ${T}`;
    const outcome = await accept([
      reading(1, T, { pm25: 1 }),
      reading(1, '2025-12-31T23:59:59.999999Z', { pm25: 1 }),
    ]);
    expect(outcome).toMatchObject({
      accepted: 1,
      quarantined: [{ index: 1, reason: 'older_than_retention' }],
    });
    await town.ingest.begin(async (storing) => {
      await acceptReadings(storing as unknown as Sql, [reading(2, T, { pm25: 1 })], {
        now: NOW,
        source: 'test',
      });
      const raised = town.owner.begin(async (sql) => {
        await sql`set local lock_timeout = '50ms'`;
        await sql`call logic.raise_ingest_cutoff('2026-02-01')`;
      });
      await expect(raised).rejects.toThrow('lock timeout');
    });
    await town.owner`update raw.installation set ingest_cutoff = '-infinity'`;
  });

  test('a refused reading without a value withdraws nothing: in the future, outdated or too old (S2)', async () => {
    await accept([reading(1, T, { pm25: 5 })]);
    const early = { now: new Date(Date.parse(T) - 3_600_000), source: 'test' };
    const empty = reading(1, T, { pm25: '' });
    expect(await acceptReadings(town.ingest, [empty], early)).toMatchObject({
      quarantined: [{ reason: 'in_the_future' }],
    });
    expect(await accept([{ ...empty, isOutdated: true }])).toMatchObject({
      quarantined: [{ reason: 'outdated' }],
    });
    await town.owner`update raw.installation set ingest_cutoff = ${NOW}`;
    expect(await accept([empty])).toMatchObject({
      quarantined: [{ reason: 'older_than_retention' }],
    });
    await town.owner`update raw.installation set ingest_cutoff = '-infinity'`;
    expect(await stored(town.owner)).toMatchObject([{ pm25: 5 }]);
  });

  test('the closed hours that a batch wrote to are counted (S4)', async () => {
    const lateHours: number[] = [];
    const times = ['10:00', '11:00', '11:59', '12:00', '12:01'].map(
      (time) => `2026-11-20T${time}:00Z`,
    );
    await acceptReadings(
      town.ingest,
      times.map((time) => reading(1, time, { pm25: 1 })),
      {
        now: new Date('2026-11-20T12:01:00Z'),
        source: 'test',
        onWrite: (written) => lateHours.push(written.lateHours),
      },
    );
    expect(lateHours).toEqual([2]);
  });

  test('a batch for new values only replaces nothing, and the last of two new readings counts', async () => {
    const onlyNew = (readings: ReadingInput[]) =>
      acceptReadings(town.ingest, readings, { now: NOW, source: 'test', onlyNew: true });
    await accept([reading(1, T, { pm25: 5 })]);
    expect(await onlyNew([reading(1, T, { pm25: 6 })])).toMatchObject({
      accepted: 0,
      unchanged: 1,
    });
    // what it leaves empty stays, and what is missing is filled in
    const outcome = await onlyNew([reading(1, T, { pm25: '', pm10: 3 })]);
    expect(outcome).toMatchObject({ accepted: 1, replaced: { values: 0 } });
    expect(await stored(town.owner)).toMatchObject([{ pm25: 5, pm10: 3 }]);
    await town.owner`update raw.readings set pm10 = null`;
    const two = [1, 2].map((pm25) => reading(2, T, { pm25 }));
    expect(await onlyNew(two)).toMatchObject({ accepted: 1, unchanged: 1 });
    expect((await stored(town.owner)).map(({ pm25 }) => pm25)).toEqual([5, 2]);
  });

  test('a sender may send what its station measured, and nothing from after a sensor has left it', async () => {
    const scope = { provider: 'us', stations: [1] };
    const send = (time: string) =>
      acceptReadings(town.ingest, [reading(5, time, { pm25: 1 })], {
        now: NOW,
        source: 'test',
        scope,
      });
    expect(await send('2026-04-30T23:59:59Z')).toMatchObject({ accepted: 1 });
    await expect(send('2026-05-01T00:00:00Z')).rejects.toThrow(UnauthorizedSensors);
  });
});
