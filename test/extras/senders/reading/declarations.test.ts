/** Declarations that cannot be followed, each with its message. */
import { expect, it } from 'vitest';
import { checkDeclarations } from '../../../../src/extras/senders/reading/collect.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { readText } from '../support.ts';

it.each<[what: string, declared: Declarations, said: string | RegExp]>([
  [
    'an unknown unit',
    { units: ['no2=stone'] },
    /^--unit: no2 has no unit "stone"\. It has: ug\/m3, mg\/m3, ug\/m3@25c, mg\/m3@25c, ppb, ppm\.$/,
  ],
  [
    'a unit of an unknown parameter',
    { units: ['co=ppm'] },
    /^--unit: unknown parameter "co"\. Known names: sensor_id/,
  ],
  [
    'a column for an unknown name',
    { columns: ['co=CO'] },
    /^--column: unknown name "co"\. Known names: sensor_id/,
  ],
  [
    'a column for a name that every object of JavaScript has',
    { columns: ['constructor=pm25'] },
    /^--column: unknown name "constructor"/,
  ],
  [
    'a column that is turned round',
    { columns: ['PM=pm25'] },
    /^--column: unknown name "PM", and "pm25" behind it is ours\. Our name comes first: --column pm25=PM\.$/,
  ],
  [
    'a time that is turned round',
    { columns: ['Datum=time'] },
    /^--column: .* Our name comes first: --column time=Datum\.$/,
  ],
  [
    'a unit that is turned round',
    { units: ['f=temperature'] },
    /^--unit: unknown parameter "f", and .* comes first: --unit temperature=f\.$/,
  ],
  [
    'an unknown format',
    { name: 'csv' },
    /^--format: there is no format "csv"\. There are: airgradient, airnow, airquality-am/,
  ],
])('a declaration is refused with the reason: %s', (_, declared, said) => {
  expect(() => checkDeclarations(declared)).toThrow(said);
});

it('a declaration may name particles as the API does', () => {
  const text = `sensor_id,time,fine,raw\n1,2026-11-20T08:00:00Z,0.5,7\n`;
  const columns = ['pm2.5=fine', 'pm2.5_raw=raw'];
  return expect(readText(text, { columns, units: ['pm2.5=mg/m3'] })).resolves.toMatchObject({
    readings: [{ values: { pm25: 500, pm25_raw: '7' } }],
  });
});
