/** Parameters for whole columns. */
import { expect, it } from 'vitest';
import { arrayLiteral } from '../../src/database/arrays.ts';

it('an array literal joins numbers, words and nulls', () => {
  expect(arrayLiteral([1, -0.5, 'NULL', 'out_of_range:pm25', '2026-11-20T13:00:00+04:00'])).toBe(
    '{1,-0.5,NULL,out_of_range:pm25,2026-11-20T13:00:00+04:00}',
  );
  expect(arrayLiteral([])).toBe('{}');
});

it.each(['a,b', '', 'a b', '{', '}', '"a"', 'a\\b', 'a\n'])(
  'an array literal refuses an item that would need quotes: %j',
  (item) => {
    expect(() => arrayLiteral(['fine', item])).toThrow(`cannot contain ${JSON.stringify(item)}`);
  },
);
