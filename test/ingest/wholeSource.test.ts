/**
 * A source replaces the values that it has, and no others (S3, S2). Its rows with the same sensor
 * and time are put together, however far apart they stand: an empty cell withdraws what was stored
 * before the source came, and never what another row of it gives.
 */

import { describe, expect, test } from 'vitest';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { differences } from '../aggregate/differences.ts';
import { NOW } from '../support/clock.ts';
import { whereComplete } from '../support/complete.ts';
import { isAll, onEveryEngineInAll } from '../support/database.ts';
import { untilWaiting } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { send, usePushing } from './http/pushing.ts';
import { file, HOW, importText, reading, retry, useTown } from './support.ts';

const T = '2026-11-01T00:00:00.000Z';
/**
 * More rows than are read together; in test:all more than are looked at before a file ends, and
 * more than are stored together.
 */
const FILLER = Array.from(
  { length: isAll ? 60_000 : 3_000 },
  (_, n) => `2,${new Date(Date.parse(T) + n * 10_000).toISOString()},1,1,1`,
).join('\n');

type Given = { pm25?: number | null; pm10?: number | null; temperature?: number | null };
type Outcome = { accepted: number; unchanged: number; replaced?: { values: number } | null };

onEveryEngineInAll('two sources', (engine) => {
  const here = usePushing(undefined, engine);
  /** Ways to bring values in; null is left empty. */
  const WAYS: Record<string, (given: Given) => Promise<Outcome>> = {
    'a file': (given) => {
      const cells = Object.values(given).map((value) => value ?? '');
      const header = ['sensor_id', 'time', ...Object.keys(given)];
      const table = `${header}\n7,${NOW.toISOString()},${cells}\n`;
      return importText(here.database.as('airseries_ingest'), table);
    },
    'a push': async (given) => {
      const body = JSON.stringify([{ sensor_id: 7, time: NOW, ...given }]);
      return (await send(here.app, here.token, body)).body;
    },
  };
  const ways = Object.entries(WAYS);
  const stored = async () =>
    (await here.owner`select pm25, pm10, temperature from raw.readings`).map((row) => ({ ...row }));

  test.each(ways)(
    'neither of two sources takes a value of the other (S3): a push, then %s',
    async (_, then) => {
      await WAYS['a push']?.({ pm25: 5, temperature: 20 });
      const outcome = await then({ pm10: 7 });
      expect(outcome).toMatchObject({ accepted: 1, unchanged: 0 });
      expect(outcome.replaced ?? null).toBeNull();
      expect(await stored()).toEqual([{ pm25: 5, pm10: 7, temperature: 20 }]);
      expect(await then({ pm10: 7 })).toMatchObject({ accepted: 0 });
      expect((await then({ pm25: 6 })).replaced).toMatchObject({ values: 1 });
      expect(await stored()).toEqual([{ pm25: 6, pm10: 7, temperature: 20 }]);
    },
  );

  test.each(ways)('a value out of bounds takes nothing away (S2): %s', async (_, bring) => {
    await bring({ pm25: 5, pm10: 7 });
    await bring({ pm25: 9_999, pm10: 8 });
    expect(await stored()).toEqual([{ pm25: 5, pm10: 8, temperature: null }]);
    expect(await here.owner`select reason from raw.quarantine where kind = 'value'`).toEqual([
      { reason: 'out_of_bounds:pm25' },
    ]);
  });

  test.each(ways)(
    '%s withdraws the values that it leaves empty, and is refused where nothing is stored (S2, S3)',
    async (_, bring) => {
      await bring({ pm25: 5, pm10: 7, temperature: 20 });
      const outcome = await bring({ pm25: null, pm10: 8 });
      expect(outcome).toMatchObject({ accepted: 1, replaced: { values: 2 } });
      expect(await stored()).toEqual([{ pm25: null, pm10: 8, temperature: 20 }]);
      expect((await bring({ pm25: null, pm10: 8 })).replaced ?? null).toBeNull();
      const alone = await bring({ pm10: null });
      expect(alone).toMatchObject({ accepted: 1, replaced: { values: 1 } });
      expect(await bring({ pm25: null })).toMatchObject({ accepted: 0, unchanged: 0 });
      expect(await here.owner`select reason from raw.quarantine`).toEqual([{ reason: 'no_value' }]);
      expect(await bring({ temperature: null })).toMatchObject({ accepted: 1 });
      expect(await stored()).toEqual([]); // a row without a value is no reading
      expect(await differences(here.database)).toEqual([]);
    },
  );

  test('a retry from quarantine fills what is missing, and replaces nothing (S2)', async () => {
    const ahead = new Date(NOW.getTime() + 3_600_000);
    const body = [{ sensor_id: 7, time: ahead, pm25: 1, pm10: 2, humidity: '' }];
    await send(here.app, here.token, JSON.stringify(body));
    const later = here.another({ clock: () => ahead });
    const values = [{ sensor_id: 7, time: ahead, pm25: 5, temperature: 20 }];
    await send(later, here.token, JSON.stringify(values));
    expect(await retry(here.owner, {}, ahead)).toMatchObject({ retried: 1, accepted: 1 });
    expect(await stored()).toEqual([{ pm25: 5, pm10: 2, temperature: 20 }]);
  });
});

