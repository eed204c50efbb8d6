import { expect, test } from 'vitest';
import { PARAMETERS, type Parameter } from '../../src/contract/parameters.ts';
import { readValue } from '../../src/ingest/batch.ts';

const metric = (name: string): Parameter => PARAMETERS.find((each) => each.name === name) as Parameter;

test.each([undefined, null, ''])('%j is no value', (given) => {
  expect(readValue(given, metric('pm25'))).toBeNull();
});

test.each([
  ['12.5', 12.5],
  ['+1', 1],
  ['-.5', -0.5],
  ['1e2', 100],
  ['7.', 7],
  [3, 3],
  ['1e-50', 0], // too small for single precision, and no error there
])('%j is the number %j', (given, value) => {
  expect(readValue(given, metric('pm25'))).toBe(value);
});

test.each([
  'NaN',
  'Infinity',
  '-Infinity',
  ' 1',
  '1 ',
  '0x10',
  '1,5',
  '1_000',
  '.',
  '-',
  'e5',
  '1\0',
  true,
  {},
  [1],
  Number.NaN,
])('%j is unreadable', (given) => {
  expect(readValue(given, metric('pm25'))).toBe('unreadable');
});

test.each(PARAMETERS.filter(({ kind }) => kind !== 'vector').map((each) => [each.name, each] as const))(
  'both bounds of %s belong to it, and nothing beyond',
  (_, each) => {
    expect(readValue(each.low, each)).toBe(each.low);
    expect(readValue(each.high, each)).toBe(each.high);
    expect(readValue(each.low - 1e-6, each)).toBe('out_of_bounds');
    expect(readValue(String(each.high + 1e-6), each)).toBe('out_of_bounds');
    expect(readValue('1e400', each)).toBe('out_of_bounds');
    expect(readValue(Number.NEGATIVE_INFINITY, each)).toBe('out_of_bounds');
  },
);

test.each([
  [0, 0],
  ['359.9', Math.fround(359.9)],
  [360, 0],
  [359.99999, 0],
  [359.99997, Math.fround(359.99997)],
  [360.00001, 'out_of_bounds'],
  [-0.00001, 'out_of_bounds'],
])('direction %j becomes %j', (given, value) => {
  expect(readValue(given, metric('wind_direction'))).toBe(value);
});
