/** Values that are judged by what the network says of their sensor (S1). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { droppedValue } from '../../../src/ingest/explain.ts';
import { readBatch } from '../../../src/ingest/http/readings.ts';
import { retryQuarantined } from '../../../src/ingest/quarantine/retry.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { assignSensors } from '../../../src/ingest/store/deviceSensors.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { reading, stored, storeStaged } from '../support.ts';

const T = '2026-11-20T10:00:00Z';

/** The same values, as single precision keeps them. */
const nearly = (values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? expect.closeTo(value, 4) : value,
    ]),
  );

onEveryEngine('the instrument', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  const accept = (readings: ReadingInput[]) =>
    acceptReadings(ingest, readings, { now: NOW, source: 'test' });
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    ingest = db.as('airseries_ingest');
  });
  afterAll(() => db.drop());

  test('the end of an instrument’s range is no concentration, also in a retry and in a file (S1)', async () => {
    const sensors = (kind: string) => [
      { id: 1, kind },
      { id: 2, kind: 'PMS5003' },
    ];
    await bringIn(owner, smallNetwork({ one: { sensors: sensors('Nova SDS-011') } }));
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
    expect(await stored(owner)).toMatchObject(expected);
    expect(
      (await owner`select kind, reason from raw.quarantine order by id`).map(
        ({ kind, reason }) => `${kind} ${reason}`,
      ),
    ).toEqual(left.map((reason) => `value ${reason}`).toSorted());

    await owner`truncate raw.readings, raw.quarantine`;
    const staged = await storeStaged(ingest, [readings]);
    expect(staged).toMatchObject({ accepted: 3, refused_ordinals: [] });
    expect(staged.value_reasons).toEqual(Object.fromEntries(left.map((reason) => [reason, 1])));
    expect(await stored(owner)).toMatchObject(expected);

    await owner`truncate raw.readings, raw.quarantine`;
    await accept([reading(1, T, { pm25: 999.9 })]); // all that it has
    await accept([reading(99, T, { pm25: 999.9, pm10: 5 })]);
    await bringIn(
      owner,
      smallNetwork({ one: { sensors: [...sensors('SDS011'), { id: 99, kind: 'SDS011' }] } }),
    );
    await retryQuarantined(owner, {
      formats: READING_FORMATS,
      now: NOW,
      log: keepingLog(),
      terminal: false,
    });
    expect(await stored(owner)).toMatchObject([{ sensor_id: 99, pm25: null, pm10: 5 }]);
    const waiting = await owner`select kind, reason from raw.quarantine order by reason, kind`;
    expect(waiting).toEqual([
      { kind: 'value', reason: 'end_of_range:pm25' },
      { kind: 'value', reason: 'end_of_range:pm25' },
      { kind: 'reading', reason: 'no_value' },
    ]);
  });

  test.each<[kind: string, sent: object, left: string[], kept: object]>([
    ['HTU21D', { temperature: '-46.85', humidity: '55' }, ['temperature'], { humidity: 55 }],
    ['SHT21', { temperature: -46.849998, humidity: -6 }, ['temperature', 'humidity'], {}],
    ['HTU21', { temperature: 20, humidity: '-5.99', pm25: 3 }, ['humidity'], { temperature: 20 }],
    ['Sensirion HTU 21D', { temperature: -46.8, pm25: 3 }, ['temperature'], { pm25: 3 }],
    ['HTU21D', { temperature: -46.9, pm25: 3 }, ['temperature'], { pm25: 3 }],
    ['HTU21D', { temperature: -46.7, humidity: 0 }, [], { temperature: -46.7, humidity: 0 }],
    ['SHT31', { temperature: '-45.00', humidity: '0.00' }, ['temperature', 'humidity'], {}],
    ['SHT30', { temperature: -45, humidity: 40 }, [], { temperature: -45, humidity: 40 }],
    ['SHT3x', { temperature: 3, humidity: 0 }, [], { temperature: 3, humidity: 0 }],
    ['DS18B20', { temperature: '85.00', pm25: 3 }, ['temperature'], { pm25: 3 }],
    ['DS18B20', { temperature: -127, pm25: 3 }, ['temperature'], { pm25: 3 }],
    ['DHT22', { temperature: '0.00', humidity: '0.00' }, ['temperature', 'humidity'], {}],
    ['DHT22', { temperature: 0, humidity: 81 }, [], { temperature: 0, humidity: 81 }],
    ['DHT22', { temperature: 0 }, [], { temperature: 0 }],
    ['SDS011 + DHT22', { temperature: 0, humidity: 0, pm25: 3 }, ['temperature', 'humidity'], {}],
    ['BME280', { temperature: -46.85, humidity: 0 }, [], { temperature: -46.85, humidity: 0 }],
  ])(
    'of a %s, the values %o that say that nothing was measured are left out (S1)',
    async (kind, sent, left, kept) => {
      await bringIn(owner, smallNetwork({ one: { sensors: [{ id: 1, kind }] } }));
      const readings = [reading(1, T, { uv: 1, ...sent })];
      const stays = { uv: 1, temperature: null, humidity: null, ...kept };
      const reasons = left.map((name) => `nothing_measured:${name}`);
      await owner`truncate raw.readings, raw.quarantine`;
      const outcome = await accept(readings);
      expect(outcome.values.map(({ reason }) => reason)).toEqual(reasons);
      expect(await stored(owner)).toMatchObject([nearly(stays)]);

      await owner`truncate raw.readings, raw.quarantine`;
      const { value_reasons } = await storeStaged(ingest, [readings]);
      expect(Object.keys(value_reasons).sort()).toEqual(reasons.toSorted());
      expect(await stored(owner)).toMatchObject([nearly(stays)]);
    },
  );

  test('a value in °F that says that nothing was measured is left out after its conversion (S1, S6)', async () => {
    await bringIn(owner, smallNetwork({ one: { sensors: [{ id: 1, kind: 'HTU21D' }] } }));
    await owner`truncate raw.readings, raw.quarantine`;
    const sent = { sensor_id: 1, time: T, temperature_f: -52.33, humidity: 50 };
    const body = Buffer.from(JSON.stringify(sent));
    const { readings } = await readBatch(body, 'application/json', { now: NOW }, READING_FORMATS);
    expect((await accept([...readings])).values).toEqual([
      { index: 0, reason: 'nothing_measured:temperature' },
    ]);
  });

  test('of a value that says that nothing was measured, no other unit is hinted at', () => {
    expect(droppedValue('out_of_bounds:temperature', 85, READING_FORMATS).hint).toMatch(
      /looks like °F/,
    );
    expect(droppedValue('nothing_measured:temperature', 85, READING_FORMATS)).toEqual({
      parameter: 'temperature',
      reason: 'nothing_measured',
    });
  });

  test('PM2.5 that AirGradient corrected itself waits while a formula applies to its sensor (S5)', async () => {
    const network = (correction: string | object[], device: string) =>
      bringIn(owner, smallNetwork({ two: { sensors: [{ id: 3, device, correction }] } }));
    const body = { serialno: 'a1', pm02: 7, pm02Compensated: 5, rhum: 43, rhumCompensated: 49 };
    const push = async (values: object) => {
      const declared = { name: 'airgradient', now: NOW };
      const text = Buffer.from(JSON.stringify(values));
      const { readings } = await readBatch(text, 'application/json', declared, READING_FORMATS);
      return await accept(await assignSensors(ingest, readings, undefined, NOW));
    };
    const waiting = () => owner`select reason from raw.quarantine`;
    const retry = () =>
      retryQuarantined(owner, {
        formats: READING_FORMATS,
        now: NOW,
        log: keepingLog(),
        terminal: false,
      });
    await owner`truncate raw.readings, raw.quarantine`;
    await network('epa-2021', 'other');
    expect(await push(body)).toMatchObject({ quarantined: [{ reason: 'unknown_sensor' }] });
    await network('epa-2021', 'a1');
    for (let attempt = 0; attempt < 2; attempt++) {
      await retry();
      expect(await waiting()).toEqual([{ reason: 'corrected_already' }]);
    }
    expect(await stored(owner)).toEqual([]);
    await network([{ formula: 'epa-2021', until: '2026-11-20T11:00:00Z' }], 'a1');
    await retry();
    expect(await stored(owner)).toMatchObject([
      { sensor_id: 3, pm25_raw: 7, pm25: 5, humidity: 49 },
    ]);
    expect(await waiting()).toEqual([]);
    await owner`truncate raw.readings`;
    await network('epa-2021', 'a1');
    const { pm02Compensated: _, ...raw } = body;
    expect(await push(raw)).toMatchObject({ accepted: 1 });
  });
});
