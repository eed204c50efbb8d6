/**
 * The unit of a value: by the name of its column, by the name of a column that is mapped to it, or
 * declared apart. It is converted once, with the factors of S6.
 */
import { describe, expect, it } from 'vitest';
import { readText } from './support.ts';

const T = '2026-11-20T08:00:00Z';
const close = (value: number) => expect.closeTo(value, 6);

/** The values of a table with one row and one column of values. */
async function valuesOf(column: string, given: string, declared = {}) {
  const { readings } = await readText(`sensor_id,time,${column}\n1,${T},${given}\n`, declared);
  return readings[0]?.values;
}

describe('units in names of columns', () => {
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
});

describe('units in names of mapped columns', () => {
  it.each<[ours: string, theirs: string, given: string, stored: object]>([
    ['no2', 'Stickstoffdioxid (µg/m³)', '19.125', { no2: close(10) }],
    ['no2', 'NO2 [mg/m³] 1h', '0.019125', { no2: close(10) }],
    ['no2', 'NO2 (1h) [µg/m³@25c]', '18.804', { no2: expect.closeTo(10, 3) }],
    ['temperature', 'Außen (°F)', '41', { temperature: close(5) }],
    ['temperature', 'outdoor_f', '41', { temperature: close(5) }],
    ['pressure', 'Luftdruck (hPa)', '1013.25', { pressure: close(101_325) }],
    ['pm25', 'Feinstaub (Balkon)', '7', { pm25: '7' }],
    ['no2_ppb', 'Stickstoffdioxid (µg/m³)', '20', { no2: '20' }],
  ])(
    'the mapped column %s=%s says the unit of %s, the left name first',
    async (ours, theirs, given, stored) => {
      const declared = { columns: [`${ours}=${theirs}`] };
      expect(await valuesOf(theirs, given, declared)).toEqual(stored);
      const json = JSON.stringify({ sensor_id: 1, time: T, [theirs]: given });
      expect((await readText(json, declared)).readings[0]?.values).toEqual(stored);
    },
  );
});

describe('declared units', () => {
  it('a declared unit counts where no unit is said', async () => {
    expect(await valuesOf('no2', '19.125', { units: ['no2=ug/m3'] })).toEqual({ no2: close(10) });
  });

  it('a declared unit comes before the unit in the name of a column', async () => {
    expect(await valuesOf('temperature_f', '12', { units: ['temperature=c'] })).toEqual({
      temperature: '12',
    });
  });

  it('a declared unit comes before the unit in the name of a mapped column', async () => {
    const declared = { columns: ['no2=Gas (µg/m³)'], units: ['no2=ppb'] };
    expect(await valuesOf('Gas (µg/m³)', '20', declared)).toEqual({ no2: '20' });
  });
});
