/** Gauges that count up (A6): the total is kept, and the amount is derived from the one before. */

import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { maintain } from '../../../src/aggregate/refresh.ts';
import { deleteExpired } from '../../../src/aggregate/retention.ts';
import { readBatch } from '../../../src/ingest/http/readings.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { deleteReadings } from '../../../src/ingest/store/deleteReadings.ts';
import { assignSensors } from '../../../src/ingest/store/deviceSensors.ts';
import { removeElement } from '../../../src/network/removeElement.ts';
import { differences } from '../../aggregate/differences.ts';
import { HOUR, withAmounts } from '../../aggregate/literal.ts';
import { NOW } from '../../support/clock.ts';
import { whereComplete } from '../../support/complete.ts';
import { isRepetition, onEveryEngine } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { lockWaits } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { until } from '../../support/patience.ts';
import { seeded } from '../../support/random.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { file, HOW, reading, retry, stored, useTown } from '../support.ts';

const START = Date.parse('2026-06-01T00:00:00Z');
const at = (hours: number) => new Date(START + hours * HOUR).toISOString();

onEveryEngine('totals of rain', (engine) => {
  const network = smallNetwork({
    sensor: { rain: 'total' },
    two: { sensors: [{ id: 3, device: 'garden' }] },
  });
  const town = useTown(engine, network);
  const accept = (...readings: ReadingInput[]) => town.accept(readings);
  const total = (hours: number, rain: unknown, sensor = 1) => reading(sensor, at(hours), { rain });
  const amounts = async () => (await stored(town.owner)).map(({ rain }) => rain as number | null);
  const push = async (body: unknown, name = 'home-assistant') => {
    const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const { readings } = await readBatch(
      text,
      type,
      { name, now: NOW, device: 'garden' },
      READING_FORMATS,
    );
    return accept(...(await assignSensors(town.ingest, readings, undefined, NOW)));
  };

  test('rain totals give the difference, the total itself after a reset, and nothing after 24 hours (A6)', async () => {
    await accept(
      total(0, 1200),
      total(1, 1200.5),
      total(2, 0.25),
      total(26, 1.25),
      total(50.01, 9),
      total(51, '9'),
      total(52, 600),
      total(2, 7, 2), // sensor 2 sends amounts
    );
    expect(await amounts()).toEqual([null, 0.5, 0.25, 1, null, 0, null, 7]);
    expect((await stored(town.owner)).map(({ rain_total }) => rain_total)).toEqual([
      1200,
      1200.5,
      0.25,
      1.25,
      9,
      9,
      600,
      null,
    ]);
    expect(await differences(town.db)).toEqual([]);
    expect(
      await town.owner`select rain from rollup.sensor_hourly where sensor_id = 1 order by bucket limit 4`,
    ).toEqual([null, 0.5, 0.25, 1].map((rain) => ({ rain })));
  });

  test('the later of two writers at once sees the rain total of the earlier (A6)', async () => {
    await accept(total(0, 9));
    const end = await openTransaction(
      town.owner,
      `select from raw.rain_gauge where sensor_id = 1 for update;
      insert into raw.readings (measured_at, sensor_id, rain, rain_total) values ('${at(1)}', 1, 1, 10)`,
    );
    const later = accept(total(2, 12));
    const watcher = town.db.superuser();
    const isWaiting = async () => (await lockWaits(watcher, { at: 'store_readings' })).length > 0;
    const over = later.then(() => 'stored');
    await until(async () => (await Promise.race([over, isWaiting()])) !== false, 'a writer waits');
    await end('commit');
    await later;
    expect(await amounts()).toEqual([null, 1, 2]);
  });

  test('rain totals give the same amounts late, repeated, corrected, withdrawn or deleted as in order (A6, S3)', async () => {
    const random = seeded(3);
    const given = new Map<number, number | undefined>();
    for (let round = 0; round < 20; round++) {
      const inBatch = new Set<number>();
      const batch = Array.from({ length: 1 + random.below(6) }, () => {
        const hour = random.below(160) * 0.75;
        const kind = random.next();
        // one that has no rain leaves the total as it is, an empty one withdraws it (S3)
        if (kind < 0.1) {
          if (!given.has(hour)) given.set(hour, undefined);
          return reading(1, at(hour), { temperature: random.below(20) });
        }
        const rain = kind < 0.2 ? undefined : random.below(40) / 4;
        // and never what another row of its own batch gives
        if (rain !== undefined) inBatch.add(hour);
        if (rain !== undefined || !inBatch.has(hour)) given.set(hour, rain);
        return reading(1, at(hour), { rain: rain ?? '', temperature: random.below(20) });
      });
      await accept(...batch);
      if (round % 5 === 4) {
        const from = random.below(100);
        const to = from + random.below(30);
        await deleteReadings(town.owner, {
          sensor: 1,
          from: new Date(at(from)),
          to: new Date(at(to)),
        });
        for (const hour of given.keys()) if (hour >= from && hour < to) given.delete(hour);
      }
      if (round % 10 === 9) {
        expect(await differences(town.db)).toEqual([]); // the refresh knows of every derived amount
        await maintain(town.db.target, NOW);
      }
      const expected = withAmounts(
        [...given].map(([hour, rain]) => ({
          at: START + hour * HOUR,
          sensor: 1,
          values: rain === undefined ? {} : { rain_total: rain },
        })),
      );
      expect(await amounts(), `round ${round}`).toEqual(
        expected.map(({ values }) => values.rain ?? null),
      );
    }
    const before = await stored(town.owner);
    const temperatures = new Map(before.map((row) => [Date.parse(row.measured_at), row]));
    const again = [...given].map(([hour, rain]) =>
      reading(1, at(hour), {
        rain: rain ?? '',
        temperature: temperatures.get(Date.parse(at(hour)))?.temperature,
      }),
    );
    expect(await accept(...again)).toMatchObject({ accepted: 0, unchanged: again.length });
    expect(await stored(town.owner)).toEqual(before);
  });

  describe('at the edge of retention (A6)', () => {
    // the first of October in Yerevan
    const edge = Date.parse('2026-09-30T20:00:00Z');
    const from = (minutes: number, values: ReadingInput['values']) =>
      reading(1, new Date(edge + minutes * 60_000).toISOString(), values);
    const kept = async () =>
      (
        await town.owner`select rain from raw.readings where sensor_id = 1 order by measured_at limit 3`
      ).map(({ rain }) => Math.round(rain * 1e3) / 1e3);
    const expire = () =>
      deleteExpired(town.db.target, () => NOW, '40 days', { log: keepingLog(), apply: true });
    beforeEach(async () => {
      await town.owner`truncate raw.rain_gauge, rollup.expired_month`;
      await town.owner`update raw.installation set retained_from = '-infinity', ingest_cutoff = '-infinity'`;
      await accept(
        from(-1_500, { rain: 90 }),
        from(-60, { rain: 99.5 }),
        from(30, { rain: 100 }),
        from(180, { rain: 101 }),
        from(70_000, { rain: 110 }),
        reading(2, at(0), { pm25: 1 }),
      );
      await expire();
      // TimescaleDB drops a chunk only once all of it has expired
      await town.owner`delete from raw.readings where measured_at < ${new Date(edge)}`;
      expect(await kept()).toEqual([0.5, 1, expect.anything()]);
    });
    afterAll(async () => {
      await town.owner`truncate raw.rain_gauge`;
      await town.owner`update raw.installation set retained_from = '-infinity', ingest_cutoff = '-infinity'`;
    });

    test('repeated rain totals, and other parameters, change no amount at the edge of retention', async () => {
      const again = [from(30, { rain: 100 }), from(180, { rain: 101 })];
      expect(await accept(...again)).toMatchObject({ accepted: 0, unchanged: 2 });
      expect(await accept(from(30, { temperature: 5 }))).toMatchObject({ accepted: 1 });
      await expire(); // there is nothing more to delete
      await accept(from(30, { temperature: 6 }));
      expect((await kept()).slice(0, 2)).toEqual([0.5, 1]);
      expect(await differences(town.db)).toEqual([]);
    });

    test('late and corrected rain totals give the amounts of totals in order, at the edge of retention', async () => {
      await accept(from(10, { rain: 99.75 }));
      expect(await kept()).toEqual([0.25, 0.25, 1]);
      await accept(from(30, { rain: 100.5 }));
      expect(await kept()).toEqual([0.25, 0.75, 0.5]);
      await accept(from(10, { rain: '', temperature: 1 }));
      await accept(from(30, { rain: 99.25 })); // below the deleted one: the gauge began anew
      expect((await kept()).slice(1)).toEqual([99.25, 1.75]);
      expect(await differences(town.db)).toEqual([]);
    });
  });

  if (isRepetition(engine)) return;

  test(
    'files have rain totals of a declared sensor or in a column rain_total, and may be read again (A6)',
    whereComplete,
    async () => {
      const rows = [1000, 1000.5, 2, 2].map(
        (rain, n) => `1,${at(n)},${rain}\n3,${at(n)},${rain}\n`,
      );
      const bring = (name: string, header: string) =>
        importReadings(town.ingest, [file(name, `${header}\n${rows.join('')}`)], HOW);
      expect(await bring('a.csv', 'sensor_id,time,rain')).toMatchObject({
        accepted: 6,
        quarantined: { no_value: 2 }, // of sensor 3, whose rain is the amount
        values: { 'out_of_bounds:rain': 2 },
      });
      expect(await amounts()).toEqual([null, 0.5, 2, 0, 2, 2]);
      expect(await bring('b.csv', 'sensor_id,time,rain_total')).toMatchObject({
        accepted: 4,
        unchanged: 4,
      });
      expect(await amounts()).toEqual([null, 0.5, 2, 0, null, 0.5, 2, 0]);

      const before = await stored(town.owner);
      const csv = before.map(
        ({ sensor_id, measured_at, rain, rain_total }) =>
          `${sensor_id},${measured_at},${rain ?? ''},${rain_total}\n`,
      );
      await town.owner`truncate raw.readings`;
      const path = file('dump.csv', `sensor_id,measured_at,rain,rain_total\n${csv.join('')}`);
      expect(await importReadings(town.ingest, [path], HOW)).toMatchObject({ accepted: 8 });
      // the amount that stood beside a total is not in a table of totals
      expect(await stored(town.owner)).toEqual(before.map((row) => ({ ...row, rain_given: null })));
    },
  );

  test(
    'rain without a time of its own is left out with its reason, also after waiting for its sensor (A6, S3)',
    whereComplete,
    async () => {
      const body = { device: 'garden', rain: 2, temperature: 5 };
      expect(await push(body)).toMatchObject({
        accepted: 1,
        values: [{ index: 0, reason: 'no_time:rain' }],
      });
      expect(await stored(town.owner)).toMatchObject([
        { rain: null, rain_total: null, temperature: 5 },
      ]);
      expect(await town.owner`select kind, reason from raw.quarantine`).toEqual([
        { kind: 'value', reason: 'no_time:rain' },
      ]);
      await town.owner`truncate raw.readings, raw.quarantine`;
      const { readings } = await readBatch(
        Buffer.from(JSON.stringify({ ...body, device: 'roof' })),
        'application/json',
        { name: 'airseries', now: NOW },
        READING_FORMATS,
      );
      await accept(...(await assignSensors(town.ingest, readings, undefined, NOW)));
      await town.owner`update raw.sensor set device = 'roof' where id = 3`;
      await retry(town.owner);
      await town.owner`update raw.sensor set device = 'garden' where id = 3`;
      expect(await stored(town.owner)).toMatchObject([{ rain: null, temperature: 5 }]);
    },
  );

  test('an amount of rain counts where no amount follows from the total of another source (A6, S3)', async () => {
    const sources = [
      [0, 1, 40].map((hour) => reading(3, at(hour), { rain: hour + 1 })),
      [0, 1, 40].map((hour) => reading(3, at(hour), { rain_total: 100 + hour / 2 })),
    ];
    for (const order of [sources, sources.toReversed()]) {
      await town.owner`truncate raw.readings`;
      for (const source of order) await accept(...source);
      expect(await amounts()).toEqual([1, 0.5, 41]);
      for (const source of order)
        expect(await accept(...source)).toMatchObject({ accepted: 0, unchanged: 3 });
      await accept(...[0, 1, 40].map((hour) => reading(3, at(hour), { temperature: 5 })));
      expect(await amounts()).toEqual([1, 0.5, 41]);
    }
    await accept(reading(3, at(0), { rain: '' }), reading(3, at(1), { rain_total: '' }));
    expect(await amounts()).toEqual([null, 2, 41]);
    expect((await stored(town.owner)).map(({ rain_total }) => rain_total)).toEqual([
      100,
      null,
      120,
    ]);
    await accept(reading(3, at(0), { rain: 9, rain_total: '' }));
    expect((await amounts())[0]).toBe(9);
    expect(await differences(town.db)).toEqual([]);
  });

  test('sensors with rain totals are declared in the network file, and exported with it', async () => {
    const [row] = await town.owner`select logic.network_file() as network`;
    const sensors = row?.network.stations.flatMap(
      (station: { sensors: object[] }) => station.sensors,
    );
    expect(sensors).toEqual([{ id: 1, rain: 'total' }, { id: 2 }, { id: 3, device: 'garden' }]);
  });

  test('the first rain amount of a moved gauge does not come from a station that was removed (A6)', async () => {
    const here = {
      id: 1,
      rain: 'total',
      stations: [
        { id: 1, until: at(3) },
        { id: 2, since: at(3) },
      ],
    };
    await bringIn(town.owner, smallNetwork({ one: { sensors: [here] } }));
    await accept(...[10, 11, 12, 14, 15].map((rain, hour) => total(hour, rain)));
    expect(await amounts()).toEqual([null, 1, 1, 2, 1]);
    expect(await removeElement(town.owner, 'station', '1', true)).toMatchObject({ readings: 3 });
    expect(await amounts()).toEqual([null, 1]);
    expect(await differences(town.db)).toEqual([]);
  });
});
