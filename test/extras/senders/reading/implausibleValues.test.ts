/**
 * Values that cannot be what they are taken for stop a source, which is told what to declare (S8).
 * What only the database sees, such as PM2.5 above PM10: test/extras/senders/store/look.test.ts.
 */
import { expect, test } from 'vitest';
import { conversionFrom } from '../../../../src/extras/senders/units.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { NOW } from '../../../support/clock.ts';
import { askedOf } from '../support.ts';

const at = (hour: number) => new Date(NOW.getTime() - (hour + 1) * 3_600_000).toISOString();
const csv = (name: string, count: number, value: (hour: number) => unknown) =>
  `time,sensor_id,${name}\n${Array.from({ length: count }, (_, hour) => `${at(hour)},1,${value(hour)}\n`).join('')}`;

test('3,600 knots are 1,852 m/s', () => {
  expect(conversionFrom('kn', 'wind_speed')?.(3_600)).toBeCloseTo(1_852, 9);
});

test.each<[string, (hour: number) => number, RegExp, unit: string]>([
  [
    'pressure',
    (hour) => 1_000 + hour,
    /like hPa, for example 10\d\d.*--unit pressure=hpa if it is\.$/,
    'hpa',
  ],
  ['pressure', () => 29.53, /looks like inHg/, 'inhg'],
  ['pressure', () => 100.1, /looks like kPa/, 'kpa'],
  [
    'pressure',
    () => 740,
    /hPa or mmHg, for example 740\. Add --unit pressure=hpa \(740 is 74000 Pa\) or --unit pressure=mmhg \(740 is 98658 Pa\) if it is\.$/,
    'mmhg',
  ],
  ['no2', (hour) => 0.01 + hour / 1_000, /ppm.*--unit no2=ppm if it is, or --unit no2=ppb/, 'ppb'],
  ['o3', (hour) => 0.03 + hour / 1_000, /ppm.*--unit o3=ppm if it is, or --unit o3=ug\/m3/, 'ppm'],
  [
    'pm25',
    (hour) => 0.03 + hour / 2_000,
    /looks like mg\/m³.*--unit pm25=mg\/m3 if it is, or --unit pm25=ug\/m3 if/,
    'mg/m3',
  ],
  [
    'humidity',
    (hour) => 0.55 + hour / 100,
    /looks like a fraction of 1.*--unit humidity=fraction if it is, or --unit humidity=%/,
    'fraction',
  ],
  ['wind_speed', (hour) => 12.1 + hour, /looks like km\/h/, 'm/s'],
  [
    'temperature',
    () => 45.1,
    /looks like °F, for example 45.1\. Add --unit temperature=f if it is/,
    'c',
  ],
])(
  'a column %s that looks like another unit is asked about until its unit is declared (S8)',
  async (name, value, message, unit) => {
    const text = csv(name, 20, value);
    expect(await askedOf(text)).toMatch(message);
    expect(await askedOf(text)).toContain(`column ${name} looks like`);
    expect(await askedOf(text, { units: [`${name}=${unit}`] })).toBeUndefined();
  },
);

test.each<[what: string, name: string, count: number, (hour: number) => unknown]>([
  ['two humidities up to 1 %', 'humidity', 2, () => 0.9],
  ['a median of 12 m/s', 'wind_speed', 24, () => 12],
  ['temperatures of 45 °C', 'temperature', 20, () => 45],
  ['19 temperatures above', 'temperature', 19, () => 50],
  ['some temperatures above', 'temperature', 40, (hour) => (hour % 3 ? 20 : 50)],
  ['a few particles that look like mg/m³', 'pm25', 40, (hour) => (hour % 3 ? 5 : 0.1)],
  ['a gas that is not there', 'no2', 40, () => 0],
])('a file is not asked about %s', async (_, name, count, value) => {
  expect(await askedOf(csv(name, count, value))).toBeUndefined();
});

test('three humidities of a fraction are asked about', async () => {
  expect(await askedOf(csv('humidity', 3, (hour) => 0.5 + hour / 10))).toContain('a fraction of 1');
});

const rows = Array.from({ length: 30 }, (_, hour) => ({ time: at(hour), value: 50 + (hour % 10) }));
test.each<[what: string, text: string, declared: Declarations]>([
  [
    'history of Home Assistant as CSV',
    `entity_id,state,last_changed\n${rows.map(({ time, value }) => `sensor.t,${value},${time}\n`).join('')}`,
    { columns: ['temperature=sensor.t'], sensor: 1 },
  ],
  [
    'OpenAQ with blank units',
    `location_id,sensors_id,location,datetime,lat,lon,parameter,units,value\n${rows.map(({ time, value }) => `9,1,here,${time},40,44,temperature,,${value}\n`).join('')}`,
    { shift: '0min' },
  ],
])('values in °F without a declared unit are asked about: %s', async (_, text, declared) => {
  expect(await askedOf(text, declared)).toMatch(
    /column temperature looks like °F, for example 5\d|unit of sensor\.t\. .* --unit temperature=f \(55 is 12\.8 °C\)/,
  );
  expect(await askedOf(text, { ...declared, units: ['temperature=f'] })).toBeUndefined();
});
