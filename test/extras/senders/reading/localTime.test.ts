import { describe, expect, test } from 'vitest';
import {
  makeLocalOffsets,
  makeOffsetAdder,
} from '../../../../src/extras/senders/reading/localTime.ts';
import { makeOtherZone } from '../../../../src/extras/senders/reading/otherZone.ts';
import { makeTimeReader } from '../../../../src/extras/senders/reading/times.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import { isAll } from '../../../support/database.ts';
import { offsetAt, transitionsOf } from '../../../support/localTime.ts';

const HOUR = 3_600_000;
const NEW_YORK = {
  zone: 'America/New_York',
  transitions: transitionsOf('America/New_York'),
};
const PM25 = { pm25: 5 };
const written = (offset: number) => {
  const minutes = Math.abs(offset) / 60_000;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}:${rest}`;
};

describe('offsets of local hours', () => {
  const others = ['Africa/Casablanca', 'Asia/Kathmandu', 'Australia/Adelaide'];
  test.each(['America/New_York', 'Pacific/Apia', ...(isAll ? others : [])])(
    'local offsets are right for every hour that clocks in %s showed in 2011',
    (zone) => {
      const expected = new Map<string, string[]>();
      for (let at = Date.UTC(2011, 0, 1); at < Date.UTC(2012, 0, 1); at += HOUR) {
        const offset = offsetAt(zone, at);
        const hour = new Date(at + offset).toISOString().slice(0, 13).replace('T', ' ');
        expected.set(hour, [...(expected.get(hour) ?? []), written(offset)]);
      }
      const offsetsOf = makeLocalOffsets(transitionsOf(zone));
      expect([...expected.keys()].map((hour) => [hour, offsetsOf(hour)])).toEqual([...expected]);
    },
  );

  test('skipped hours and text that is not an hour have no local offset', () => {
    const offsetsOf = makeLocalOffsets(transitionsOf('Europe/London'));
    expect(
      ['2026-03-29 01', '2026-03-29 02', 'garbage', '2026-99-99 12', ''].map(offsetsOf),
    ).toEqual([[], ['+01:00'], [], [], []]);
  });
});

test('in an hour that occurs twice, the second time of a sensor begins where its stamps go back', () => {
  const withOffset = makeOffsetAdder(transitionsOf('Europe/London'));
  const stamps: [sensor: string, time: string, read: string][] = [
    ['1', '00:30', '00:30+01:00'],
    ['1', '01:00', '01:00+01:00'],
    ['2', '01:50', '01:50'], // the first of its sensor: nothing says which time it is
    ['1', '01:30', '01:30+01:00'],
    ['1', '01:00', '01:00+00:00'],
    ['2', '01:55', '01:55'],
    ['2', '01:05', '01:05'], // the file may have its newest first
    ['1', '01:30', '01:30+00:00'],
    ['2', '02:00', '02:00+00:00'],
  ];
  const read = stamps.map(([sensor, time]) =>
    withOffset(`2026-10-25 ${time}`, sensor, PM25).slice(11),
  );
  expect(read).toEqual(stamps.map(([, , expected]) => expected));
});

/** A line: its time, the parameters that it gives, and the pass that it is of. */
type Line = [time: string, values: string, pass: 'summer' | 'winter' | 'untold'];
const minutes = (hour: string, values: string, pass: Line[2]) =>
  ['00', '20', '40'].map((minute): Line => [`${hour}:${minute}`, values, pass]);
const twice = (all: readonly Line[]) => all.flatMap((line) => [line, line]);
const eachParameter = (all: readonly Line[]) =>
  all.flatMap(([time, , pass]) => ['pm25', 'humidity'].map((one): Line => [time, one, pass]));
const sparse: Line[] = [
  ['00:40', 'pm25', 'summer'],
  ['01:00', 'pm25 humidity', 'summer'],
  ['01:20', 'pm25', 'summer'],
  ['01:00', 'pm25', 'winter'], // its humidity is missing
  ['01:20', 'humidity', 'winter'],
  ['02:00', 'pm25 humidity', 'winter'],
];
const hours: Line[] = [
  ['00:00', 'pm25', 'summer'],
  ['01:00', 'pm25', 'summer'],
  ['01:00', 'pm25', 'winter'],
  ['02:00', 'pm25', 'winter'],
];
const parts = [
  ...minutes('00', 'pm25', 'summer'),
  ...minutes('01', 'pm25', 'summer'),
  ...minutes('01', 'pm25', 'winter'),
  ...minutes('02', 'pm25', 'winter'),
];
const INTO_IT: Line = ['00:00', 'pm25', 'summer'];

const TOLD: [what: string, lines: readonly Line[]][] = [
  ['hours', hours],
  ['hours that stand twice', twice(hours)],
  ['a row for each parameter of hours', eachParameter(hours)],
  ['a row for each parameter of hours that stand twice', twice(eachParameter(hours))],
  [
    'rows of each parameter one after the other',
    hours.flatMap(([time, , pass], at) =>
      at === 2
        ? []
        : ['pm25', 'humidity'].flatMap((one): Line[] =>
            time === '01:00'
              ? [
                  [time, one, 'summer'],
                  [time, one, 'winter'],
                ]
              : [[time, one, pass]],
          ),
    ),
  ],
  ['parts of an hour', parts],
  ['parts of an hour that stand twice', twice(parts)],
  ['a row for each parameter of parts of an hour', eachParameter(parts)],
  ['rows with blanks', sparse],
  [
    'a part of an hour that stands twice, once',
    parts.flatMap((line, at) => (at === 4 ? [line, line] : [line])),
  ],
];

const ONCE: (typeof TOLD)[number] = [
  'lines twice of one pass alone',
  twice([INTO_IT, ['01:00', 'pm25', 'summer'], ['02:00', 'pm25', 'winter']]),
];

test.each([
  ...TOLD,
  ONCE,
  ...TOLD.map(([what, all]): (typeof TOLD)[number] => [`${what}, newest first`, all.toReversed()]),
])(
  'the order of the lines tells the passes of an hour that occurs twice: %s (Z1, S7)',
  (_, all) => {
    const undecided = new Map<string, string>();
    const withOffset = makeOffsetAdder(NEW_YORK.transitions, {
      onUndecided: (sensor, hour, stamp) =>
        stamp === undefined ? undecided.delete(hour + sensor) : undecided.set(hour + sensor, stamp),
    });
    // sensors in turn, of which each has its own order
    const read = all.flatMap(([time, names]) =>
      ['1', '2'].map((sensor) => {
        const values = Object.fromEntries(names.split(' ').map((name) => [name, 5]));
        return withOffset(`2026-11-01 ${time}`, sensor, { ...values, pm10: null }).slice(11);
      }),
    );
    const expected = all.map(
      ([time, , pass]) => `${time}${pass === 'summer' ? '-04:00' : '-05:00'}`,
    );
    expect(read).toEqual(expected.flatMap((one) => [one, one]));
    expect([...undecided]).toEqual([]);
  },
);

const untold = (time: string): Line => [time, 'pm25', 'untold'];
const UNTOLD: [what: string, lines: readonly Line[], stamp: string][] = [
  [
    'both passes in turn',
    [INTO_IT, ...['01:00', '01:10', '01:20'].flatMap((time) => [untold(time), untold(time)])],
    '01:10',
  ],
  [
    'parts of an hour in turn',
    [INTO_IT, untold('00:50'), untold('01:00'), untold('01:00'), untold('02:00')],
    '01:00',
  ],
  [
    'hours of a clock that drifts',
    [['00:00:20', 'pm25', 'summer'], untold('01:00'), untold('01:00:10'), untold('02:00')],
    '01:00:10',
  ],
  ['a third line of an hour', [INTO_IT, ...['01:00', '01:00', '01:00'].map(untold)], '01:00'],
  [
    'lines that turn back again',
    [INTO_IT, ...['01:00', '01:30', '01:00', '01:30', '01:10'].map(untold)],
    '01:10',
  ],
  [
    'a line twice, and then lines that turn back',
    [INTO_IT, ...['01:00', '01:00', '01:30', '01:00'].map(untold)],
    '01:00',
  ],
];

test.each(UNTOLD)(
  'an hour that occurs twice is named where the order does not tell its passes: %s (S7)',
  (_, all, stamp) => {
    const zone = makeOtherZone();
    const read = makeTimeReader({}, NEW_YORK, zone.observersOf);
    for (const [time] of all) read(`2026-11-01 ${time}`, 1, 0, PM25);
    const at = `2026-11-01 ${stamp}`;
    expect(zone.doubts(COMMAND_LINE)).toMatchObject([
      {
        what: expect.stringContaining(`${at} of 1 is in an hour`),
        remedy: expect.stringContaining(`as ${at}-04:00 or ${at}-05:00,`),
      },
    ]);
  },
);
