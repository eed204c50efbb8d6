/** Values that are judged by what the network says of their sensor (S1). */

import { expect, test } from 'vitest';
import { READING_COLUMNS } from '../../../src/contract/parameters.ts';
import { droppedValue } from '../../../src/ingest/explain.ts';
import { readBatch } from '../../../src/ingest/http/readings.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { assignSensors } from '../../../src/ingest/store/deviceSensors.ts';
import { instrumentOf, mayBeNoMeasurement } from '../../../src/ingest/store/instruments.ts';
import { checkReading, latestAcceptable } from '../../../src/ingest/store/validate.ts';
import { NOW } from '../../support/clock.ts';
import { whereComplete } from '../../support/complete.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { reading, retry, stored, storeStaged, useTown } from '../support.ts';

const T = '2026-11-20T10:00:00Z';

const ALL = READING_COLUMNS.filter(({ name }) =>
  ['temperature', 'humidity', 'pm25'].includes(name),
);

test.each<[kind: string, sent: object, left: string[]]>([
  ['HTU21D', { temperature: '-46.85', humidity: '55' }, ['temperature']],
  ['SHT21', { temperature: -46.849998, humidity: -6 }, ['temperature', 'humidity']],
  ['HTU21', { temperature: 20, humidity: '-5.99', pm25: 3 }, ['humidity']],
  ['Sensirion HTU 21D', { temperature: -46.8, pm25: 3 }, ['temperature']],
  ['HTU21D', { temperature: -46.9, pm25: 3 }, ['temperature']],
  ['HTU21D', { temperature: -46.7, humidity: 0 }, []],
  ['SHT31', { temperature: '-45.00', humidity: '0.00' }, ['temperature', 'humidity']],
  ['SHT30', { temperature: -45, humidity: 40 }, []],
  ['SHT3x', { temperature: 3, humidity: 0 }, []],
  ['DS18B20', { temperature: '85.00', pm25: 3 }, ['temperature']],
  ['DS18B20', { temperature: -127, pm25: 3 }, ['temperature']],
  ['DHT22', { temperature: '0.00', humidity: '0.00' }, ['temperature', 'humidity']],
  ['DHT22', { temperature: 0, humidity: 81 }, []],
  ['DHT22', { temperature: 0 }, []],
  ['SDS011 + DHT22', { temperature: 0, humidity: 0, pm25: 3 }, ['temperature', 'humidity']],
  ['BME280', { temperature: -46.85, humidity: 0 }, []],
])(
  'of a %s, the values %o that say that nothing was measured are left out (S1)',
  (kind, sent, left) => {
    const facts = new Map([[1, { instrument: instrumentOf(kind), countsRain: false }]]);
    const { rejected } = checkReading(
      reading(1, T, { ...sent }),
      ALL,
      latestAcceptable(NOW),
      facts,
    );
    const inOrder = ALL.map(({ name }) => name).filter((name) => left.includes(name));
    expect(rejected.filter((reason) => !reason.startsWith('out_of'))).toEqual(
      inOrder.map((name) => `nothing_measured:${name}`),
    );
    // or its sensor is not looked up
    if (left.length > 0) expect(mayBeNoMeasurement(sent)).toBe(true);
  },
);

test(
  'of a value that says that nothing was measured, no other unit is hinted at',
  whereComplete,
  () => {
    expect(droppedValue('out_of_bounds:temperature', 85, READING_FORMATS).hint).toMatch(/like °F/);
    expect(droppedValue('nothing_measured:temperature', 85, READING_FORMATS)).toEqual({
      ...{ parameter: 'temperature', reason: 'nothing_measured' },
    });
  },
);

