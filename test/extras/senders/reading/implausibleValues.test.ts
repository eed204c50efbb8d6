/**
 * An import stops before it stores anything if values cannot be what they are taken for, and says
 * what to declare.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../../../src/database/client.ts';
import { conversionFrom } from '../../../../src/extras/senders/units.ts';
import { importReadings } from '../../../../src/ingest/importReadings.ts';
import { retryQuarantined } from '../../../../src/ingest/quarantine/retry.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { file, stored } from '../../../ingest/support.ts';
import { NOW } from '../../../support/clock.ts';
import { engines, type TestDatabase, testDatabase } from '../../../support/database.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { keepingLog } from '../../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../../support/smallNetwork.ts';

// nothing here depends on the engine
let db: TestDatabase;
let owner: Sql;
let ingest: Sql;
beforeAll(async () => {
  db = await testDatabase(engines[0] as (typeof engines)[0]);
  owner = db.as();
  ingest = db.as('airseries_ingest');
  await bringIn(owner, smallNetwork());
});
beforeEach(() => owner.unsafe('truncate raw.readings, raw.quarantine'));
afterAll(() => db.drop());

const imported = (content: string, format: Declarations = {}) =>
  importReadings(ingest, [file('readings.csv', content)], {
    formats: READING_FORMATS,
    now: NOW,
    log: keepingLog(),
    terminal: false,
    format,
  });
const at = (hour: number) => new Date(NOW.getTime() - (hour + 1) * 3_600_000).toISOString();
const csv = (
  header: string,
  count: number,
  value: (hour: number) => unknown,
  time: (hour: number) => unknown = at,
) =>
  `${header}\n${Array.from({ length: count }, (_, hour) => `${time(hour)},1,${value(hour)}`).join('\n')}\n`;
const stops = async (content: string, format: Declarations, message: RegExp) => {
  const { failures, received } = await imported(content, format);
  expect([received, failures]).toEqual([0, [expect.stringMatching(message)]]);
  expect(await stored(owner)).toEqual([]);
  expect(await owner`select 1 from raw.quarantine`).toEqual([]);
};

test('3,600 knots are 1,852 m/s', () => {
  expect(conversionFrom('kn', 'wind_speed')?.(3_600)).toBeCloseTo(1_852, 9);
});

describe('103 hours of PurpleAir in °F', () => {
  const fahrenheit = (hour: number) => 80 + (hour % 24);
  const epoch = (hour: number) => Date.parse(at(hour)) / 1_000;

  test('PurpleAir temperatures in °F are converted as they come', async () => {
    const summary = await imported(
      csv('time_stamp,sensor_index,temperature', 103, fahrenheit, epoch),
    );
    expect(summary).toMatchObject({ accepted: 103, failed: false, formats: ['purpleair'] });
    const rows = await stored(owner);
    expect(
      rows.find(({ measured_at }) => Date.parse(measured_at) === Date.parse(at(23)))?.temperature,
    ).toBeCloseTo((103 - 32) / 1.8, 4);
    expect(Math.max(...rows.map(({ temperature }) => temperature))).toBeLessThan(39.5);
  });

  test('temperatures in °F from renamed PurpleAir columns are refused, unless the unit is declared', async () => {
    const renamed = csv('time,sensor_id,temperature', 103, fahrenheit, epoch);
    await stops(
      renamed,
      {},
      /readings\.csv: column temperature looks like °F, for example 9\d; nothing of it was stored\. Add --unit temperature=f if it is\.$/,
    );
    expect(await imported(renamed, { units: ['temperature=f'] })).toMatchObject({
      accepted: 103,
      values: {},
    });
    expect(Math.max(...(await stored(owner)).map(({ temperature }) => temperature))).toBeLessThan(
      39.5,
    );
  });
});

test.each<[string, (hour: number) => number, RegExp, Declarations]>([
  [
    'pressure',
    (hour) => 1_000 + (hour % 20),
    /column pressure looks like hPa, for example 10\d\d.*--unit pressure=hpa if it is\.$/,
    { units: ['pressure=hpa'] },
  ],
  [
    'no2',
    (hour) => 0.01 + hour / 1_000,
    /column no2 looks like ppm.*--unit no2=ppm if it is, or --unit no2=ppb/,
    { units: ['no2=ppb'] },
  ],
  [
    'o3',
    (hour) => 0.03 + hour / 1_000,
    /column o3 looks like ppm.*--unit o3=ppm if it is, or --unit o3=ug\/m3/,
    { units: ['o3=ppm'] },
  ],
  [
    'pm25',
    (hour) => 0.03 + hour / 2_000,
    /column pm25 looks like mg\/m³.*--unit pm25=mg\/m3 if it is, or --unit pm25=ug\/m3 if/, // (S8)
    { units: ['pm25=mg/m3'] },
  ],
  [
    'humidity',
    (hour) => 0.55 + hour / 100,
    // (S8)
    /column humidity looks like a fraction of 1.*--unit humidity=fraction if it is, or --unit humidity=%/,
    { units: ['humidity=fraction'] },
  ],
])(
  'a column %s that looks like another unit is refused until its unit is declared',
  async (name, value, message, remedy) => {
    const content = csv(`time,sensor_id,${name}`, 24, value);
    await stops(content, {}, message);
    expect(await imported(content, remedy)).toMatchObject({
      accepted: 24,
      values: {},
      failed: false,
    });
  },
);

test.each<[string, string, (hour: number) => unknown, RegExp, Declarations]>([
  [
    'inHg',
    'pressure',
    () => 29.53,
    /column pressure looks like inHg/,
    { units: ['pressure=inhg'] },
  ],
  ['kPa', 'pressure', () => 100.1, /column pressure looks like kPa/, { units: ['pressure=kpa'] }],
  [
    'km/h',
    'wind_speed',
    (hour) => 12.1 + hour,
    /column wind_speed looks like km\/h/,
    { units: ['wind_speed=m/s'] },
  ],
  [
    'a fraction in a short file',
    'humidity',
    (hour) => 0.5 + hour / 10,
    /column humidity looks like a fraction of 1/,
    { units: ['humidity=fraction'] },
  ],
  [
    'PM2.5 above PM10',
    'pm25,pm10',
    (hour) => `${20 + hour},${19 + hour}`,
    /PM2\.5 is above PM10 in each of 24 rows/,
    { units: ['pm10=ug/m3'] },
  ],
  [
    'a total',
    'rain',
    (hour) => 50 - hour,
    /rain only rises, from 27 to 50 in 24 rows/,
    { units: ['rain=mm'] },
  ],
])(
  'values that cannot be what they are taken for stop an import: %s (S8)',
  async (_, name, value, message, answer) => {
    const content = csv(`time,sensor_id,${name}`, name === 'humidity' ? 3 : 24, value);
    await stops(content, {}, message);
    expect(await imported(content, answer)).toMatchObject({ values: {}, failed: false });
  },
);

test.each<[string, string, number, (hour: number) => unknown]>([
  ['two humidities up to 1 %', 'humidity', 2, () => 0.9],
  ['a median of 12 m/s', 'wind_speed', 24, () => 12],
  ['PM2.5 above PM10 in all rows but one', 'pm25,pm10', 24, (hour) => (hour === 7 ? '5,5' : '6,5')],
  ['PM2.5 above PM10 in 19 rows', 'pm25,pm10', 19, () => '6,5'],
  ['PM2.5 at the mark of a fault', 'pm25,pm10', 24, () => '9999,5'],
  ['rain that returns to 0', 'rain', 30, (hour) => (hour === 15 ? 0 : 50 - hour)],
  ['steady rain', 'rain', 30, () => 0.2],
  ['rain that rises 19 times', 'rain', 30, (hour) => Math.max(0, 19 - hour)],
])('an import accepts %s', async (_, name, count, value) => {
  const summary = await imported(csv(`time,sensor_id,${name}`, count, value));
  expect(summary).toMatchObject({ accepted: count, failed: false });
});

describe('30 rows with a value in °F', () => {
  const rows = Array.from({ length: 30 }, (_, hour) => ({ at: at(hour), value: 50 + (hour % 10) }));
  const states = rows.map((row) => ({
    sensor_id: 1,
    entity_id: 'sensor.t',
    state: String(row.value),
    last_changed: row.at,
  }));
  test.each<[string, string, Declarations]>([
    [
      'history of Home Assistant as CSV',
      [
        'entity_id,state,last_changed',
        ...rows.map((row) => `sensor.t,${row.value},${row.at}`),
      ].join('\n'),
      { columns: ['temperature=sensor.t'], sensor: 1 },
    ],
    [
      'states of Home Assistant as JSON',
      JSON.stringify(states),
      { columns: ['temperature=sensor.t'] },
    ],
    [
      'OpenAQ with blank units',
      [
        'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value',
        ...rows.map((row) => `9,1,here,${row.at},40,44,temperature,,${row.value}`),
      ].join('\n'),
      { shift: '0min' },
    ],
  ])('values in °F without a declared unit stop an import: %s', async (_, content, format) => {
    await stops(
      content,
      format,
      /column temperature looks like °F, for example 5\d|unit of sensor\.t; .* --unit temperature=f \(55 is 12\.8 °C\)/,
    );
    const declared = { ...format, units: ['temperature=f'] };
    expect(await imported(content, declared)).toMatchObject({ accepted: 30, failed: false });
  });
});

test('a pressure that two units fit is offered both, with what each makes of it (S8)', async () => {
  const content = csv('time,sensor_id,pressure', 20, () => 740);
  await stops(
    content,
    {},
    /column pressure looks like hPa or mmHg, for example 740; .* Add --unit pressure=hpa \(740 is 74000 Pa\) or --unit pressure=mmhg \(740 is 98658 Pa\) if it is\.$/,
  );
  expect(await imported(content, { units: ['pressure=mmhg'] })).toMatchObject({ accepted: 20 });
  expect((await stored(owner))[0]?.pressure).toBeCloseTo(98_658.28, 1);
});

test('twenty temperatures above 45 °C stop an import, because they look like °F', async () => {
  await stops(
    csv('time,sensor_id,temperature', 20, () => 45.1),
    {},
    /column temperature looks like °F/,
  );
  expect(await imported(csv('time,sensor_id,temperature', 20, () => 45))).toMatchObject({
    accepted: 20,
  });
});

test('an import accepts a few values that look like another unit, or a column with some of them', async () => {
  const some = csv('time,sensor_id,pm25', 40, (hour) => (hour % 3 ? 5 : 0.1));
  expect(await imported(some)).toMatchObject({ accepted: 40, failed: false });
  expect(await imported(csv('time,sensor_id,temperature', 19, () => 50))).toMatchObject({
    accepted: 19,
  });
  expect(
    await imported(csv('time,sensor_id,temperature', 40, (hour) => (hour % 3 ? 20 : 50))),
  ).toMatchObject({
    failed: false,
  });
  expect(await imported(csv('time,sensor_id,no2', 40, () => 0))).toMatchObject({ failed: false });
});

test('a reading that waited in quarantine gets the values that the first try would have stored', async () => {
  const content = csv(
    'time,sensor_id,temperature,no2',
    3,
    (hour) => `${50 + hour},19.125`,
  ).replaceAll(',1,', ',77,');
  const format = { units: ['temperature=f', 'no2=ug/m3'] };
  expect(await imported(content, format)).toMatchObject({
    accepted: 0,
    quarantined: { unknown_sensor: 3 },
  });
  await owner`insert into raw.sensor (id) values (77)`;
  expect(
    await retryQuarantined(owner, {
      formats: READING_FORMATS,
      now: NOW,
      log: keepingLog(),
      terminal: false,
    }),
  ).toMatchObject({
    accepted: 3,
  });
  const later = await stored(owner);
  await owner`truncate raw.readings`;
  expect(await imported(content, format)).toMatchObject({ accepted: 3 });
  expect(await stored(owner)).toEqual(later);
  expect(later.map(({ temperature, no2 }) => [temperature, no2])).toContainEqual([10, 10]);
});
