/** The oldest and the newest reading of a source, and years between two: a clock that was reset. */
import { expect, it } from 'vitest';
import { addTimes, describeGap, emptySpan, inUtc } from '../../../src/ingest/reading/span.ts';

const spanOf = (times: readonly string[], quarantined: readonly { index: number }[] = []) => {
  const span = emptySpan();
  const readings = times.map((measuredAt) => ({ sensorId: 1, measuredAt, values: {}, text: '' }));
  addTimes(span, readings, quarantined);
  return span;
};

it('the span of a source is in UTC, in any order of times, without quarantined readings', () => {
  const times = ['2026-11-20T10:00:00+02:00', '2000-01-01T00:00:07Z', '2027-01-01T00:00:00Z'];
  const { oldest = 0, newest = 0 } = spanOf(times, [{ index: 2 }]);
  expect([inUtc(oldest), inUtc(newest)]).toEqual(['2000-01-01T00:00:07Z', '2026-11-20T08:00:00Z']);
});

it('more than twelve months without a reading are reported as a clock that was reset', () => {
  expect(describeGap(spanOf(['2026-11-20T08:00:00Z', '2025-10-31T00:00:07Z']))).toContain(
    'the oldest reading is of 2025-10-31T00:00:07Z, and between 2025-10 and 2026-11 there is none: a clock that was reset?',
  );
});

it('twelve months without a reading are no gap, as in an archive of yearly means', () => {
  const years = ['2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', '2025-12-31T00:00:00Z'];
  expect(describeGap(spanOf(years))).toBeUndefined();
});
