/** Which sensor each value is assigned to, and what is kept of values that belong to none. */
import { expect, test } from 'vitest';
import {
  type PushRecord,
  type PushSensor,
  pushFromText,
  readingsOfPush,
  readPushedValues,
} from '../../../src/ingest/formats/airrohr.ts';

const AT = '2026-11-20T12:00:00Z';
const value = (value_type: string, value: unknown) => ({ value_type, value });
const record = (values: PushRecord['values'], pin: string | null = null): PushRecord => ({
  device: 'esp8266-12345678',
  pin,
  measuredAt: AT,
  values,
});
const sensor = (id: number, kind: string | null): PushSensor => ({ id, kind });

const PM = [value('SDS_P1', '66.04'), value('SDS_P2', '53.32')];
const WEATHER = [
  value('BME280_temperature', '21.90'),
  value('BME280_pressure', '99312.25'),
  value('BME280_humidity', '41.05'),
];
const REST = [value('samples', '823214'), value('signal', '-66')];
const BODY = record([...PM, ...WEATHER, ...REST]);

const assigned = (given: PushRecord, sensors: PushSensor[]) =>
  readingsOfPush(given, sensors).map(({ sensorId, values }) => [sensorId, Object.keys(values)]);

test('assigns each value, unchanged, to the sensor of its kind', () => {
  expect(
    readingsOfPush(BODY, [sensor(1, 'SDS011'), sensor(2, 'bme-280'), sensor(3, null)]),
  ).toEqual([
    {
      sensorId: 1,
      measuredAt: AT,
      values: { pm10: '66.04', pm25: '53.32' },
      text: `{"sensor_id":1,"measured_at":"${AT}","pm10":"66.04","pm25":"53.32"}`,
    },
    {
      sensorId: 2,
      measuredAt: AT,
      values: { temperature: '21.90', pressure: '99312.25', humidity: '41.05' },
      text: `{"sensor_id":2,"measured_at":"${AT}","temperature":"21.90","pressure":"99312.25","humidity":"41.05"}`,
    },
  ]);
});

test('assigns what fits no other sensor to one without a kind, as one reading', () => {
  expect(assigned(BODY, [sensor(3, null)])).toEqual([
    [3, ['pm10', 'pm25', 'temperature', 'pressure', 'humidity']],
  ]);
  expect(assigned(BODY, [sensor(1, 'BME280'), sensor(3, null)])).toEqual([
    [3, ['pm10', 'pm25']],
    [1, ['temperature', 'pressure', 'humidity']],
  ]);
  const two = record([...WEATHER, value('temperature', '30')]);
  expect(readingsOfPush(two, [sensor(3, null)])[0]?.values.temperature).toBe('21.90');
});

test('keeps unassigned values together, so that they can be retried once the network has their sensors', () => {
  for (const sensors of [[], [sensor(4, 'DHT22')], [sensor(3, null), sensor(4, null)]]) {
    const [unassigned, ...more] = readingsOfPush(BODY, sensors);
    expect(more).toEqual([]);
    expect(unassigned).toEqual({
      sensorId: undefined,
      measuredAt: AT,
      values: {},
      text: expect.any(String),
    });
    expect(unassigned?.text).toBe(
      `{"device":"esp8266-12345678","pin":null,"measured_at":"${AT}","sensordatavalues":${JSON.stringify([...PM, ...WEATHER])}}`,
    );
    const again = pushFromText(unassigned?.text ?? '') as PushRecord;
    expect(again).toEqual(record([...PM, ...WEATHER]));
    expect(readingsOfPush(again, [sensor(1, 'SDS011'), sensor(2, 'BME280')])).toEqual(
      readingsOfPush(BODY, [sensor(1, 'SDS011'), sensor(2, 'BME280')]),
    );
  }
});

test('does not guess between two sensors that fit', () => {
  expect(assigned(BODY, [sensor(1, 'SDS011'), sensor(5, 'SDS011'), sensor(2, 'BME280')])).toEqual([
    [2, ['temperature', 'pressure', 'humidity']],
    [undefined, []],
  ]);
});

test('uses the pin to tell which instrument names without a prefix are of', () => {
  const values = [value('P1', '1'), value('P2', '2'), value('temperature', '3')];
  expect(assigned(record(values, '1'), [sensor(1, 'SDS011')])).toEqual([
    [1, ['pm10', 'pm25', 'temperature']],
  ]);
  const [unassigned] = readingsOfPush(record(values, '1'), []);
  expect(pushFromText(unassigned?.text ?? '')).toEqual(record(values, '1'));
  expect(assigned(record(values), [sensor(4, 'DHT22')])).toEqual([[4, ['temperature']]]);
  expect(assigned(record(values, '5'), [sensor(4, null)])).toEqual([]);
});

test('makes no reading of a body without a parameter', () =>
  expect(readingsOfPush(record(REST), [])).toEqual([]));

test('reads the list of values, and skips malformed ones', () => {
  const nested = JSON.parse('['.repeat(30_000) + ']'.repeat(30_000));
  expect(
    readPushedValues({
      sensordatavalues: [...PM, null, 7, 'x', [], { value_type: 1 }, value('SDS_P1', nested)],
    }),
  ).toEqual([...PM, value('SDS_P1', 'nested')]);
  for (const body of [null, 1, 'x', [], {}, { sensordatavalues: {} }])
    expect(readPushedValues(body)).toBeUndefined();
});

test('finds no push in other texts of the quarantine', () => {
  const others = [
    '',
    'x',
    '1,2026,3',
    '{"sensor_id":1}',
    '{"device":"a","measured_at":"b"}',
    '{"device":1,"pin":null,"measured_at":"b","sensordatavalues":[]}',
    '{"device":"a","pin":1,"measured_at":"b","sensordatavalues":[]}',
  ];
  for (const text of others) expect(pushFromText(text), text).toBeUndefined();
});
