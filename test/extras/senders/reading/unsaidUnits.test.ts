/** Units of foreign columns: read in the forms that are known, else asked for, all at once (S6, S9). */
import { describe, expect, it } from 'vitest';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import { askedOf, readText } from '../support.ts';

const T = '2026-11-20T08:00:00Z';

/** The question about one row, however few it is; undefined: nothing is asked. */
const asked = (column: string, value: string, declared?: Declarations) =>
  askedOf(`sensor_id,time,"${column}"\n1,${T},${value}\n`, declared, 1);

describe('an unknown word in the place of a unit', () => {
  it.each([
    ['temperature', 'Temp (R)', 'r', 'c'],
    ['temperature', 'Temp, °Ré', '°ré', 'c'],
    ['temperature', 'Air (hPa)', 'hpa', 'c'],
    ['wind_speed', 'Wind - Beaufort', 'beaufort', 'm/s'],
    ['rain', 'Rain [mm/h]', 'mm/h', 'mm'],
    ['pm25', 'PM2.5 (particles/cm³)', 'particles/cm3', 'ug/m3'],
    ['no2', 'NO2 (mg)', 'mg', 'ppb'],
  ])('the word in the mapped column %s=%s is asked about: %s', async (ours, theirs, word, unit) => {
    const columns = [`${ours}=${theirs}`];
    expect(await asked(theirs, '5', { columns })).toMatch(
      `"${word}" stands where ${theirs} says its unit, and is not a unit of ${ours}. Add --unit ${ours}=`,
    );
    const units = [`${ours}=${unit}`];
    expect(await asked(theirs, '5', { columns, units })).toBeUndefined();
  });
});

/** `asked`: no unit is assumed. Every value is one that no bound and no median would find. */
const HEADERS: [ours: string, theirs: string, given: string, stored: number | 'asked'][] = [
  ['temperature', 'AirTempF_Avg', '38', 10 / 3],
  ['temperature', 'Temp_F_avg', '38', 10 / 3],
  ['temperature', 'temp_f_1h', '38', 10 / 3],
  ['temperature', 'ＴＥＭＰ（℉）', '38', 10 / 3],
  ['temperature', 'Temp°F', '38', 10 / 3],
  ['temperature', '気温(℃)', '5', 5],
  ['temperature', 'temp in F', '38', 'asked'],
  ['temperature', 'Temperatura (gradi Fahrenheit)', '38', 'asked'],
  ['temperature', 'AirTC_Avg', '5', 'asked'],
  ['temperature', 'node_f', '38', 'asked'],
  ['temperature', 'Temp_F (°C)', '38', 'asked'],
  ['temperature', 'TG in 0.1 °C', '38', 'asked'],
  ['temperature', 'Temp x10 (°C)', '38', 'asked'],
  ['humidity', 'RH_Avg', '81', 'asked'],
  ['humidity', 'Humidité %', '81', 81],
  ['pressure', 'BP_mmHg_Avg', '740', 98_658.28],
  ['pressure', 'P_10hPa', '10000', 'asked'],
  ['pressure', 'Ճնշում (մմ ս. ս.)', '740', 'asked'],
  ['wind_speed', '风速（km/h）', '9', 2.5],
  ['wind_speed', 'WS_ms_Avg', '3', 3],
  ['wind_speed', 'Vent (nœuds)', '6', 'asked'],
  ['wind_speed', 'Ветер (узлы)', '6', 'asked'],
  ['wind_speed', 'Wind in Knoten', '6', 'asked'],
  ['wind_speed', 'Wind ft/s', '9', 'asked'],
  ['wind_speed', 'Wind Beaufort', '3', 'asked'],
  ['wind_direction', 'Windrichtung (°)', '90', 90],
  ['wind_direction', 'Wind dir [gon]', '100', 'asked'],
  ['wind_direction', 'Wind dir (rad)', '1', 'asked'],
  ['rain', 'Rain_in_Tot', '0.1', 2.54],
  ['rain', 'Precip. [hundredths of inch]', '2', 'asked'],
  ['rain', 'rain 1/100 in', '2', 'asked'],
  ['rain', 'rain_mm_h', '2', 'asked'],
  ['rain', 'Précipitations (dixièmes de mm)', '2', 'asked'],
  ['rain', 'осадки, десятые мм', '2', 'asked'],
  ['usvh', 'nSv/h', '90', 0.09],
  ['usvh', 'Dose rate mSv/h', '90', 'asked'],
  ['usvh', 'Radiation µR/h', '90', 'asked'],
  ['usvh', 'CPM', '19', 'asked'],
  ['uv', 'UV Index', '3', 3],
  ['uv', 'Strahlung', '3', 'asked'],
  ['pm25', 'PM₂.₅（㎍/㎥）', '5', 5],
  ['pm25', 'PM2.5 (ATM)', '5', 'asked'],
  ['pm25', 'Feinstaub', '5', 'asked'],
  ['so2', 'SO2 (pphm)', '0.3', 'asked'],
];

