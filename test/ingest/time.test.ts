import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readInstant } from '../../src/ingest/time.ts';

test.each([
  ['2026-11-20T13:00:00Z', '2026-11-20T13:00:00.000Z', 0],
  ['2026-11-20T13:00:00+04:00', '2026-11-20T09:00:00.000Z', 0],
  ['2026-11-20 13:00-0330', '2026-11-20T16:30:00.000Z', 0],
  ['2026-11-20t13:00:00.5z', '2026-11-20T13:00:00.500Z', 0],
  ['2026-11-20T13:00:00.123456Z', '2026-11-20T13:00:00.123Z', 456],
  ['2026-11-20T13:00:00,123456789+04', '2026-11-20T09:00:00.123Z', 456],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', 0],
])('%s', (text, iso, rest) => {
  expect(readInstant(text)).toEqual({ microseconds: Date.parse(iso) * 1000 + rest, local: false });
});

test.each(['2026-11-20', '2026-11-20T13:00', '2026-11-20 13:00:00'])('%s is a local time', (text) => {
  expect(readInstant(text)?.local).toBe(true);
});

test.each([
  '',
  '1552525210',
  '20261120T130000Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-31T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T13:00:60Z',
  '2026-11-20T13:60:00Z',
  '2026-11-20T13Z',
  '2026-11-20Z',
  ' 2026-11-20T13:00:00Z',
  '2026-11-20T13:00:00Z ',
  '2026-11-20T13:00:00+16:00',
  '2026-11-20T13:00:00 Europe/Berlin',
  '0050-01-01T00:00:00Z',
  'yesterday',
  'NaN',
])('%j is no time', (text) => {
  expect(readInstant(text)).toBeUndefined();
});

test('whatever Date writes is read as Date means it', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      expect(readInstant(date.toISOString())).toEqual({ microseconds: date.getTime() * 1000, local: false });
    }),
  );
});
