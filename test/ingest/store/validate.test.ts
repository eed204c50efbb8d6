import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PARAMETERS, type Parameter } from '../../../src/contract/parameters.ts';
import { readInstant } from '../../../src/ingest/reading/instants.ts';
import { readSensorId, readValue } from '../../../src/ingest/store/validate.ts';

const parameter = (name: string): Parameter =>
  PARAMETERS.find((each) => each.name === name) as Parameter;

describe('a value', () => {
  test.each([undefined, null, ''])('the value %j is absent', (given) => {
    expect(readValue(given, parameter('pm25'))).toBeNull();
  });

  test.each([
    ['12.5', 12.5],
    ['+1', 1],
    ['-.5', -0.5],
    ['1e2', 100],
    ['7.', 7],
    [3, 3],
    ['1e-50', 0], // too small for single precision, and no error there
  ])('the value %j is the number %j', (given, value) => {
    expect(readValue(given, parameter('pm25'))).toBe(value);
  });

  test.each(['---', '\u2013', '\u2014', '-', 'NA', 'N/A', 'NaN', 'null', '*', '***', '?'])(
    'the text %j means that there is no value (S7)',
    (given) => {
      expect(readValue(given, parameter('pm25'))).toBe(null);
    },
  );

  test.each([
    ['\u22121.5', -1.5],
    ['1\u202f013', 1_013],
    ['1\u00a0013.5', 1_013.5],
    ['\u20131.5', -1.5],
  ])('the value %j is read as the number that it looks like, %j (S7)', (given, value) => {
    expect(readValue(given, parameter('pm25'))).toBe(value);
  });

  test.each([
    ['N', 0],
    ['nne', 22.5],
    ['NW', 315],
    ['north', 'unreadable'],
  ])('the wind direction %j is read as %j (S7)', (given, value) => {
    expect(readValue(given, parameter('wind_direction'))).toBe(value);
  });

  test.each([
    'Infinity',
    '-Infinity',
    ' 1',
    '1 ',
    '0x10',
    '1,5',
    '1_000',
    '.',
    'e5',
    '1\0',
    true,
    {},
    [1],
    Number.NaN,
  ])('the value %j is unreadable', (given) => {
    expect(readValue(given, parameter('pm25'))).toBe('unreadable');
  });

  test.each(
    PARAMETERS.filter(({ kind }) => kind !== 'vector').map((each) => [each.name, each] as const),
  )('both bounds of %s are inclusive (S1)', (_, each) => {
    expect(readValue(each.low, each)).toBe(each.low);
    expect(readValue(each.high, each)).toBe(each.high);
    const { below = 0, above = 0 } = (each as Parameter).tolerance ?? {};
    expect(readValue(each.low - below - 1e-6, each)).toBe('out_of_bounds');
    expect(readValue(String(each.high + above + 1e-6), each)).toBe('out_of_bounds');
    expect(readValue('1e400', each)).toBe('out_of_bounds');
    expect(readValue(Number.NEGATIVE_INFINITY, each)).toBe('out_of_bounds');
  });

  test.each([
    ['humidity', '105', 100],
    ['humidity', 100.4, 100],
    ['humidity', '105.1', 'out_of_bounds'],
    ['humidity', -0.1, 'out_of_bounds'],
    ['wind_speed', '-0.5', 0],
    ['wind_speed', -0.51, 'out_of_bounds'],
    ['uv', -0.5, 0],
    ['usvh', '-0.01', 0],
    ['uv', 20.1, 'out_of_bounds'],
    ['no2', '-10', -10],
    ['o3', -10, -10],
    ['so2', -10.1, 'out_of_bounds'],
  ])('fog and noise around 0 are tolerated: %s %j is read as %j (S1)', (name, given, value) => {
    expect(readValue(given, parameter(name))).toBe(value);
  });

  test.each([
    [0, 0],
    ['359.9', Math.fround(359.9)],
    [360, 0],
    [359.99999, 0],
    [359.99997, Math.fround(359.99997)],
    [360.00001, 'out_of_bounds'],
    [-0.00001, 'out_of_bounds'],
  ])('the wind direction %j in degrees is read as %j', (given, value) => {
    expect(readValue(given, parameter('wind_direction'))).toBe(value);
  });
});

test('the number of a sensor may be as large as PostgreSQL stores', () => {
  expect([2_147_483_647, '2147483647', 2_147_483_648, '0'].map(readSensorId)).toEqual([
    2_147_483_647,
    2_147_483_647,
    undefined,
    undefined,
  ]);
});

describe('a time', () => {
  test.each([
    ['2026-11-20T13:00:00Z', '2026-11-20T13:00:00.000Z', 0],
    ['2026-11-20T13:00:00+04:00', '2026-11-20T09:00:00.000Z', 0],
    ['2026-11-20 13:00-0330', '2026-11-20T16:30:00.000Z', 0],
    ['2026-11-20t13:00:00.5z', '2026-11-20T13:00:00.500Z', 0],
    ['2026-11-20T13:00:00.123456Z', '2026-11-20T13:00:00.123Z', 456],
    ['2026-11-20T13:00:00,123456789+04', '2026-11-20T09:00:00.123Z', 456],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', 0],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z', 0],
  ])('the time %s is an instant', (text, iso, rest) => {
    expect(readInstant(text)).toEqual({
      microseconds: Date.parse(iso) * 1000 + rest,
      local: false,
    });
  });

  test.each(['2026-11-20', '2026-11-20T13:00', '2026-11-20 13:00:00'])(
    'the time %s is a local time',
    (text) => {
      expect(readInstant(text)?.local).toBe(true);
    },
  );

  test.each([
    '',
    '1552525210',
    '20261120T130000Z',
    '2026-02-29T00:00:00Z',
    '2026-11-20T13Z',
    '2026-11-20Z',
    ' 2026-11-20T13:00:00Z',
    '2026-11-20T13:00:00Z ',
    '2026-11-20T13:00:00+16:00',
    '2026-11-20T13:00:00 Europe/Berlin',
    '0050-01-01T00:00:00Z',
    'yesterday',
    'NaN',
  ])('the time %j is rejected', (text) => {
    expect(readInstant(text)).toBeUndefined();
  });

  test('a time that Date writes is read as the same instant', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(readInstant(date.toISOString())).toEqual({
            microseconds: date.getTime() * 1000,
            local: false,
          });
        },
      ),
    );
  });
});
