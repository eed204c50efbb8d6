/** Columns that tell values apart and that nobody uses stop a source, unless they are declared (S9). */
import { describe, expect, it } from 'vitest';
import { dividingKind } from '../../../../src/extras/senders/reading/dividing.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import { askedOf, readText } from '../support.ts';

/** The question about a few rows; undefined: nothing is asked. */
const asked = (header: string, rows: readonly string[], declared?: Declarations) =>
  askedOf(`${[header, ...rows].join('\n')}\n`, declared, rows.length);
/** Rows an hour apart, so that they do not contradict each other. */
const hours = (...rows: string[]) => rows.map((row, hour) => `2026-11-20T0${hour}:00:00Z,${row}`);

describe('a place', () => {
  it.each(['host', 'Sensor Name', 'Method Type'])(
    'two values of %s of one device stop a source, and a declaration answers',
    async (name) => {
      const rows = hours('5,cellar', '6,roof');
      const header = `time,pm25,${name}`;
      const message = await asked(header, rows, { device: 'roof' });
      expect(message).toMatch(
        `column ${name} (cellar, roof) tells rows of roof apart, and is not used`,
      );
      expect(message).toContain(COMMAND_LINE.option('column', `device=${name}`));
      for (const answer of [`${name}=roof`, `${name}=*`])
        expect(await asked(header, rows, { device: 'roof', only: [answer] })).toBeUndefined();
      expect(await asked(header, rows, { columns: [`device=${name}`] })).toBeUndefined();
    },
  );

  it('a place that goes with the device tells nothing apart', async () => {
    const rows = hours('1,5,North', '2,6,South', '1,7,North');
    expect(await asked('time,sensor_id,pm25,SiteName', rows)).toBeUndefined();
  });
});

describe('a parameter', () => {
  it.each(['parameter', 'Pollutant', '_field', 'Magnitud'])(
    'two values of %s stop a source, also of two devices',
    async (name) => {
      const rows = hours('north,no2,20', 'south,so2,8');
      const columns = ['device=name', 'no2=value'];
      const declared = { columns, units: ['no2=ppb'] };
      expect(await asked(`time,name,${name},value`, rows, declared)).toMatch(
        `column ${name} (no2, so2) tells parameters apart`,
      );
      const only = { ...declared, only: [`${name}=no2`] };
      expect(await asked(`time,name,${name},value`, rows, only)).toBeUndefined();
    },
  );

  it.each([
    ['Ozone', 'o3', false],
    ['44201', 'o3', false],
    ['Ozone', 'so2', true],
    ['pm10', 'pm25', true],
    ['pm25', 'pm25_raw', false],
  ])('one value %s stops a column taken for %s: %s', async (value, taken, stops) => {
    const units = [`${taken}=ug/m3`];
    const declared = { device: 'a', columns: [`${taken}=v`], units };
    const message = await asked('time,parameter,v', hours(`${value},5`), declared);
    if (stops) expect(message).toMatch(`values are taken for ${taken}`);
    else expect(message).toBeUndefined();
  });
});

describe('a unit', () => {
  it('a unit that is the declared one stops nothing', async () => {
    const units = ['o3=ppm'];
    expect(
      await asked('time,sensor_id,o3,unit', hours('1,0.03,Parts per million'), { units }),
    ).toBe(undefined);
  });

  it('a unit that is another than the declared one stops a source', async () => {
    const message = await asked('time,sensor_id,o3,unit', hours('1,30,ppb'), {
      units: ['o3=ug/m3'],
    });
    expect(message).toMatch('column unit says ppb, but o3 is taken to be in ug/m3');
  });

  it('two units in rows stop a source whose unit is declared', async () => {
    const message = await asked('time,sensor_id,o3,unit', hours('1,30,ppb', '1,60,ug/m3'), {
      units: ['o3=ug/m3'],
    });
    expect(message).toMatch('column unit (ppb, ug/m3) tells units apart');
  });

  it('a system of units stops a source whose units are not declared', async () => {
    const rows = hours('1,38,1');
    const header = 'time,sensor_id,temperature,usUnits';
    expect(await asked(header, rows)).toMatch('the unit of temperature is not declared');
    expect(await asked(header, rows, { units: ['temperature=f'] })).toBeUndefined();
    const both = hours('1,38,1', '1,5,17');
    expect(await asked(header, both, { units: ['temperature=f'] })).toMatch('usUnits (1, 17)');
  });
});

it('a column of AM and PM stops a source that reads the time without it', async () => {
  const rows = ['11/20/2026 8:00,PM,1,5'];
  const declared = { dateFormat: 'mm/dd/yyyy', zone: 'UTC' };
  expect(await asked('time,AM/PM,sensor_id,pm25', rows, declared)).toContain(
    '--column time=DATE+TIME+AM/PM',
  );
  const columns = ['time=time+AM/PM'];
  expect(await asked('time,AM/PM,sensor_id,pm25', rows, { ...declared, columns })).toBeUndefined();
});

describe('a declared owner', () => {
  it('a declared device wins over a column that merely has the name sensor_id', async () => {
    const rows = `time,sensor_id,station,pm25\n2026-11-20T08:00:00Z,99,north,5\n`;
    for (const [columns, device] of [
      [['device=station'], 'north'],
      [['device=sensor_id'], '99'],
    ] as const) {
      const { readings } = await readText(rows, { columns });
      expect(readings).toMatchObject([{ sensorId: undefined, device }]);
    }
  });

  it('a column that is declared not to matter does not contradict a declared device', async () => {
    const { readings } = await readText(`time,sensor_id,pm25\n2026-11-20T08:00:00Z,99,5\n`, {
      device: 'roof',
      only: ['sensor_id=*'],
    });
    expect(readings).toMatchObject([{ sensorId: undefined, device: 'roof' }]);
  });
});

it.each([
  ['sensor_type', undefined],
  ['StateName', undefined],
  ['unit_id', 'place'],
  ['unit', 'unit'],
  ['usUnits', 'system'],
  ['ampm', 'half'],
  ['field', undefined],
  ['Parameter Code', 'parameter'],
])('the name %s tells apart: %s', (name, kind) => {
  expect(dividingKind(name)).toBe(kind);
});
