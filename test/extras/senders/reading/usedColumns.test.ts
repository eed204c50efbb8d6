/** A plan says of each column what it means, in which unit, and who says the unit (S10). */
import { expect, test } from 'vitest';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { readText } from '../support.ts';

const factsOf = async (text: string | Buffer, declared?: Declarations) =>
  (await readText(text, declared)).facts;

/** `PM2.5 (µg/m³) > pm25 µg/m³ in the name`, of columns with values. */
const said = async (text: string, declared?: Declarations) =>
  [...(await factsOf(text, declared)).columns.values()]
    .filter(({ parameter }) => !['sensor_id', 'device', 'time'].includes(parameter))
    .map(({ column, parameter, unit, said_by }) => `${column} > ${parameter} ${unit} ${said_by}`);

const csv = (columns: string, values: string) =>
  `sensor_id,time,${columns}\n1,2026-11-20T08:00:00Z,${values}\n`;

test.each<[what: string, text: string, declared: Declarations, columns: string[]]>([
  ['our name', csv('pm25', '5'), {}, ['pm25 > pm25 µg/m³ our name']],
  ['a short name', csv('temp', '5'), {}, ['temp > temperature °C assumed']],
  ['the name', csv('temp_f', '50'), {}, ['temp_f > temperature f in the name']],
  ['an option', csv('temp', '5'), { units: ['temperature=c'] }, ['temp > temperature °C declared']],
  [
    'the name that is declared',
    csv('fine', '5'),
    { columns: ['pm25_mgm3=fine'] },
    ['fine > pm25 mg/m3 declared'],
  ],
  [
    "someone else's name",
    csv('"NO2 (µg/m³)"', '5'),
    { columns: ['no2=NO2 (µg/m³)'] },
    ['NO2 (µg/m³) > no2 ug/m3 in the name'],
  ],
  ['nobody', csv('fine', '5'), { columns: ['pm25=fine'] }, ['fine > pm25 null null']],
  [
    'a row of units',
    'sensor_id,time,temp\n,,°F\n1,2026-11-20T08:00:00Z,50\n',
    {},
    ['temp > temperature f in a row of units'],
  ],
  ['each row', csv('so2,so2_unit', '5,ppb'), {}, ['so2 > so2 null in each row']],
  [
    'an object',
    '{"sensor_id":1,"time":"2026-11-20T08:00:00Z","pm25":5,"temp_f":50}\n',
    {},
    ['pm25 > pm25 µg/m³ our name', 'temp_f > temperature f in the name'],
  ],
])('the unit of a column is said by %s', async (_, text, declared, columns) => {
  expect(await said(text, declared)).toEqual(columns);
});

test('parameters that rows name are listed once', async () => {
  const header = 'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value';
  const row = (name: string, unit: string) => `1,2,x,2026-11-20T08:00:00Z,,,${name},${unit},5\n`;
  const facts = await factsOf(
    `${header}\n${row('pm25', 'µg/m³')}${row('pm25', 'µg/m³')}${row('co', 'ppm')}`,
  );
  expect([...facts.columns.values()]).toContainEqual({
    ...{ column: 'pm25', parameter: 'pm25', unit: 'µg/m³' },
    said_by: expect.any(String),
  });
  expect(facts.ignored.get('co')).toEqual({ values: 1 });
});

test('a joined time is one column, and values of unused columns are counted without the empty', async () => {
  const text =
    'device;Datum;Uhrzeit;pm25;Note\nroof;20.11.2026;08:00;5;a\nroof;20.11.2026;09:00;6;\n';
  const facts = await factsOf(text, { columns: ['time=Datum+Uhrzeit'], zone: 'UTC' });
  expect([...facts.columns.values()].map(({ column }) => column)).toEqual([
    ...['device', 'Datum+Uhrzeit', 'pm25'],
  ]);
  expect([...facts.ignored]).toEqual([['Note', { values: 1 }]]);
  expect(facts).toMatchObject({ encoding: 'utf-8', delimiter: ';', zone: 'UTC' });
});

test('an encoding is named where no column that is read has it', async () => {
  const text = Buffer.from('sensor_id,time,pm25,Ort\n1,2026-11-20T08:00:00Z,5,Köln\n', 'latin1');
  expect(await factsOf(text)).toMatchObject({ encoding: 'windows-1252', notUtf8: undefined });
});

test('at most a hundred columns that are not used are named', async () => {
  const names = Array.from({ length: 150 }, (_, n) => `x${n}`);
  const { ignored } = await factsOf(csv(`pm25,${names}`, `5,${names}`));
  expect(ignored.size).toBe(100);
});

test('a unit is missing where only some rows of a table say one (S9)', async () => {
  const text = `${csv('temp,unit', '50,F')}1,2026-11-20T09:00:00Z,50,\n`;
  expect([...(await factsOf(text)).undeclared]).toEqual([['temperature', 'temp']]);
});
