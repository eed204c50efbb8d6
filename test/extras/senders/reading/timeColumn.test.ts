/** The name of a time column may say an offset, or the end of an interval (S7). */
import { expect, test } from 'vitest';
import { offsetInName, timeColumnOf } from '../../../../src/extras/senders/reading/timeColumn.ts';
import { makeColumns, type Row } from '../../../../src/ingest/rows/row.ts';

test.each([
  ['Date Time, GMT+01:00', '+01:00'],
  ['Date Time, GMT-07:00', '-07:00'],
  ['Time (UTC+1)', '+01:00'],
  ['Time (UTC−7)', '-07:00'],
  ['Time (UTC + 5:30)', '+05:30'],
  ['time_gmt+0530', '+05:30'],
  ['Zeit [+01:00]', '+01:00'],
  ['Time (UTC)', '+00:00'],
  ['timestamp_utc', '+00:00'],
  ['UTCDateTime', '+00:00'],
  ['dateutc', '+00:00'],
  ['Date GMT', '+00:00'],
  ['UTC - start', '+00:00'],
  ['time', undefined],
  ['Date Local', undefined],
  ['Time (Etc/GMT-1)', undefined],
  ['outcome time', undefined],
  ['UTC+20', undefined],
  ['00-23:59', undefined],
])('the name %j says the offset %s', (name, offset) => {
  expect(offsetInName(name)).toBe(offset);
});

const columnOf = (...names: string[]) => {
  const row: Row = { names: makeColumns(names, ','), cells: names, text: '', line: 1 };
  const positions = names.map((_, index) => ({ index, path: undefined }));
  return timeColumnOf(row, { positions, isJoined: true });
};

test.each([
  '_stop',
  'time_end',
  'EndTime',
  'DatetimeEnd',
  'endtime',
  'Hour ending',
  'period.datetimeTo.utc',
  'bis',
  'Enddatum',
  'date_fin',
  'Heure de fin',
])('the name %j says that it is the end of an interval', (name) => {
  expect(columnOf('Date', name).end).toBe(
    `the name of Date+${name} says that it is the end of each interval`,
  );
});

test.each(['time', 'Start', 'weekend', 'calendar', 'today', '_time', 'Sender time', 'Befinden'])(
  'the name %j does not say that it is the end of an interval',
  (name) => {
    expect(columnOf(name).end).toBeUndefined();
  },
);
