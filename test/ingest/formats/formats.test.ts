import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { PARAMETER_NAMES } from '../../../src/contract/parameters.ts';
import { FORMAT_NAMES, FORMATS } from '../../../src/ingest/formats/formats.ts';
import { type ReadingBatch, readReadings } from '../../../src/ingest/reading/collect.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { isObject } from '../../../src/ingest/rows/json.ts';
import { openSource } from '../../../src/ingest/rows/source.ts';
import { unitsOf } from '../../../src/ingest/units.ts';
import { transitionsOf } from '../../support/localTime.ts';
import { file } from '../support.ts';

async function read(content: string, declared: Declarations = {}) {
  const zone = declared.zone ?? declared.timeZone;
  const isKnown = zone === 'Europe/Berlin' || zone === 'Asia/Yerevan';
  const format = { ...declared, transitions: isKnown ? transitionsOf(zone) : undefined };
  const readings: ReadingBatch['readings'] = [];
  let last: ReadingBatch['notes'] | undefined;
  for await (const batch of readReadings(await openSource(file('sample', content)), format)) {
    readings.push(...batch.readings);
    last = batch.notes;
  }
  return {
    format: last?.format,
    ignored: [...(last?.ignored ?? [])],
    readings: readings.map(({ sensorId, device, measuredAt, values }) => ({
      sensorId,
      device,
      measuredAt,
      values,
    })),
  };
}
const T = '2026-11-20T08:00:00Z';
const SECONDS = String(Date.parse(T) / 1_000);
const close = (value: number) => expect.closeTo(value, 6);

const UPLINK = {
  end_device_ids: {
    device_id: 'roof-1',
    application_ids: { application_id: 'air' },
    dev_eui: '0004A30B001C0530',
  },
  correlation_ids: ['as:up:01'],
  received_at: '2026-11-20T08:00:00.200Z',
  uplink_message: {
    f_port: 1,
    frm_payload: 'gkHe',
    decoded_payload: {
      pm2_5: 7.5,
      temperature: 3.5,
      humidity: 80,
      pressure_hpa: 1013.2,
      battery: 3.6,
    },
    rx_metadata: [{ gateway_ids: { gateway_id: 'gtw1' }, rssi: -35 }],
    received_at: '2026-11-20T08:00:00.100Z',
  },
};
const AIRGRADIENT = {
  ...{
    wifi: -46,
    serialno: 'ecda3b1eaaaf',
    rco2: 447,
    pm01: 3,
    pm02: 7,
    pm10: 8,
    pm003Count: 442,
    atmp: 25.87,
  },
  ...{ atmpCompensated: 24.47, rhum: 43, rhumCompensated: 49, boot: 6, model: 'I-9PSL' },
};
const OPENAQ = {
  meta: { name: 'openaq-api', website: '/', page: 1, limit: 100, found: 1 },
  results: [
    {
      value: 12.5,
      flagInfo: { hasFlags: false },
      parameter: { id: 5, name: 'no2', units: 'ppm', displayName: null },
      period: {
        label: '1hour',
        interval: '01:00:00',
        datetimeFrom: { utc: T, local: '2026-11-20T03:00:00-05:00' },
        datetimeTo: { utc: '2026-11-20T09:00:00Z', local: '2026-11-20T04:00:00-05:00' },
      },
      coordinates: null,
    },
  ],
};
const STATE = {
  entity_id: 'sensor.garden_pressure',
  state: '29.92',
  attributes: {
    unit_of_measurement: 'inHg',
    device_class: 'atmospheric_pressure',
    friendly_name: 'Garden',
  },
  last_changed: '2026-11-20T07:59:00+00:00',
  last_updated: T,
};

const README = readFileSync(new URL('../../../src/ingest/README.md', import.meta.url), 'utf8');