onEveryEngineInAll('the instrument', (engine) => {
  const town = useTown(engine);
  const accept = (readings: readonly ReadingInput[]) => town.accept(readings);

  test('the end of an instrument’s range is no concentration, also in a retry and in a file (S1)', async () => {
    const sensors = (kind: string) => [
      { id: 1, kind },
      { id: 2, kind: 'PMS5003' },
    ];
    await bringIn(town.owner, smallNetwork({ one: { sensors: sensors('Nova SDS-011') } }));
    const values = { pm25: '999.9', pm25_raw: 1_000, pm10: '1999.9', temperature: '20' };
    const most = { pm25: '999.8', pm25_raw: 999.8, pm10: '1999.8' };
    const readings = [
      reading(1, T, values, 1),
      reading(1, '2026-11-20T10:01:00Z', most, 2),
      reading(2, T, values, 3),
    ];
    const left = ['pm25', 'pm25_raw', 'pm10'].map((name) => `end_of_range:${name}`);
    const expected = [
      { sensor_id: 1, pm25: null, pm25_raw: null, pm10: null, temperature: 20 },
      { sensor_id: 1, pm25: 999.8, pm25_raw: 999.8, pm10: 1999.8 },
      { sensor_id: 2, pm25: 999.9, pm25_raw: 1000, pm10: 1999.9, temperature: 20 },
    ];
    const outcome = await accept(readings);
    expect(outcome).toMatchObject({ accepted: 3, quarantined: [] });
    expect(outcome.values).toEqual(left.map((reason) => ({ index: 0, reason })));
    expect(await stored(town.owner)).toMatchObject(expected);
    expect(
      (await town.owner`select kind, reason from raw.quarantine order by id`).map(
        ({ kind, reason }) => `${kind} ${reason}`,
      ),
    ).toEqual(left.map((reason) => `value ${reason}`).toSorted());

    await town.owner`truncate raw.readings, raw.quarantine`;
    const staged = await storeStaged(town.ingest, [readings]);
    expect(staged).toMatchObject({ accepted: 3, refused_ordinals: [] });
    expect(staged.value_reasons).toEqual(Object.fromEntries(left.map((reason) => [reason, 1])));
    expect(await stored(town.owner)).toMatchObject(expected);

    await town.owner`truncate raw.readings, raw.quarantine`;
    await accept([reading(1, T, { pm25: 999.9 })]); // all that it has
    await accept([reading(99, T, { pm25: 999.9, pm10: 5 })]);
    await bringIn(
      town.owner,
      smallNetwork({ one: { sensors: [...sensors('SDS011'), { id: 99, kind: 'SDS011' }] } }),
    );
    await retry(town.owner);
    expect(await stored(town.owner)).toMatchObject([{ sensor_id: 99, pm25: null, pm10: 5 }]);
    const waiting = await town.owner`select kind, reason from raw.quarantine order by reason, kind`;
    expect(waiting).toEqual([
      { kind: 'value', reason: 'end_of_range:pm25' },
      { kind: 'value', reason: 'end_of_range:pm25' },
      { kind: 'reading', reason: 'no_value' },
    ]);
  });

  test(
    'PM2.5 that AirGradient corrected itself waits while a formula applies to its sensor (S5)',
    whereComplete,
    async () => {
      const network = (correction: string | object[], device: string) =>
        bringIn(town.owner, smallNetwork({ two: { sensors: [{ id: 3, device, correction }] } }));
      const body = { serialno: 'a1', pm02: 7, pm02Compensated: 5, rhum: 43, rhumCompensated: 49 };
      const push = async (values: object) => {
        const declared = { name: 'airgradient', now: NOW };
        const text = Buffer.from(JSON.stringify(values));
        const { readings } = await readBatch(text, 'application/json', declared, READING_FORMATS);
        return await accept(await assignSensors(town.ingest, readings, undefined, NOW));
      };
      const waiting = () => town.owner`select reason from raw.quarantine`;
      await town.owner`truncate raw.readings, raw.quarantine`;
      await network('epa-2021', 'other');
      expect(await push(body)).toMatchObject({ quarantined: [{ reason: 'unknown_sensor' }] });
      await network('epa-2021', 'a1');
      for (let attempt = 0; attempt < 2; attempt++) {
        await retry(town.owner);
        expect(await waiting()).toEqual([{ reason: 'corrected_already' }]);
      }
      expect(await stored(town.owner)).toEqual([]);
      await network([{ formula: 'epa-2021', until: '2026-11-20T11:00:00Z' }], 'a1');
      await retry(town.owner);
      expect(await stored(town.owner)).toMatchObject([
        { sensor_id: 3, pm25_raw: 7, pm25: 5, humidity: 49 },
      ]);
      expect(await waiting()).toEqual([]);
      await town.owner`truncate raw.readings`;
      await network('epa-2021', 'a1');
      const { pm02Compensated: _, ...raw } = body;
      expect(await push(raw)).toMatchObject({ accepted: 1 });
    },
  );
});
