/**
 * The airRohr firmware: what its names of values mean, which sensor each value is assigned to, and
 * what is kept of values that belong to none. It is pushed alone: http/airrohr.test.ts.
 */
import { expect, test } from 'vitest';
import {
  meaningOf,
  type PushRecord,
  pushFromText,
  readingsOfPush,
  readPushedValues,
} from '../../../../src/extras/senders/formats/airrohr.ts';
import type { DeviceSensor } from '../../../../src/ingest/formats.ts';
import { isOfKind } from '../../../../src/ingest/store/instruments.ts';

const AT = '2026-11-20T12:00:00Z';
const value = (value_type: string, value: unknown) => ({ value_type, value });
const record = (values: PushRecord['values'], pin: string | null = null): PushRecord => ({
  device: 'esp8266-12345678',
  pin,
  measuredAt: AT,
  values,
});
const sensor = (id: number, kind: string | null): DeviceSensor => ({ id, kind });

const PM = [value('SDS_P1', '66.04'), value('SDS_P2', '53.32')];
const WEATHER = [
  value('BME280_temperature', '21.90'),
  value('BME280_pressure', '99312.25'),
  value('BME280_humidity', '41.05'),
];
const REST = [value('samples', '823214'), value('signal', '-66')];
const BODY = record([...PM, ...WEATHER, ...REST]);

/** Each sensor with the parameters that it is assigned. */
const assigned = (given: PushRecord, sensors: DeviceSensor[]) =>
  readingsOfPush(given, sensors).map(({ sensorId, values }) => [sensorId, Object.keys(values)]);

test('each value of an airRohr push goes, unchanged, to the sensor of its kind', () => {
  const particles = { pm10: '66.04', pm25: '53.32' };
  const weather = { temperature: '21.90', pressure: '99312.25', humidity: '41.05' };
  const of = (sensor_id: number, values: object) => ({
    ...{ sensorId: sensor_id, measuredAt: AT, values },
    text: JSON.stringify({ sensor_id, measured_at: AT, ...values }),
  });
  expect(
    readingsOfPush(BODY, [sensor(1, 'SDS011'), sensor(2, 'bme-280'), sensor(3, null)]),
  ).toEqual([of(1, particles), of(2, weather)]);
});