type Sample = [
  name: string,
  what: string,
  content: string,
  format: Declarations,
  readings: object[],
];
const SAMPLES: Sample[] = [
  [
    'purpleair',
    'CSV of the history API',
    `time_stamp,sensor_index,humidity,temperature,pressure,pm1.0_atm,pm2.5_atm,pm10.0_atm\n${SECONDS},53,40,103,1013.25,1,2.5,3\n`,
    {},
    [
      {
        sensorId: '53',
        measuredAt: T,
        values: {
          humidity: '40',
          temperature: close(39.444444),
          pressure: close(101_325),
          pm1: '1',
          pm25_raw: '2.5',
          pm10: '3',
        },
      },
    ],
  ],
  [
    'purpleair',
    'JSON of the history API',
    JSON.stringify({
      ...{
        api_version: 'V1.0.14-0.0.58',
        time_stamp: 1_795_170_000,
        sensor_index: 53,
        average: 60,
      },
      fields: ['time_stamp', 'temperature', 'pm2.5_atm', 'pm2.5_cf_1'],
      data: [
        [Number(SECONDS), 41, 2.5, 2.6],
        [Number(SECONDS) + 3_600, null, 3.5, 3.6],
      ],
    }),
    {},
    [
      { sensorId: 53, measuredAt: T, values: { temperature: close(5), pm25_raw: 2.5 } },
      {
        sensorId: 53,
        measuredAt: '2026-11-20T09:00:00Z',
        values: { temperature: null, pm25_raw: 3.5 },
      },
    ],
  ],
  [
    'purpleair',
    'a file of the SD card',
    'UTCDateTime,mac_address,current_temp_f,current_humidity,pressure,pm2_5_cf_1,pm2_5_atm\n2026/11/20T08:00:00z,8:3a:8d:b:a4:fd,50,40,1000,9,8\n',
    {},
    [
      {
        device: '8:3a:8d:b:a4:fd',
        measuredAt: '2026-11-20T08:00:00z',
        values: { temperature: close(10), humidity: '40', pressure: 100_000, pm25_raw: '8' },
      },
    ],
  ],
  [
    'purpleair',
    'a file of the SD card, of whose two channels the mean counts, or the one that there is',
    [
      'UTCDateTime,mac_address,current_temp_f,pm1_0_atm,pm2_5_atm,pm10_0_atm,pm2_5_cf_1,pm1_0_atm_b,pm2_5_atm_b,pm10_0_atm_b,pm2_5_cf_1_b',
      '2026/11/20T08:00:00z,8:3a,50,1,8,10,99,2,9,13,99',
      '2026/11/20T08:02:00z,8:3a,50,,8,nan,99,2,,13,99',
    ].join('\n'),
    {},
    [
      { device: '8:3a', values: { temperature: close(10), pm1: 1.5, pm25_raw: 8.5, pm10: 11.5 } },
      { device: '8:3a', values: { temperature: close(10), pm1: '2', pm25_raw: '8', pm10: '13' } },
    ],
  ],
  [
    'purpleair',
    'a file of the SD card whose CF=1 is mapped: the mean of both channels counts there too',
    'UTCDateTime,mac_address,pm2_5_atm,pm2_5_cf_1,pm2_5_atm_b,pm2_5_cf_1_b\n2026/11/20T08:00:00z,8:3a,1,8,1,9\n2026/11/20T08:02:00z,8:3a,1,8,1,nan',
    { name: 'purpleair', columns: ['pm25_raw=pm2_5_cf_1'] },
    [
      { device: '8:3a', values: { pm25_raw: 8.5 } },
      { device: '8:3a', values: { pm25_raw: '8' } },
    ],
  ],
  [
    'purpleair',
    'JSON of the SD card whose CF=1 is mapped',
    JSON.stringify({
      sensor_index: 53,
      time_stamp: Number(SECONDS),
      pm2_5_cf_1: 8,
      pm2_5_cf_1_b: 9,
      pm2_5_atm: 1,
    }),
    { columns: ['pm25_raw=pm2_5_cf_1'] },
    [{ sensorId: 53, values: { pm25_raw: 8.5 } }],
  ],
  [
    'airseries',
    'a column of another name for the time, as measured_at',
    `when,sensor_id,pm25\n2026-11-20T08:00:00Z,1,5\n`,
    { columns: ['measured_at=when'] },
    [{ sensorId: '1', measuredAt: '2026-11-20T08:00:00Z', values: { pm25: '5' } }],
  ],
  [
    'purpleair',
    'JSON with the names of the SD card',
    JSON.stringify({ sensor_index: 53, time_stamp: Number(SECONDS), pm2_5_atm: 8, pm2_5_atm_b: 9 }),
    {},
    [{ sensorId: 53, values: { pm25_raw: 8.5 } }],
  ],
  [
    'purpleair',
    'a download of the earlier map',
    'created_at,PM1.0_CF1_ug/m3,PM2.5_CF1_ug/m3,Temperature_F,Humidity_%,PM2.5_ATM_ug/m3\n2026-11-20 08:00:00 UTC,1,9,50,40,8\n',
    { sensor: 53 },
    [
      {
        sensorId: 53,
        measuredAt: '2026-11-20 08:00:00Z',
        values: { temperature: close(10), humidity: '40', pm25_raw: '8' },
      },
    ],
  ],
  [
    'openaq',
    'CSV of the archive, of which the rows of one sensor and time are one reading',
    [
      'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value',
      '2178,3919,Del Norte-2178,2026-11-20T01:00:00-07:00,35.1,-106.5,pm10,µg/m³,20',
      '2178,3917,Del Norte-2178,2026-11-20T01:00:00-07:00,35.1,-106.5,o3,ppm,0.03',
      '2178,25227,Del Norte-2178,2026-11-20T01:00:00-07:00,35.1,-106.5,co,ppm,0.2',
      '2178,9,Del Norte-2178,2026-11-20T01:00:00-07:00,35.1,-106.5,temperature,f,50',
      '2178,9,Del Norte-2178,2026-11-20T01:00:00-07:00,35.1,-106.5,relativehumidity,%,40',
      '2178,8,Del Norte-2178,2026-11-20T01:00:00-07:00,35.1,-106.5,pm25,particles/cm³,7',
    ].join('\n'),
    {},
    [
      { sensorId: '3919', measuredAt: '2026-11-20T01:00:00-07:00', values: { pm10: '20' } },
      { sensorId: '3917', values: { o3: close(59.871) } },
      { sensorId: '9', values: { temperature: close(10), humidity: '40' } },
      { sensorId: '8', values: { pm25: '7 particles/cm³' } },
    ],
  ],
  [
    'openaq',
    'JSON of /v3/sensors/ID/measurements, by the start of the hour',
    JSON.stringify(OPENAQ),
    { sensor: 3916 },
    [{ sensorId: 3916, measuredAt: T, values: { no2: close(12_500) } }],
  ],
  [
    'ttn',
    'an uplink of The Things Stack',
    JSON.stringify(UPLINK),
    {},
    [
      {
        device: 'roof-1',
        measuredAt: '2026-11-20T08:00:00.100Z',
        values: { pm25: 7.5, temperature: 3.5, humidity: 80, pressure: close(101_320) },
      },
    ],
  ],
  [
    'ttn',
    'the same with names of its own',
    JSON.stringify(UPLINK),
    { columns: ['pm10=battery'], units: ['temperature=f'] },
    [
      {
        values: {
          pm25: 7.5,
          pm10: 3.6,
          temperature: close(-15.833333),
          humidity: 80,
          pressure: close(101_320),
        },
      },
    ],
  ],
  [
    'ttn',
    'an uplink whose decoder gives objects, each with its unit',
    JSON.stringify({
      ...UPLINK,
      uplink_message: {
        ...UPLINK.uplink_message,
        decoded_payload: {
          ...{
            pm2_5: { displayName: 'PM2.5', value: 7.5, unit: 'µg/m³' },
            temperature: { value: 50, unit: '°F' },
          },
          ...{
            humidity: { value: 80 },
            pressure: { value: 1013.2, unit: 'hPa' },
            pm10: { value: null },
          },
          no2: { value: 3, unit: 'stone' },
        },
      },
    }),
    {},
    [
      {
        values: {
          pm25: 7.5,
          temperature: close(10),
          humidity: 80,
          pressure: close(101_320),
          pm10: null, // it has it, and leaves it empty (S3)
          no2: '3 stone',
        },
      },
    ],
  ],
  [
    'ttn',
    'an uplink with objects within objects, one of which is mapped',
    JSON.stringify({
      ...UPLINK,
      uplink_message: {
        ...UPLINK.uplink_message,
        decoded_payload: { particles: { fine: 7.5 }, pm10: 9 },
      },
    }),
    { columns: ['pm25=particles.fine'] },
    [{ values: { pm25: 7.5, pm10: 9 } }],
  ],
  [
    'ttn',
    'a normalized uplink',
    JSON.stringify({
      end_device_ids: UPLINK.end_device_ids,
      received_at: UPLINK.received_at,
      uplink_normalized: {
        f_port: 1,
        normalized_payload: {
          air: { temperature: 3.5, relativeHumidity: 80, pressure: 1013.2, co2: 400 },
          wind: { speed: 2.5, direction: 90 },
        },
        received_at: '2026-11-20T08:00:00.100Z',
      },
    }),
    {},
    [
      {
        device: 'roof-1',
        measuredAt: '2026-11-20T08:00:00.100Z',
        values: {
          temperature: 3.5,
          humidity: 80,
          pressure: close(101_320),
          wind_speed: 2.5,
          wind_direction: 90,
        },
      },
    ],
  ],
  [
    'chirpstack',
    'an uplink event',
    JSON.stringify({
      time: T,
      deviceInfo: { deviceName: 'roof', devEui: '0101010101010101' },
      ...{ fCnt: 6, fPort: 1, data: 'AAE=', object: { pm25: 7.5, temp_f: 50 } },
    }),
    {},
    [
      {
        device: '0101010101010101',
        measuredAt: T,
        values: { pm25: 7.5, temperature: close(10) },
      },
    ],
  ],
  [
    'airgradient',
    'a document of its cloud',
    JSON.stringify([
      {
        ...{ locationId: 10_001, serialno: 'ecda3b1eaaaf', timestamp: '2026-11-20T08:00:00.000Z' },
        ...{ pm01: 3, pm02: 7, pm10: 8, pm02_corrected: 5.5, atmp: 25, rhum: 43 },
        ...{ atmp_corrected: 22.1, rhum_corrected: 49 },
      },
    ]),
    {},
    [
      {
        device: 'ecda3b1eaaaf',
        measuredAt: '2026-11-20T08:00:00.000Z',
        values: { pm1: 3, pm25_raw: 7, pm25: 5.5, pm10: 8, temperature: 22.1, humidity: 49 },
      },
    ],
  ],
  [
    'airgradient',
    'what the local server says, compensated for its housing',
    JSON.stringify(AIRGRADIENT),
    { now: new Date(T) },
    [
      {
        device: 'ecda3b1eaaaf',
        measuredAt: '2026-11-20T08:00:00.000Z',
        values: { pm1: 3, pm25_raw: 7, pm10: 8, temperature: 24.47, humidity: 49 },
      },
    ],
  ],
  [
    'sensor-community',
    'CSV of the archive, in UTC',
    'sensor_id;sensor_type;location;lat;lon;timestamp;P1;durP1;ratioP1;P2;durP2;ratioP2\n36;SDS011;500;48.5;9.1;2026-11-20T08:00:00;17.3;;;4.6;;\n',
    {},
    [{ sensorId: '36', measuredAt: T, values: { pm10: '17.3', pm25: '4.6' } }],
  ],
  [
    'sensor-community',
    'CSV without sensors from indoors',
    'sensor_id;sensor_type;location;lat;lon;timestamp;P1;location.indoor\n36;SDS011;500;48.5;9.1;2026-11-20T08:00:00;17.3;0\n37;SDS011;501;48.5;9.1;2026-11-20T08:00:00;17.3;1\n',
    {},
    [{ sensorId: '36', measuredAt: T, values: { pm10: '17.3' } }],
  ],
  [
    'sensor-community',
    'the JSON feed',
    JSON.stringify([
      {
        ...{
          timestamp: '2026-11-20 08:00:00',
          sensor: { id: 36 },
          location: { id: 500, indoor: 0 },
        },
        sensordatavalues: [
          { value_type: 'P1', value: '17.3' },
          { value_type: 'P2', value: '4.6' },
        ],
      },
    ]),
    {},
    [{ sensorId: 36, measuredAt: '2026-11-20 08:00:00Z', values: { pm10: '17.3', pm25: '4.6' } }],
  ],
  [
    'airseries',
    'several names of one parameter, of which the first of the list counts',
    JSON.stringify({ sensor_id: 7, time: T, P2: 3, 'pm2.5': 1, pm2_5: 2 }),
    {},
    [{ sensorId: 7, values: { pm25: 1 } }],
  ],
  [
    'home-assistant',
    'the state of an entity',
    JSON.stringify(STATE),
    { device: 'garden' },
    [{ device: 'garden', measuredAt: T, values: { pressure: close(101_320.75888) } }],
  ],
  [
    'home-assistant',
    'several values in our names',
    JSON.stringify({ device: 'garden', pm25: 7, temperature_f: 50 }),
    { name: 'home-assistant', now: new Date(T) },
    [
      {
        device: 'garden',
        measuredAt: '2026-11-20T08:00:00.000Z',
        values: { pm25: 7, temperature: close(10) },
      },
    ],
  ],
  [
    'home-assistant',
    'history, each entity of which is one parameter',
    `entity_id,state,last_changed\nsensor.garden_pm25,7,${T}\nsensor.garden_t,50,${T}\nsensor.garden_t,unavailable,2026-11-20T09:00:00Z\n`,
    {
      sensor: 11,
      columns: ['pm25=sensor.garden_pm25', 'temperature=sensor.garden_t'],
      units: ['temperature=f'],
    },
    [
      { sensorId: 11, measuredAt: T, values: { pm25: '7', temperature: close(10) } },
      { sensorId: 11, values: { temperature: 'unavailable' } },
    ],
  ],
  [
    'home-assistant',
    'hourly statistics',
    `statistic_id,unit,start,min,max,mean\nsensor.garden_t,°F,${SECONDS},41,59,50\n`,
    { sensor: 11, columns: ['temperature=sensor.garden_t'] },
    [{ sensorId: 11, measuredAt: T, values: { temperature: close(10) } }],
  ],
  [
    'airseries',
    'the file of a city, with units in its header, its own names and local time',
    'station;Zeit;NO2 (µg/m³);o3_ppb;pressure [hPa];temp;pm2_5_mean\n7;2026-11-20 09:00;19,125;10;1013,2;-1,5;8\n',
    { columns: ['sensor_id=station', 'time=Zeit', 'pm25=pm2_5_mean'], zone: 'Europe/Berlin' },
    [
      {
        sensorId: '7',
        measuredAt: '2026-11-20 09:00+01:00',
        values: {
          no2: close(10),
          o3: close(19.957),
          pressure: close(101_320),
          temperature: '-1.5',
          pm25: '8',
        },
      },
    ],
  ],
  [
    'airquality-am',
    'measurements in JSON, by the start of the interval of a mean',
    JSON.stringify({
      ...{
        sensor_id: 2,
        timestamp: '2026-02-01 13:00:00',
        time_start: '2026-02-01 12:00:00',
        time_end: null,
      },
      ...{ 'pm2.5': 9, 'pm2.5_corrected': 5, pm10: 10 },
    }),
    { timeZone: 'Asia/Yerevan' },
    [
      {
        sensorId: 2,
        measuredAt: '2026-02-01 12:00:00+04:00',
        values: { pm25_raw: 9, pm25: 5, pm10: 10 },
      },
    ],
  ],
  [
    'airquality-am',
    'daily means in JSON',
    JSON.stringify([{ sensor_id: 2, timestamp: '2026-02-01', 'avg_pm2.5': 5, avg_humidity: 40 }]),
    { timeZone: 'Asia/Yerevan' },
    [{ sensorId: 2, measuredAt: '2026-02-01 00:00:00+04:00', values: { pm25: 5, humidity: 40 } }],
  ],
  [
    'airquality-am',
    'measurements',
    'SET\nsensor_id,timestamp,pm2.5,pm2.5_corrected\n2,2026-02-01 00:05:10,14.2,9.1\n',
    { timeZone: 'Asia/Yerevan' },
    [
      {
        sensorId: '2',
        measuredAt: '2026-02-01 00:05:10+04:00',
        values: { pm25_raw: '14.2', pm25: '9.1' },
      },
    ],
  ],
];

