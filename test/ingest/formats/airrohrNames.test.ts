import { expect, test } from 'vitest';
import { isOfKind, meaningOf } from '../../../src/ingest/formats/airrohr.ts';

/**
 * Every value type of airrohr-firmware.ino (NRZ-2024-135), by the sensor that reports it; the last
 * of each are not used.
 */
test.each<[string, string[], string[], string[]]>([
  ['SDS011', ['SDS_P1', 'SDS_P2'], ['pm10', 'pm25'], []],
  ['PMS7003', ['PMS_P0', 'PMS_P1', 'PMS_P2'], ['pm1', 'pm10', 'pm25'], []],
  ['HPM', ['HPM_P1', 'HPM_P2'], ['pm10', 'pm25'], []],
  [
    'NextPM',
    ['NPM_P0', 'NPM_P1', 'NPM_P2'],
    ['pm1', 'pm10', 'pm25'],
    ['NPM_N1', 'NPM_N10', 'NPM_N25'],
  ],
  [
    'IPS7100',
    ['IPS_P0', 'IPS_P1', 'IPS_P2'],
    ['pm1', 'pm10', 'pm25'],
    ['IPS_P01', 'IPS_P03', 'IPS_P05', 'IPS_P5', 'IPS_N1'],
  ],
  [
    'SPS30',
    ['SPS30_P0', 'SPS30_P2', 'SPS30_P1'],
    ['pm1', 'pm25', 'pm10'],
    ['SPS30_P4', 'SPS30_N05', 'SPS30_N1', 'SPS30_N25', 'SPS30_N4', 'SPS30_N10', 'SPS30_TS'],
  ],
  ['DHT22', ['temperature', 'humidity'], ['temperature', 'humidity'], []],
  ['HTU21D', ['HTU21D_temperature', 'HTU21D_humidity'], ['temperature', 'humidity'], []],
  ['SHT31', ['SHT3X_temperature', 'SHT3X_humidity'], ['temperature', 'humidity'], []],
  [
    'SCD30',
    ['SCD30_temperature', 'SCD30_humidity'],
    ['temperature', 'humidity'],
    ['SCD30_co2_ppm'],
  ],
  ['BMP180', ['BMP_pressure', 'BMP_temperature'], ['pressure', 'temperature'], []],
  ['BMP280', ['BMP280_pressure', 'BMP280_temperature'], ['pressure', 'temperature'], []],
  [
    'BME280',
    ['BME280_temperature', 'BME280_pressure', 'BME280_humidity'],
    ['temperature', 'pressure', 'humidity'],
    [
      'samples',
      'min_micro',
      'max_micro',
      'interval',
      'signal',
      'GPS_lat',
      'GPS_lon',
      'GPS_height',
      'GPS_timestamp',
    ],
  ],
  [
    'DS18B20',
    ['DS18B20_temperature'],
    ['temperature'],
    ['DNMS_noise_LAeq', 'DNMS_noise_LA_min', 'DNMS_noise_LA_max'],
  ],
  ['PPD42NS', [], [], ['P1', 'P2', 'durP1', 'ratioP1', 'durP2', 'ratioP2']],
])('names of %s', (kind, names, parameters, others) => {
  const meanings = names.map((name) => meaningOf(name, null));
  expect(meanings.map((meaning) => meaning?.parameter)).toEqual(parameters);
  for (const meaning of meanings) expect(isOfKind(kind, meaning?.kinds ?? [])).toBe(true);
  for (const other of [
    ...others,
    '',
    'constructor',
    '__proto__',
    'SDS_',
    'SDS_constructor',
    'sds_P1',
  ]) {
    expect(meaningOf(other, null), other).toBeUndefined();
  }
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
])('pin %s with %s', (pin, name, parameter, kinds, others) => {
  const meaning = meaningOf(name, pin);
  expect(meaning?.parameter).toBe(parameter);
  for (const kind of kinds) expect(isOfKind(kind, meaning?.kinds ?? []), kind).toBe(true);
  for (const kind of others) expect(isOfKind(kind, meaning?.kinds ?? []), kind).toBe(false);
});

test('the pins of counts, noise and positions are not used', () => {
  for (const pin of ['5', '9', '15', '2', '']) expect(meaningOf('P1', pin)).toBeUndefined();
});