describe('a foreign column', () => {
  it.each(HEADERS)('%s=%s with %s is read or asked about: %s', async (ours, theirs, given, is) => {
    const columns = [`${ours}=${theirs}`];
    const json = JSON.stringify({ sensor_id: 1, time: T, [theirs]: given });
    const [reading] = (await readText(json, { columns })).readings;
    const message = await asked(theirs, given, { columns });
    if (is === 'asked') expect(message).toMatch(`--unit ${ours}=`);
    else {
      expect(message).toBeUndefined();
      expect(Number(Object.values(reading?.values ?? {})[0])).toBeCloseTo(is, 6);
    }
  });

  it('all columns are asked for at once, with an option for each unit that their values can have', async () => {
    const text = `time,Ճնշում,Feuchte,SO2 (pphm)\n${T},740,81,0.3\n`;
    const columns = ['pressure=Ճնշում', 'humidity=Feuchte', 'so2=SO2 (pphm)'];
    const declared = { sensor: 1, columns };
    const { readings, doubts } = await readText(text, declared);
    const [doubt, ...others] = doubts.of(readings, COMMAND_LINE);
    expect(others).toEqual([]);
    expect(doubt?.what).toBe(
      'nothing says the unit of Feuchte, Ճնշում; "pphm" stands where SO2 (pphm) says its unit, and is not a unit of so2',
    );
    expect(doubt?.remedy).toMatch(
      /^Add --unit humidity=% \(81 is 81 %\); and --unit pressure=hpa \(740 is 74000 Pa\) or --unit pressure=mmhg \(740 is 98658 Pa\); and --unit so2=ug\/m3 .* Convert values in any other unit first\.$/,
    );
    const units = ['pressure=mmhg', 'humidity=%', 'so2=ppb'];
    const answered = await readText(text, { ...declared, units });
    expect(answered.doubts.of(answered.readings, COMMAND_LINE)).toEqual([]);
    expect(answered.readings[0]?.values.pressure).toBeCloseTo(98_658.28, 2);
  });

  it.each(['pressure_mmhg=Druck', 'temperature_f=T', 'humidity_%=RF'])(
    'our name may say the unit of the column: %s',
    async (column) => {
      const theirs = column.slice(column.indexOf('=') + 1);
      expect(await asked(theirs, '5', { columns: [column] })).toBeUndefined();
    },
  );

  it('a name of ours has our unit, mapped or not', async () => {
    for (const columns of [[], ['humidity=RH']])
      expect(await asked('RH', '81', { columns })).toBeUndefined();
  });
});

describe('a gas without a unit', () => {
  it('the unit of a mapped gas is asked for, however short its source', async () => {
    const columns = ['no2=Stickstoffdioxid'];
    expect(await asked('Stickstoffdioxid', '38', { columns })).toBe(
      'nothing says the unit of Stickstoffdioxid. Add --unit no2=ug/m3 (38 is 19.9 ppb) or --unit no2=ug/m3@25c (38 is 20.2 ppb) or --unit no2=ppb (38 is 38 ppb). Convert values in any other unit first.',
    );
    expect(
      await asked('Stickstoffdioxid', '38', { columns, units: ['no2=ug/m3'] }),
    ).toBeUndefined();
  });

  it('the unit of a gas is asked for where other columns have foreign names', async () => {
    const text = `Station,time,NO2,o3\n1,${T},38,60\n`;
    const { doubts } = await readText(text, { columns: ['sensor_id=Station'] });
    expect(doubts.of([], COMMAND_LINE)).toMatchObject([
      { what: 'nothing says the unit of NO2, o3' },
    ]);
  });

  it('the unit of a mapped gas is asked for in the layouts of others, too', async () => {
    const archive = 'dateTime,usUnits,interval,outTemp,no2\n1795161900,1,5,41,20\n';
    const { doubts } = await readText(archive, { device: 'wx', columns: ['no2=no2'] });
    expect(doubts.of([], COMMAND_LINE)).toMatchObject([{ what: 'nothing says the unit of no2' }]);
    const card = `UTCDateTime,mac_address,current_temp_f\n2026/11/20T08:00:00z,8:3a,50\n`;
    const mapped = await readText(card, { name: 'purpleair', columns: ['pm25=current_temp_f'] });
    expect(mapped.doubts.of([], COMMAND_LINE)).toMatchObject([
      { what: expect.stringContaining('current_temp_f') },
    ]);
  });

  it('the unit of a gas in rows of one parameter is asked for where their unit is blank', async () => {
    const { doubts } = await readText(
      `location_id,sensors_id,location,datetime,lat,lon,parameter,units,value\n9,1,here,${T},1,1,no2,,5\n`,
      { shift: '0min' },
    );
    expect(doubts.of([], COMMAND_LINE)).toMatchObject([{ what: 'nothing says the unit of no2' }]);
  });

  it('a gas of our own name in a source of our own names is in our unit', async () => {
    expect(await asked('no2', '38')).toBeUndefined();
  });
});