test('airRohr values that fit no other sensor go to a sensor without a kind, as one reading', () => {
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

test('unassigned airRohr values are kept together, for a retry once the network has their sensors', () => {
  for (const sensors of [[], [sensor(4, 'DHT22')], [sensor(3, null), sensor(4, null)]]) {
    const text = `{"device":"esp8266-12345678","pin":null,"measured_at":"${AT}","sensordatavalues":${JSON.stringify([...PM, ...WEATHER])}}`;
    expect(readingsOfPush(BODY, sensors)).toEqual([
      { sensorId: undefined, measuredAt: AT, values: {}, text },
    ]);
    expect(pushFromText(text)).toEqual(record([...PM, ...WEATHER]));
  }
});

test('the pin says which instrument measured airRohr values without a prefix in their names', () => {
  const values = [value('P1', '1'), value('P2', '2'), value('temperature', '3')];
  expect(assigned(record(values, '1'), [sensor(1, 'SDS011')])).toEqual([
    [1, ['pm10', 'pm25', 'temperature']],
  ]);
  const [unassigned] = readingsOfPush(record(values, '1'), []);
  expect(pushFromText(unassigned?.text ?? '')).toEqual(record(values, '1'));
  expect(assigned(record(values), [sensor(4, 'DHT22')])).toEqual([[4, ['temperature']]]);
  expect(assigned(record(values, '5'), [sensor(4, null)])).toEqual([]);
});

test('malformed entries in the list of an airRohr body are skipped, and a body without a list is no push', () => {
  const nested = JSON.parse('['.repeat(30_000) + ']'.repeat(30_000));
  expect(
    readPushedValues({
      sensordatavalues: [...PM, null, 7, 'x', [], { value_type: 1 }, value('SDS_P1', nested)],
    }),
  ).toEqual([...PM, value('SDS_P1', 'nested')]);
  for (const body of [null, 1, 'x', [], {}, { sensordatavalues: {} }])
    expect(readPushedValues(body)).toBeUndefined();
});

test('other texts in quarantine are not taken for an airRohr push', () => {
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

/** Every value type of airrohr-firmware.ino (NRZ-2024-135) that is used, by its sensor. */
test.each([
  ['SDS011', 'SDS_P1=pm10 SDS_P2=pm25'],
  ['PMS7003', 'PMS_P0=pm1 PMS_P1=pm10 PMS_P2=pm25'],
  ['HPM', 'HPM_P1=pm10 HPM_P2=pm25'],
  ['NextPM', 'NPM_P0=pm1 NPM_P1=pm10 NPM_P2=pm25'],
  ['IPS7100', 'IPS_P0=pm1 IPS_P1=pm10 IPS_P2=pm25'],
  ['SPS30', 'SPS30_P0=pm1 SPS30_P2=pm25 SPS30_P1=pm10'],
  ['DHT22', 'temperature=temperature humidity=humidity'],
  ['HTU21D', 'HTU21D_temperature=temperature HTU21D_humidity=humidity'],
  ['SHT31', 'SHT3X_temperature=temperature SHT3X_humidity=humidity'],
  ['SCD30', 'SCD30_temperature=temperature SCD30_humidity=humidity'],
  ['BMP180', 'BMP_pressure=pressure BMP_temperature=temperature'],
  ['BMP280', 'BMP280_pressure=pressure BMP280_temperature=temperature'],
  ['BME280', 'BME280_temperature=temperature BME280_pressure=pressure BME280_humidity=humidity'],
  ['DS18B20', 'DS18B20_temperature=temperature'],
])('the value names of the airRohr instrument %s are known', (kind, names) => {
  for (const name of names.split(' ')) {
    const [theirs = '', parameter] = name.split('=');
    const meaning = meaningOf(theirs, null);
    expect(meaning?.parameter).toBe(parameter);
    expect(isOfKind(kind, meaning?.kinds ?? [])).toBe(true);
  }
});

test('other names of airRohr values are not used', () => {
  const counts = 'NPM_N1 NPM_N10 IPS_P01 IPS_P5 SPS30_P4 SPS30_N05 SPS30_TS P1 P2 durP1 ratioP2';
  const others = 'SCD30_co2_ppm samples min_micro interval signal GPS_lat DNMS_noise_LAeq';
  const odd = ['', 'constructor', '__proto__', 'SDS_', 'SDS_constructor', 'sds_P1'];
  for (const name of [...counts.split(' '), ...others.split(' '), ...odd])
    expect(meaningOf(name, null), name).toBeUndefined();
});

test.each<[string, string, string, string[], string[]]>([
  [
    '1',
    'P2',
    'pm25',
    ['SDS011', 'PMS5003', 'HPM', 'Next-PM', 'IPS7100', 'Sensirion SPS30'],
    ['DHT22', 'BME280'],
  ],
  ['3', 'pressure', 'pressure', ['BMP180', 'BMP280', 'bmp 280'], ['BME280']],
  [
    '7',
    'humidity',
    'humidity',
    ['DHT22', 'DHT11', 'HTU21D', 'SHT30', 'SHT3X', 'sht-35'],
    ['BME280', 'SDS011'],
  ],
  ['11', 'temperature', 'temperature', ['BME280', 'Bosch BME 280'], ['BMP280', 'DHT22']],
  ['13', 'temperature', 'temperature', ['DS18B20'], ['DHT22']],
])(
  'airRohr pin %s says which kinds of sensor measure %s',
  (pin, name, parameter, kinds, others) => {
    const meaning = meaningOf(name, pin);
    expect(meaning?.parameter).toBe(parameter);
    for (const kind of kinds) expect(isOfKind(kind, meaning?.kinds ?? []), kind).toBe(true);
    for (const kind of others) expect(isOfKind(kind, meaning?.kinds ?? []), kind).toBe(false);
  },
);
