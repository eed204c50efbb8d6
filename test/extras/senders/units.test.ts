/**
 * The unit of a value: by the name of its column, by the name of a column that is mapped to it, or
 * declared apart. It is converted once, with the factors of S6.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARAMETER_NAMES, type ParameterName } from '../../../src/contract/parameters.ts';
import { isSameUnit, unitsOf } from '../../../src/extras/senders/units.ts';
import { COMMAND_LINE } from '../../../src/ingest/reading/vocabulary.ts';
import { readText } from './support.ts';

const T = '2026-11-20T08:00:00Z';
const close = (value: number) => expect.closeTo(value, 6);

/** The values of a table with one row and one column of values. */
async function valuesOf(column: string, given: string, declared = {}) {
  const { readings } = await readText(`sensor_id,time,${column}\n1,${T},${given}\n`, declared);
  return readings[0]?.values;
}

it.each<[column: string, given: string, parameter: string, stored: unknown]>([
  // S6: 1 ppb is 1.9125 µg/m³ of NO₂, 1.9957 of O₃, 2.6609 of SO₂
  ['no2_ugm3', '1.9125', 'no2', close(1)],
  ['no2_ppm', '0.001', 'no2', close(1)],
  ['no2_ppb', '1', 'no2', '1'],
  ['no2 [µg m⁻³]', '1.9125', 'no2', close(1)],
  ['o3_ppb', '1', 'o3', close(1.9957)],
  ['o3_ugm3', '1', 'o3', '1'],
  ['so2_ppb', '1', 'so2', close(2.6609)],
  ['so2 (mg/m³)', '0.5', 'so2', close(500)],
  // gases at 25 °C: the factors above × 293.15 ÷ 298.15
  ['no2_ugm3@25c', '1.8804', 'no2', expect.closeTo(1, 4)],
  ['o3 (µg/m³ @25°C)', '1.9622', 'o3', expect.closeTo(1.9957, 4)],
  ['so2 [mg/m³@25c]', '0.0026163', 'so2', expect.closeTo(2.6609, 4)],
  ['temperature_f', '103', 'temperature', close(39.444444)],
  ['temperature_k', '273.15', 'temperature', close(0)],
  ['temp_f', '-40', 'temperature', close(-40)],
  ['temperature_f', 'broken', 'temperature', 'broken'],
  ['pressure_hpa', '1013.25', 'pressure', close(101_325)],
  ['pressure_mbar', '1013.25', 'pressure', close(101_325)],
  ['pressure [inHg]', '29.92', 'pressure', close(101_320.75888)],
  ['pressure_kpa', '101.325', 'pressure', close(101_325)],
  ['pressure_mmhg', '760', 'pressure', close(101_324.72)],
  ['wind_speed_kmh', '36', 'wind_speed', close(10)],
  ['wind_speed_mph', '10', 'wind_speed', close(4.4704)],
  ['wind_speed_kn', '10', 'wind_speed', close(5.144444)],
  ['rain_in', '0.1', 'rain', close(2.54)],
])('the name of the column %s says the unit of %s', async (column, given, parameter, stored) => {
  expect(await valuesOf(column, given)).toEqual({ [parameter]: stored });
});

/** The rows of a table of src/extras/senders/README.md that begins with this cell: each with its examples. */
function readmeTable(head: string): { name: string; examples: string[] }[] {
  const readme = readFileSync('src/extras/senders/README.md', 'utf8');
  const [, table = ''] = readme.split(`| ${head} `);
  return [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `?([^`|]+?)`? +\|(.*)\|$/gm)]
    .map(([, name = '', cells = '']) => ({
      name,
      examples: [...cells.matchAll(/`([^`]+)`/g)].map(([, example = '']) => example),
    }))
    .filter(({ name }) => !name.startsWith('-'));
}