/** The same with its keys, or its columns, in the opposite order. */
function turned(content: string): string {
  if (/^[[{]/.test(content)) return JSON.stringify(JSON.parse(content, turnedKeys));
  const lines = content.split('\n');
  const delimiter = /[,;]/.exec(content)?.[0] ?? ',';
  return lines.map((line) => line.split(delimiter).reverse().join(delimiter)).join('\n');
}

const turnedKeys = (_: string, value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;

describe('a format', () => {
  test.each(SAMPLES)('%s: %s', async (name, _, content, format, expected) => {
    const result = await read(content, format);
    expect(result.format).toBe(name);
    expect(result.readings).toMatchObject(expected);
    expect(result.readings).toHaveLength(expected.length);
    expect(result.readings.map(({ values }) => Object.keys(values).length)).toEqual(
      expected.map((one) => Object.keys((one as { values: object }).values).length),
    );
  });

  test.each(SAMPLES)('%s: %s, in another order', async (name, _, content, format, expected) => {
    const result = await read(turned(content), format);
    expect(result.format).toBe(name);
    expect(result.readings).toMatchObject(expected);
  });

  it('has a sample here, a line in src/ingest/README.md, which lists every parameter, and a source', () => {
    expect([...new Set(SAMPLES.map(([name]) => name))].sort()).toEqual(FORMAT_NAMES);
    expect(
      [...README.matchAll(/^\| `([\w-]+)` +\| .*\|.*\|.*\|$/gm)].map(([, name]) => name).sort(),
    ).toEqual(FORMAT_NAMES);
    const [columns = ''] = /Our columns are [\s\S]*?, which is the amount/.exec(README) ?? [];
    expect(PARAMETER_NAMES.filter((name) => !columns.includes(`\`${name}\``))).toEqual([]);
    const [units = ''] = /may come in[\s\S]*?\n\n/.exec(README) ?? [];
    const convertible = PARAMETER_NAMES.filter((name) => unitsOf(name).length > 1);
    expect(convertible.filter((name) => !units.includes(`\`${name}\``))).toEqual([]);
    for (const { source } of FORMATS) expect(source).toMatch(/https:|README/);
  });
});

it('says what to do with rows whose names are none of ours', async () => {
  const history = `entity_id,state,last_changed\nsensor.garden_a,7,${T}\nsensor.garden_b,50,${T}\n`;
  await expect(read(history, { sensor: 11 })).rejects.toThrow(
    /sample: no known parameter; found sensor\.garden_a, sensor\.garden_b\. Say which is which with --column/,
  );
  await expect(read(history)).rejects.toThrow(
    /:1: the header has no column sensor_id: .*If all rows come from one sensor, say which: --device with its name/,
  );
});

describe('units', () => {
  const header = (columns: string) => `sensor_id,time,${columns}\n`;
  const value = async (column: string, given: string, units: string[] = []) => {
    const { readings } = await read(`${header(column)}1,${T},${given}\n`, { units });
    return Object.values(readings[0]?.values ?? {})[0];
  };

  it.each<[column: string, given: string, stored: number | string]>([
    // S6: 1 ppb is 1.9125 µg/m³ of NO₂, 1.9957 of O₃, 2.6609 of SO₂
    ['no2_ugm3', '1.9125', close(1)],
    ['no2_ppm', '0.001', close(1)],
    ['no2_ppb', '1', '1'],
    ['o3_ppb', '1', close(1.9957)],
    ['o3_ugm3', '1', '1'],
    ['so2_ppb', '1', close(2.6609)],
    ['so2 (mg/m³)', '0.5', close(500)],
    ['temperature_f', '103', close(39.444444)],
    ['temperature_k', '273.15', close(0)],
    ['temp_f', '-40', close(-40)],
    ['pressure_hpa', '1013.25', close(101_325)],
    ['pressure_mbar', '1013.25', close(101_325)],
    ['pressure [inHg]', '29.92', close(101_320.75888)],
    ['wind_speed_kmh', '36', close(10)],
    // gases at 25 °C: S6's factors × 293.15 ÷ 298.15
    ['no2_ugm3@25c', '1.8804', expect.closeTo(1, 4)],
    ['o3 (µg/m³ @25°C)', '1.9622', expect.closeTo(1.9957, 4)],
    ['so2 [mg/m³@25c]', '0.0026163', expect.closeTo(2.6609, 4)],
    ['no2 [µg m⁻³]', '1.9125', close(1)],
    ['temperature_f', 'broken', 'broken'],
  ])('%s: %s', async (column, given, stored) => {
    expect(await value(column, given)).toEqual(stored);
  });

  it.each<[column: string, given: string, stored: unknown]>([
    ['no2=Stickstoffdioxid (µg/m³)', '20', close(20 / 1.9125)],
    ['no2=NO2 [mg/m³] 1h', '0.019125', close(10)],
    ['no2=NO2 (1h) [µg/m³@25c]', '18.804', expect.closeTo(10, 3)],
    ['temperature=Außen (°F)', '41', close(5)],
    ['temperature=outdoor_f', '41', close(5)],
    ['pressure=Luftdruck (hPa)', '1013.25', close(101_325)],
    ['pm25=Feinstaub (Balkon)', '7', '7'],
    ['no2_ppb=Stickstoffdioxid (µg/m³)', '20', '20'],
  ])('are said by the name of a mapped column, too: %s', async (column, given, stored) => {
    const theirs = column.slice(column.indexOf('=') + 1);
    const csv = await read(`${header(theirs)}1,${T},${given}\n`, { columns: [column] });
    const json = await read(JSON.stringify({ sensor_id: 1, time: T, [theirs]: given }), {
      columns: [column],
    });
    for (const { readings } of [csv, json])
      expect(Object.values(readings[0]?.values ?? {})).toEqual([stored]);
  });

  it('are those of the profile where one of its own columns is mapped', async () => {
    const purpleair = `time_stamp,sensor_index,temperature\n${SECONDS},53,50\n`;
    const { readings } = await read(purpleair, { columns: ['temperature=Temperature'] });
    expect(readings).toMatchObject([{ values: { temperature: close(10) } }]);
  });

  it('are declared apart from the name, and that counts', async () => {
    expect(await value('no2', '19.125', ['no2=ug/m3'])).toEqual(close(10));
    expect(await value('temperature_f', '12', ['temperature=c'])).toBe('12');
    const mapped = { columns: ['no2=Gas (µg/m³)'], units: ['no2=ppb'] };
    expect((await read(`${header('Gas (µg/m³)')}1,${T},20\n`, mapped)).readings[0]?.values).toEqual(
      { no2: '20' },
    );
  });

  it.each<[string, Declarations, RegExp]>([
    [
      'an unknown unit',
      { units: ['no2=stone'] },
      /^--unit: no2 has no unit "stone". It has: ug\/m3, mg\/m3, ug\/m3@25c, mg\/m3@25c, ppb, ppm\.$/,
    ],
    [
      'a unit of another quantity',
      { units: ['temperature=hpa'] },
      /^--unit: temperature has no unit "hpa"\. It has: c, f, k\.$/,
    ],
    [
      'an unknown parameter',
      { units: ['co=ppm'] },
      /^--unit: unknown parameter "co"\. Known names: sensor_id/,
    ],
    [
      'no unit',
      { units: ['no2'] },
      /^--unit: expected NAME=UNIT, found "no2"\. An example: --unit no2=ug\/m3\.$/,
    ],
    [
      'a column that is not there',
      { columns: ['pm25=fine'] },
      /has no column fine, which --column names/,
    ],
    ['a name that is none of ours', { columns: ['co=CO'] }, /^--column: unknown name "co"/],
    [
      'a name that every object has',
      { columns: ['constructor=pm25'] },
      /^--column: unknown name "constructor"/,
    ],
    [
      'an unknown zone',
      { zone: 'Europe/Berln' },
      /^--zone: there is no time zone "Europe\/Berln"\. Write its IANA name/,
    ],
    [
      'an unknown format',
      { name: 'csv' },
      /^--format: there is no format "csv"\. There are: airgradient, airquality-am/,
    ],
  ])('%s is refused', async (_, format, message) => {
    await expect(read(`${header('pm25,no2,temperature')}1,${T},5,6,7\n`, format)).rejects.toThrow(
      message,
    );
  });
});