onEveryEngineInAll('a source', (engine) => {
  const town = useTown(engine);
  const stored = async () => [
    ...(await town.owner`
      select pm25, pm10, temperature from raw.readings where sensor_id = 1 order by measured_at`),
  ];
  const bring = (...texts: string[]) =>
    importReadings(
      town.ingest,
      texts.map((text, index) => file(`${index}.csv`, text)),
      HOW,
    );
  const hold = (values: object, time = T) => town.accept([reading(1, time, { ...values })]);
  const wide = (...rows: string[]) =>
    `sensor_id,time,pm25,pm10,temperature\n${rows.map((row) => row.replace('1,T', `1,${T}`)).join('\n')}\n`;

  describe.each([
    ['next to each other', []],
    ['far apart', [FILLER]],
  ])('rows %s', (apart, between) => {
    test(`rows ${apart} complete each other in any order, and withdraw what all of them leave empty`, async () => {
      const other = '2026-11-02T00:00:00Z';
      await hold({ pm25: 1, pm10: 2, temperature: 3 });
      await hold({ pm25: 9, pm10: 9 }, other);
      const first = [`1,${other},,4,`, '1,T,,8,'];
      const sparse = wide(...first, ...between, `1,${other},,,3`, '1,T,5,,', '1,T,,,');
      const summary = await bring(sparse);
      const expected = [
        { pm25: 5, pm10: 8, temperature: null },
        { pm25: null, pm10: 4, temperature: 3 },
      ];
      expect(await stored()).toEqual(expected);
      const { accepted, unchanged, received, quarantined } = summary;
      const rejected = Object.values(quarantined).reduce((sum, n) => sum + n, 0);
      expect(accepted + unchanged + rejected).toBe(received);
      expect(summary.hints).toEqual([]);
      expect(summary.replaced).toEqual({
        ...{ values: 5, oldest: '2026-11-01T00:00:00Z', newest: '2026-11-02T00:00:00Z' },
      });
      expect(await bring(sparse)).toMatchObject({ accepted: 0, replaced: null });
      expect(await stored()).toEqual(expected);
      expect(await differences(town.db)).toEqual([]);
    });

    test(`rows ${apart} withdraw nothing of a parameter whose value is out of bounds in one (S2)`, async () => {
      const times = [1, 2, 3].map((day) => `2026-11-0${day}T00:00:00.000Z`);
      for (const time of times) await hold({ pm25: 1, pm10: 2, temperature: 3 }, time);
      const rows = (...cells: string[]) => times.map((time, at) => `1,${time},${cells[at]}`);
      const [first, last] = [rows('9999,8,', ',8,', '9999,,'), rows(',,4', '9999,,4', ',8,4')];
      await bring(wide(...first, ...between, ...last));
      expect(await stored()).toEqual(times.map(() => ({ pm25: 1, pm10: 8, temperature: 4 })));
    });
  });

  test('a source contradicts itself only where a parameter has two values, and the last counts (S3, S7)', async () => {
    const summary = await bring(
      wide('1,T,5,7,', '1,T,6,7.0,', '1,T,,,9', '2,2026-11-01T01:00:00Z,1,1,1'),
    );
    expect(await stored()).toEqual([{ pm25: 6, pm10: 7, temperature: 9 }]);
    expect(summary.hints).toEqual([
      expect.stringContaining('1 row gives a parameter another value than an earlier row'),
    ]);
    expect(summary.hints[0]).toContain(`lines 2 and 3, both 1 at ${T}: pm25 5 and 6)`);
  });

  test(
    'a source may hold tables one after another, each with parameters of its own',
    whereComplete,
    async () => {
      await hold({ temperature: 3 });
      const table = (name: string, ...values: number[]) =>
        `sensor_id,time,${name}\n${values.map((value, n) => `1,2026-11-01T0${n}:00:00.000Z,${value}\n`).join('')}`;
      const summary = await bring(table('pm25', 5, 6) + table('PM10', 8, 9));
      expect(summary).toMatchObject({ received: 4, accepted: 4, hints: [] });
      expect(await stored()).toEqual([
        { pm25: 5, pm10: 8, temperature: 3 },
        { pm25: 6, pm10: 9, temperature: null },
      ]);
    },
  );

  test('a row that only withdraws counts as accepted, not as unchanged (S3)', async () => {
    await hold({ pm25: 5, temperature: 3 });
    expect(await bring(wide('1,T,5,,'))).toMatchObject({ received: 1, accepted: 1, unchanged: 0 });
    expect(await stored()).toEqual([{ pm25: 5, pm10: null, temperature: null }]);
  });

  test('readings that a source leaves without a value are deleted, and no other between them (S3)', async () => {
    const times = [1, 2, 3].map((hour) => `2026-11-01T0${hour}:00:00Z`);
    for (const time of times) await hold({ pm25: 5 }, time);
    await bring(`sensor_id,time,pm25\n1,${times[0]},\n1,${times[2]},\n`);
    expect(await stored()).toEqual([{ pm25: 5, pm10: null, temperature: null }]);
  });

  test('a reading that is deleted while a source withdraws a value of it stays deleted (S3)', async () => {
    const superuser = town.db.superuser();
    await hold({ pm25: 5, pm10: 6 });
    const end = await openTransaction(superuser, 'delete from raw.readings');
    const withdrawn = hold({ pm25: null });
    await untilWaiting(superuser);
    await end('commit');
    expect(await withdrawn).toMatchObject({ accepted: 0, quarantined: [{ reason: 'no_value' }] });
    expect(await stored()).toEqual([]);
  });

  test('a source ends with its file: an empty cell of the next file withdraws what this one gave', async () => {
    await bring(wide('1,T,5,6,7'), wide('1,T,,8,'));
    expect(await stored()).toEqual([{ pm25: null, pm10: 8, temperature: null }]);
  });
});