describe('the spellings of units in the README', () => {
  const units = readmeTable('unit | is read as');
  const parameterOf = (unit: string) =>
    PARAMETER_NAMES.find((parameter) => unitsOf(parameter).includes(unit)) as ParameterName;

  it.each(units)(
    'each spelling of $name is read as it, in every place (S9)',
    async ({ name, examples }) => {
      const parameter = parameterOf(name);
      const expected = await valuesOf(parameter, '20', { units: [`${parameter}=${name}`] });
      expect(examples.length).toBeGreaterThan(0);
      for (const [index, spelled] of [name, ...examples].entries()) {
        expect(isSameUnit(spelled, name, parameter), spelled).toBe(true);
        const others = [`Air [${spelled}] 1h`, `Air, ${spelled}`, `Air - ${spelled}`];
        for (const theirs of [`Air (${spelled})`, ...(index === 0 ? others : [])]) {
          const json = JSON.stringify({ sensor_id: 1, time: T, [theirs]: '20' });
          const { readings, doubts } = await readText(json, {
            columns: [`${parameter}=${theirs}`],
          });
          expect(readings[0]?.values, theirs).toEqual(expected);
          expect(doubts.of([], COMMAND_LINE), theirs).toEqual([]);
        }
        const beside = JSON.stringify({ sensor_id: 1, time: T, [parameter]: '20', unit: spelled });
        expect((await readText(beside)).readings[0]?.values, spelled).toEqual(expected);
        for (const cell of index === 0 ? [spelled, `(${spelled})`] : [spelled]) {
          const row = `sensor_id;time;${parameter}\n;;${cell}\n1;${T};20\n`;
          expect((await readText(row)).readings[0]?.values, cell).toEqual(expected);
        }
      }
    },
  );

  it('every unit of every parameter has a row in the table', () => {
    const all = new Set(PARAMETER_NAMES.flatMap((parameter) => unitsOf(parameter)));
    const listed = units.map(({ name }) => name);
    // the mg of a gas at 25 °C is written as its µg is; a direction and an index have one unit
    expect([...all].filter((unit) => !listed.includes(unit))).toEqual([
      'mg/m3@25c',
      'uvindex',
      'deg',
    ]);
  });
});

describe('the places of units in the README', () => {
  const EXPECTED: Record<string, [ParameterName, value: number]> = {
    'Stickstoffdioxid (µg/m³)': ['no2', 20 / 1.9125],
    'NO2 [mg/m³] 1h': ['no2', 20_000 / 1.9125],
    'Temp, °F (LGR S/N: 20000001)': ['temperature', -20 / 3],
    'Wind Speed - mph': ['wind_speed', 8.9408],
    'Barometer - in Hg': ['pressure', 67_727.78],
    no2_ugm3: ['no2', 20 / 1.9125],
    temperature_f: ['temperature', -20 / 3],
    PM2_5_ug_m3: ['pm25', 20],
    'NO2 µg/m³': ['no2', 20 / 1.9125],
    'Outdoor Temp F': ['temperature', -20 / 3],
    tempf: ['temperature', -20 / 3],
    windspeedmph: ['wind_speed', 8.9408],
    dailyrainin: ['rain', 508],
    PressureHPa: ['pressure', 2_000],
    PrecipDailyIn: ['rain', 508],
  };

  it('a name with its unit at each place of the table is read', async () => {
    const names = readmeTable('place | as in')
      .slice(0, 5)
      .flatMap(({ examples }) => examples);
    expect(names).toEqual(Object.keys(EXPECTED));
    for (const [theirs, [parameter, value]] of Object.entries(EXPECTED)) {
      const json = JSON.stringify({ sensor_id: 1, time: T, [theirs]: 20 });
      const { readings } = await readText(json, { columns: [`${parameter}=${theirs}`] });
      expect(readings[0]?.values, theirs).toEqual({ [parameter]: close(value) });
    }
  });

  it('a name of ours with its unit at any place is read without being mapped', async () => {
    for (const own of ['Temp, °F (LGR S/N: 1)', 'temp - °F', 'tempf', 'temp f', 'temperature (°F)'])
      expect(
        (await readText(JSON.stringify({ sensor_id: 1, time: T, [own]: 50 }))).readings[0]?.values,
      ).toEqual({ temperature: close(10) });
    // with more words it is another column, such as the lowest of a day
    for (const other of ['temperature (°C) min', 'temp_max_f', 'temp - °F - low'])
      expect(
        (await readText(JSON.stringify({ sensor_id: 1, time: T, pm25: 1, [other]: 50 })))
          .readings[0]?.values,
      ).toEqual({ pm25: 1 });
  });
});

it('a declared unit comes before the unit in the name of a column', async () => {
  expect(await valuesOf('temperature_f', '12', { units: ['temperature=c'] })).toEqual({
    temperature: '12',
  });
});
