/** Columns that say the units of others: beside a value, behind it, or one for all (S9). */
import { describe, expect, it } from 'vitest';
import { isUnitColumn } from '../../../../src/extras/senders/reading/unitColumns.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import { readText } from '../support.ts';

const T = '2026-11-20T08:00:00Z';
const close = (value: number) => expect.closeTo(value, 6);

/** The values of the rows of a table, and the questions about it. */
async function read(header: string, rows: readonly string[], declared = {}) {
  const table = [header, ...rows].join('\n');
  const { readings, facts, doubts } = await readText(`${table}\n`, declared);
  return {
    values: readings.map(({ values }) => values),
    asked: doubts.of(readings, COMMAND_LINE).map(({ what }) => what),
    ignored: [...facts.ignored.keys()],
  };
}

describe('a column of units', () => {
  it.each<[what: string, header: string, row: string, values: object, ignored: string[]]>([
    ['beside the value, by its name', 'SO2,SO2_Unit', '10,PPB', { so2: close(26.609) }, []],
    ['with the name before it', 'so2_unit,o3,so2', 'PPB,5,10', { o3: '5', so2: close(26.609) }, []],
    [
      'behind each value',
      'no2,unit,o3,unit',
      '19.125,ugm-3,10,ppb',
      { no2: close(10), o3: close(19.957) },
      [],
    ],
    [
      'behind each value and its status',
      'no2,status,unit,o3,status,unit',
      '19.125,P,ugm-3,7,P,ugm-3',
      { no2: close(10), o3: '7' },
      ['status'],
    ],
    [
      'for all values',
      'pm25,pm10,Units of Measure',
      '0.01,0.02,mg/m3',
      { pm25: close(10), pm10: close(20) },
      [],
    ],
    [
      'for a parameter by our name',
      'temp,pressure,TempUnit,PressureUnit',
      '50,1013.2,F,hPa',
      { temperature: close(10), pressure: close(101_320) },
      [],
    ],
    [
      'for a value that nobody reads',
      'co,co_unit,pm25',
      '0.3,PPM,5',
      { pm25: '5' },
      ['co', 'co_unit'],
    ],
    [
      'of a value whose name says its unit',
      'temp_f,temp_f_unit',
      '50,°F',
      { temperature: close(10) },
      ['temp_f_unit'],
    ],
  ])('a column of units %s is read', async (_, header, row, values, ignored) => {
    const found = await read(`sensor_id,time,${header}`, [`1,${T},${row}`]);
    expect(found).toMatchObject({ values: [values], asked: [] });
    expect(found.ignored.sort()).toEqual(ignored.sort());
  });

  it('each row has its own unit', async () => {
    const rows = [`1,${T},20,ppb`, `2,${T},38.25,µg/m³`, `3,${T},,`];
    expect(await read('sensor_id,time,no2,unit', rows)).toEqual({
      values: [{ no2: '20' }, { no2: close(20) }, { no2: null }],
      asked: [],
      ignored: [],
    });
  });

  it('a declared unit comes before a column of units', async () => {
    const { values } = await read('sensor_id,time,no2,no2_unit', [`1,${T},5,ug/m3`], {
      units: ['no2=ppb'],
    });
    expect(values).toEqual([{ no2: '5' }]);
  });

  it('an unknown word in a column of units is asked about, and its value never taken for ours', async () => {
    const found = await read('sensor_id,time,no2,no2_unit', [`1,${T},5,stone`]);
    expect(found).toMatchObject({
      values: [{ no2: '5 stone' }],
      asked: ['"stone" stands where no2 says its unit, and is not a unit of no2'],
    });
  });

  it('an unknown word in a row of units is asked about', async () => {
    const rows = [',,Volts,%', `1,${T},5,80`];
    expect(await read('sensor_id,time,temperature,humidity', rows)).toMatchObject({
      values: [{ temperature: '5 Volts', humidity: '80' }],
      asked: ['"Volts" stands where temperature says its unit, and is not a unit of temperature'],
    });
  });

  it('a unit in a row of units comes before the unit of a declared column', async () => {
    const declared = { columns: ['temperature_f=Air'] };
    const { values } = await read('sensor_id,time,Air', [',,K', `1,${T},283.15`], declared);
    expect(values).toEqual([{ temperature: close(10) }]);
  });

  it('keys of JSON are columns alike, in the payload of a message, too', async () => {
    const decoded_payload = { so2: 10, so2_unit: 'ppb' };
    const message = { end_device_ids: { device_id: 'x' }, uplink_message: { decoded_payload } };
    for (const given of [{ sensor_id: 1, time: T, ...decoded_payload }, message]) {
      const { readings } = await readText(JSON.stringify(given));
      expect(readings[0]?.values).toEqual({ so2: close(26.609) });
    }
  });
});

it.each<[name: string, isOne: boolean]>([
  ['Units of Measure', true],
  ['SO2_Unit', true],
  ['einheit', true],
  ['PressureUnit', true],
  ['unit_id', false],
  ['usUnits', false],
  ['community', false],
])('the name %s says units: %s', (name, isOne) => {
  expect(isUnitColumn(name)).toBe(isOne);
});
