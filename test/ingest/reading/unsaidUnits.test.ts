/** Units that nobody says, where none may be assumed: unknown words, and gases of foreign files (S9). */
import { describe, expect, it } from 'vitest';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { stoppingDoubt } from '../../../src/ingest/reading/doubt.ts';
import { doubtsOf } from '../../../src/ingest/reading/doubts.ts';
import { COMMAND_LINE } from '../../../src/ingest/reading/vocabulary.ts';
import { readText } from '../support.ts';

const T = '2026-11-20T08:00:00Z';

/** The question about one row, however few it is; undefined: nothing is asked. */
async function asked(column: string, value: string, declared: Declarations = {}) {
  const { readings, notes } = await readText(
    `sensor_id,time,"${column}"\n1,${T},${value}\n`,
    declared,
  );
  const doubt = stoppingDoubt(doubtsOf(notes, readings, COMMAND_LINE), 1);
  return doubt && `${doubt.what}. ${doubt.remedy}`;
}

describe('an unknown word in the place of a unit', () => {
  it.each<[ours: string, theirs: string, word: string]>([
    ['temperature', 'Temp (R)', 'r'],
    ['temperature', 'Temp, °Ré', '°ré'],
    ['temperature', 'Air (hPa)', 'hpa'],
    ['wind_speed', 'Wind - Beaufort', 'beaufort'],
    ['rain', 'Rain [mm/h]', 'mm/h'],
    ['pm25', 'PM2.5 (particles/cm³)', 'particles/cm³'],
    ['no2', 'NO2 (mg)', 'mg'],
  ])('the word in the mapped column %s=%s is asked about: %s', async (ours, theirs, word) => {
    const columns = [`${ours}=${theirs}`];
    expect(await asked(theirs, '5', { columns })).toMatch(
      `"${word}" stands where ${theirs} says its unit, and is no unit of ${ours}. Say its unit, as in --unit ${ours}=`,
    );
    const units = [`${ours}=${ours === 'no2' ? 'ppb' : UNITS[ours]}`];
    expect(await asked(theirs, '5', { columns, units })).toBeUndefined();
  });
  const UNITS: Record<string, string> = {
    temperature: 'c',
    wind_speed: 'm/s',
    rain: 'mm',
    pm25: 'ug/m3',
  };

  it.each([
    'PM2.5 (ATM)',
    'Feinstaub (Balkon)',
    'PM25, roof',
    'PM2.5 (1h)',
    'PM25 - mean',
    'pm(1)',
    'PM (LGR S/N: 2)',
  ])('a word that is no unit is not asked about: %s', async (theirs) => {
    expect(await asked(theirs, '5', { columns: [`pm25=${theirs}`] })).toBeUndefined();
  });
});

describe('a gas without a unit', () => {
  it('the unit of a mapped gas is asked for, however short its source', async () => {
    const columns = ['no2=Stickstoffdioxid'];
    expect(await asked('Stickstoffdioxid', '38', { columns })).toBe(
      'nothing says the unit of Stickstoffdioxid, and no2 comes in ppb or in ug/m3. Add --unit no2=ppb or --unit no2=ug/m3.',
    );
    expect(
      await asked('Stickstoffdioxid', '38', { columns, units: ['no2=ug/m3'] }),
    ).toBeUndefined();
  });

  it('the unit of a gas is asked for where other columns have foreign names', async () => {
    const text = `Station,time,NO2,o3\n1,${T},38,60\n`;
    const { notes } = await readText(text, { columns: ['sensor_id=Station'] });
    expect([...notes.unsaid.values()].map(({ field }) => field)).toEqual(['NO2', 'o3']);
  });

  it('the unit of a mapped gas is asked for in the layouts of others, too', async () => {
    const archive = 'dateTime,usUnits,interval,outTemp,no2\n1795161900,1,5,41,20\n';
    const { notes } = await readText(archive, { device: 'wx', columns: ['no2=no2'] });
    expect([...notes.unsaid.values()].map(({ field }) => field)).toEqual(['no2']);
  });

  it('the unit of a gas in rows of one parameter is asked for where their unit is blank', async () => {
    const { notes } = await readText(
      `location_id,sensors_id,location,datetime,lat,lon,parameter,units,value\n9,1,here,${T},1,1,no2,,5\n`,
      { shift: '0min' },
    );
    expect([...notes.unsaid.values()].map(({ field }) => field)).toEqual(['no2']);
  });

  it('a gas of our own name in a source of our own names is in our unit', async () => {
    expect(await asked('no2', '38')).toBeUndefined();
  });
});
