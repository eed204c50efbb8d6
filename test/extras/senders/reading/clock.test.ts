/**
 * Stamps that say that a declaration is wrong or missing (S7): of another zone, of the ends of
 * intervals, of a clock of twelve hours, a second short.
 */
import { describe, expect, it } from 'vitest';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { stoppingDoubt } from '../../../../src/ingest/reading/doubt.ts';
import {
  ADDRESS,
  COMMAND_LINE,
  type Vocabulary,
} from '../../../../src/ingest/reading/vocabulary.ts';
import { transitionsOf } from '../../../support/localTime.ts';
import { readText } from '../support.ts';

const BERLIN: Declarations = {
  zone: 'Europe/Berlin',
  transitions: transitionsOf('Europe/Berlin'),
  dateFormat: 'dd/mm/yyyy',
};

/** The stamps of a source, and what stops it. */
async function read(content: string, declared: Declarations = BERLIN, say = COMMAND_LINE) {
  const { readings, doubts } = await readText(content, { sensor: 1, ...declared });
  const doubt = stoppingDoubt(doubts.of([], say));
  return {
    stamps: readings.map(({ measuredAt }) => measuredAt),
    doubt: doubt && `${doubt.what}. ${doubt.remedy}`,
    ofContradictions: doubts.ofContradictions(say),
  };
}
const doubtOf = async (content: string, declared?: Declarations, say?: Vocabulary) =>
  (await read(content, declared, say)).doubt;

/** A table of these times, with values that differ. */
const table = (times: readonly string[], column = 'time') =>
  [`${column},pm25`, ...times.map((time, at) => `${time},${at}`), ''].join('\n');
const mapped = (column: string, declared: Declarations = BERLIN): Declarations => ({
  ...declared,
  columns: [`time=${column}`],
});
const pad = (part: number) => String(part).padStart(2, '0');
/** Full hours from the first one of 19 November on, as `2026-11-19 01:00`. */
const hours = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const time = new Date(Date.UTC(2026, 10, 19, first + at));
    return time.toISOString().slice(0, 16).replace('T', ' ');
  });

describe('another zone', () => {
  it('a single stamp in an hour that the clocks skip stops a file, and names the offset before it', async () => {
    const times = ['2026-03-29 01:30', '2026-03-29 02:30', '2026-03-29 03:30'];
    expect(await doubtOf(table(times))).toBe(
      '2026-03-29 02:30 is in an hour that the clocks of Europe/Berlin skip: its source seems to keep winter time all year. Write --zone +01:00 if it does, or leave such rows out.',
    );
    const zone = 'America/Los_Angeles';
    const declared = { zone, transitions: transitionsOf(zone) };
    expect(await doubtOf(table(['2026-03-08 02:00']), declared)).toContain('--zone -08:00');
    expect(await doubtOf(table(['2026-03-08 02:00']), BERLIN)).toBeUndefined();
    expect(await doubtOf(table(times), { zone: '+01:00' })).toBeUndefined();
  });

  it('an offset in the name of the time stops where the zone has another one', async () => {
    const column = 'Time (GMT+01:00)';
    const summer = table(['2026-01-15 12:00', '2026-07-15 12:00'], column);
    expect(await doubtOf(summer, mapped(column))).toBe(
      'column Time (GMT+01:00) says the offset +01:00 of its times, and 2026-07-15 12:00 would be read with +02:00. Write --zone +01:00, or give the column another name if it is wrong.',
    );
    expect(await doubtOf(summer, mapped(column, { zone: 'UTC' }))).toContain('read with Z');
    expect(await doubtOf(summer, mapped(column, { zone: '+01:00' }))).toBeUndefined();
    const winter = table(['2026-01-15 12:00', '2026-11-15'], column);
    expect(await doubtOf(winter, mapped(column))).toBeUndefined();
    const utc = table(['2026-07-15 12:00'], 'Time (UTC)');
    expect(await doubtOf(utc, mapped('Time (UTC)', { zone: 'UTC' }))).toBeUndefined();
    const exact = table(['2026-07-15T12:00:00Z', '2026-07-15T12:00:00+02:00'], column);
    expect(await doubtOf(exact, mapped(column))).toBeUndefined();
  });

  it('an offset in the name of the time is offered where no zone is declared', async () => {
    const object = JSON.stringify({ 'time (UTC-7)': '2026-07-15 12:00', pm25: 1 });
    expect(await doubtOf(object, mapped('time (UTC-7)', {}), ADDRESS)).toBe(
      'column time (UTC-7) says the offset -07:00 of its times, and no zone is declared. Write ?zone=-07:00.',
    );
    const exact = table(['2026-07-15T12:00:00Z'], 'time (UTC-7)');
    expect(await doubtOf(exact, mapped('time (UTC-7)', {}))).toBeUndefined();
  });

  it('one of several columns that are joined says the offset', async () => {
    const text = 'Date,Time UTC,pm25\n2026-07-15,12:00,1\n';
    expect(await doubtOf(text, mapped('Date+Time UTC'))).toContain(
      'column Date+Time UTC says the offset +00:00 of its times, and 2026-07-15 12:00 would',
    );
  });
});

describe('ends of intervals', () => {
  const SHIFT =
    'Write --shift -1h for means of an hour, --shift -10min for means of ten minutes, or --shift 0min for readings of an instant.';

  const TOA5 = (processing: string, ...rows: string[]) =>
    [
      '"TOA5","Hill","CR1000X","20417","CR1000X.Std.07.02","CPU:hill.CR1X","41822","Hourly"',
      '"TIMESTAMP","RECORD","BattV_Min","AirT","RH"',
      '"TS","RN","Volts","",""',
      `"","","Min",${processing}`,
      ...rows,
      '',
    ].join('\n');
  const logger: Declarations = {
    ...BERLIN,
    columns: ['time=TIMESTAMP', 'temperature_c=AirT', 'humidity=RH'],
  };
  const ROW = '"2026-11-19 01:00:00",5000,12.61,4.0,81.2';

  it('the row of a Campbell logger that says how each column was computed is no reading, and asks for a shift', async () => {
    const averages = TOA5('"Smp","Avg"', ROW);
    expect(await doubtOf(averages, logger)).toBe(
      `the row of processing says Avg of RH, and Campbell's loggers write a record when its interval is over. ${SHIFT}`,
    );
    const declared = { ...logger, shift: '-1h' };
    expect(await read(averages, declared)).toMatchObject({
      stamps: ['2026-11-18T23:00:00.000000Z'],
      doubt: undefined,
    });
  });

  it('the four lines above a Campbell logger’s records may come again', async () => {
    const once = TOA5('"Avg","Avg"', ROW);
    const declared = { ...logger, shift: '0min' };
    expect((await read(once + once.replace('19 01', '19 02'), declared)).stamps).toEqual([
      '2026-11-19 01:00:00+01:00',
      '2026-11-19 02:00:00+01:00',
    ]);
  });

  it('a row behind the units that has another word is a row', async () => {
    const text = 'time,AirT,note\n,Deg C,\n,Avg,Maximum of the day\n2026-11-19 01:00,4,\n';
    const declared = { ...BERLIN, columns: ['temperature=AirT'] };
    expect((await read(text, declared)).stamps).toHaveLength(2);
  });

  it('a time column whose name says that it is the end asks for a shift, in objects too', async () => {
    const doubt = `the name of end says that it is the end of each interval. ${SHIFT}`;
    const declared = mapped('end', { zone: 'UTC' });
    expect(await doubtOf(table(['2026-11-19 01:00'], 'end'), declared)).toBe(doubt);
    expect(await doubtOf('{"end":"2026-11-19 01:00","pm25":1}', declared)).toBe(doubt);
    for (const shift of ['-1h', '0min'])
      expect(await doubtOf('{"end":"2026-11-19 01:00","pm25":1}', { ...declared, shift })).toBe(
        undefined,
      );
  });

  const influx = (rows: readonly [time: string, stop: string][]) =>
    [
      '_start,_stop,_time,pm25',
      ...rows.map(([time, stop]) => `2026-11-19T00:00:00Z,${stop},${time},5`),
      '',
    ].join('\n');
  const asked: Declarations = { columns: ['time=_time'] };

  it.each([
    [
      'OpenAQ',
      'location_id,sensors_id,datetime,parameter,value,units\n1,2,2026-11-20T08:00:00Z,pm25,5,µg/m³\n',
    ],
    ['WeeWX', 'dateTime,usUnits,outTemp\n1795161900,1,41\n'],
  ])('an archive of %s names the ends of intervals, but not their length (S3)', async (_, text) => {
    const doubt = await doubtOf(text, text.startsWith('dateTime') ? {} : { sensor: undefined });
    expect(doubt).toContain(
      'no column says how long that is. Write --shift -1h for means of an hour',
    );
  });

  it('windows of InfluxDB ask for a shift where the time of one is its stop', async () => {
    const stop = '2026-11-19T02:10:00Z';
    expect(
      await doubtOf(
        influx([
          ['2026-11-19T02:00:00Z', stop],
          [stop, stop],
        ]),
        asked,
      ),
    ).toBe(`_time is _stop, the end of a window of InfluxDB. ${SHIFT}`);
    expect(await doubtOf(influx([['2026-11-19T02:00:00Z', stop]]), asked)).toBeUndefined();
    expect(await doubtOf(influx([[stop, stop]]), { columns: ['time=_start'] })).toBeUndefined();
    expect(await doubtOf(influx([[stop, stop]]), { columns: ['time=_stop'] })).toContain(
      'the name of _stop says',
    );
  });

  it('times of InfluxDB on twenty full hours ask for a shift, and others do not', async () => {
    const rows = (minute: string, count: number) =>
      Array.from({ length: count }, (_, at): [string, string] => [
        `2026-11-19T${pad(at)}:${minute}:00Z`,
        '2026-11-21T12:00:00Z',
      ]);
    expect(await doubtOf(influx(rows('00', 20)), asked)).toContain('_time is on the full hour');
    expect(await doubtOf(influx(rows('00', 19)), asked)).toBeUndefined();
    expect(await doubtOf(influx([...rows('00', 20), ...rows('10', 1)]), asked)).toBeUndefined();
  });

  it('24:00 without 00:00 among twenty rows asks for a shift', async () => {
    const day = (date: number, first: number) =>
      Array.from({ length: 24 }, (_, at) => `${date}.11.2026 ${pad(first + at)}:00`);
    expect(await doubtOf(table(day(19, 1)))).toBe(
      `its times have 24:00 and never 00:00, so they name the end of each interval. ${SHIFT}`,
    );
    expect(await doubtOf(table(day(19, 1).slice(5)))).toBeUndefined(); // 19 rows
    expect(await doubtOf(table(['19.11.2026 00:00', ...day(19, 1)]))).toBeUndefined();
    expect(await doubtOf(table(['19.11.2026 00:10', ...day(19, 1)]))).toContain('have 24:00');
    expect(await doubtOf(table(day(19, 1)), { ...BERLIN, shift: '-1h' })).toBeUndefined();
    const compact = Array.from({ length: 24 }, (_, at) => `20261119${pad(at + 1)}`);
    expect(await doubtOf(table(compact))).toContain('its times have 24:00');
    expect(await doubtOf(table(compact.map((time) => `${time}00+0100`)))).toContain('24:00');
  });

  it('hours of two whole days that begin at 01:00 and end at 00:00 ask for a shift in files alone', async () => {
    const two = table(hours(1, 48));
    expect(await doubtOf(two)).toBe(
      `its hours begin at 2026-11-19 01:00 and end at 2026-11-21 00:00, as hours of whole days do that are named by their end. ${SHIFT}`,
    );
    expect(await doubtOf(table(hours(1, 48).toReversed()))).toContain('its hours begin at');
    expect(await doubtOf(two, { ...BERLIN, shift: '0min' })).toBeUndefined();
    expect(await doubtOf(two, BERLIN, ADDRESS)).toBeUndefined();
    for (const [what, times] of Object.entries({
      'a single day': hours(1, 24),
      'days from midnight on': hours(0, 48),
      'days that end at eleven': hours(1, 47),
      'every other hour': [...hours(1, 48).filter((_, at) => at % 2 === 0), '2026-11-21 00:00'],
      'a half hour among them': [...hours(1, 48), '2026-11-20 12:30'],
      'half a minute among them': [...hours(1, 48), '2026-11-20 12:00:30'],
      'stamps with an offset': hours(1, 48).map((time) => `${time}Z`),
    }))
      expect([what, await doubtOf(table(times))]).toEqual([what, undefined]);
  });
});

describe('a clock of twelve hours', () => {
  const twelve = (minute: (hour: number) => number) =>
    Array.from(
      { length: 24 },
      (_, hour) => `19/11/2026 ${hour % 12 === 0 ? 12 : hour % 12}:${pad(minute(hour))}`,
    );
  const REMEDY =
    'a clock of twelve hours without AM or PM. Join the column that says which half of the day it is, as in --column time=Date+Time+AM/PM, or write times of 24 hours.';

  it('a day that turns back behind twelve asks for its halves', async () => {
    expect(await doubtOf(table(twelve((hour) => hour)))).toBe(
      `no time is after 12 o'clock, and 2026-11-19T01:01 follows 2026-11-19T12:00: ${REMEDY}`,
    );
    expect(await doubtOf(table(twelve((hour) => hour).toReversed()))).toContain(
      '2026-11-19T12:12 follows 2026-11-19T01:13',
    );
  });

  it('hours up to twelve that occur twice with other values ask for their halves', async () => {
    const times = twelve(() => 0)
      .map((time) => time.replace(/ (\d:)/, ' 0$1'))
      .sort();
    expect(await read(table(times))).toMatchObject({
      doubt: undefined,
      ofContradictions: [
        { what: expect.stringContaining('and the same times occur twice: a clock of') },
      ],
    });
    const morning = ['19/11/2026 9:00', '19/11/2026 9:00'];
    expect(await read(table(morning))).toMatchObject({ ofContradictions: [] });
  });

  it('a morning, a whole day, and halves that are said, are read', async () => {
    const [first = '', ...others] = twelve((hour) => hour);
    const morning = others.slice(0, 12);
    for (const [what, times] of Object.entries({
      'a morning up to noon': morning,
      'the mornings of two days': [...morning, ...morning.map((time) => time.replace('19', '20'))],
      'a morning and an afternoon': [...morning, '19/11/2026 13:00', '19/11/2026 1:00'],
      'midnight as zero': ['19/11/2026 0:00', ...twelve((hour) => hour)],
      'halves of the day': [first, ...others].map((time, at) => `${time} ${at < 12 ? 'AM' : 'PM'}`),
      'times with an offset': [first, ...others].map((time) => `${time}Z`),
    }))
      expect([what, await doubtOf(table(times))]).toEqual([what, undefined]);
  });

  it('several sensors may begin anew at one, and so may another table', async () => {
    const rows = [1, 2].flatMap((sensor) =>
      Array.from({ length: 12 }, (_, at) => `${sensor},2026-11-19 ${pad(at + 1)}:00,5`),
    );
    const sensors = { ...BERLIN, sensor: undefined };
    expect(await doubtOf(['sensor_id,time,pm25', ...rows, ''].join('\n'), sensors)).toBe(undefined);
    const morning = table(hours(1, 12));
    expect(await doubtOf(morning + morning)).toBeUndefined();
  });

  it('a column that says the half of the day is joined (S7)', async () => {
    const rows = Array.from({ length: 24 }, (_, hour) => {
      const half = hour < 12 ? 'a. m.' : 'p.\u00a0m.';
      return `2026-11-19,${hour % 12 === 0 ? 12 : hour % 12}:00,${half},${hour}`;
    });
    const text = ['Date,Time,AM/PM,pm25', ...rows, ''].join('\n');
    expect(await read(text, mapped('Date+Time+AM/PM'))).toMatchObject({
      stamps: Array.from({ length: 24 }, (_, hour) => `2026-11-19 ${pad(hour)}:00+01:00`),
      doubt: undefined,
    });
  });
});

describe('a second short', () => {
  /** Full hours of a day, of which those with a number in the list are short. */
  const shortAt = (short: readonly number[], seconds = 1, step = 3_600_000, first = 0) =>
    Array.from({ length: 24 }, (_, at) =>
      new Date(
        Date.UTC(2026, 10, 19) + first + at * step - (short.includes(at) ? seconds * 1_000 : 0),
      )
        .toISOString()
        .slice(0, 19)
        .replace('T', ' '),
    );
  const TEN = [1, 2, 5, 7, 10, 13, 14, 19, 20, 23];
  const ALL = Array.from({ length: 24 }, (_, at) => at);

  it('ten of 24 times a second before the full hour ask for rounding, which repairs them (S7)', async () => {
    const text = table(shortAt(TEN));
    expect(await doubtOf(text)).toBe(
      '10 of 24 times lie a second or two before a full minute, and the others on it, as a spreadsheet writes them that rounds down, for example 2026-11-19 00:59:59. Add --round minute, or --shift 0min if they are right as they are.',
    );
    expect(await read(text, { ...BERLIN, round: 'minute' })).toMatchObject({
      stamps: ALL.map((hour) => `2026-11-19T${pad(hour)}:00:00+01:00`),
      doubt: undefined,
    });
    expect(await doubtOf(text, { ...BERLIN, shift: '0min' })).toBeUndefined();
    expect(await doubtOf(text, { ...BERLIN, shift: '-1h' })).toContain('Add --round minute');
  });

  it('times ask for rounding whether few or all are short, with an offset, and of each minute', async () => {
    for (const times of [
      shortAt([1, 2, 3]),
      shortAt(ALL),
      shortAt(ALL, 2),
      shortAt(TEN).map((time) => `${time}Z`),
      shortAt(TEN, 1, 60_000),
    ])
      expect(await doubtOf(table(times))).toContain('Add --round minute');
  });

  it('times of an ordinary sensor do not ask for rounding', async () => {
    for (const [what, times] of Object.entries({
      'full minutes': shortAt([]),
      'a slip or two': shortAt([1, 2]),
      'a time between': [...shortAt(TEN), '2026-11-20 12:00:30'],
      'three seconds before': shortAt(TEN, 3),
      'a second before and a second after': [...shortAt(TEN), '2026-11-20 12:00:01'],
      'a sensor of each minute at its last second': shortAt(ALL, 1, 60_000),
      'fewer than twenty': shortAt(TEN).slice(5),
    }))
      expect([what, await doubtOf(table(times))]).toEqual([what, undefined]);
  });

  it('a PurpleAir that reports now and then a second before the full minute is not asked about', async () => {
    const seconds = shortAt(TEN, 1, 120_000).map((time) => Date.parse(`${time}Z`) / 1_000);
    const rows = seconds.map((time, at) => `${time},1,${at}`);
    const text = ['time_stamp,sensor_index,pm2.5_atm', ...rows, ''].join('\n');
    expect(await doubtOf(text, { sensor: undefined })).toBeUndefined();
    const own = text.replace('time_stamp,sensor_index,pm2.5_atm', 'time,sensor_id,pm25');
    expect(await doubtOf(own, { sensor: undefined })).toContain('--round minute');
  });

  it('the time of arrival is no stamp of the source', async () => {
    const now = new Date('2026-11-20T11:59:59Z');
    const rows = Array.from({ length: 24 }, () => '{"pm25":5}').join('\n');
    const { stamps, doubt } = await read(rows, { now });
    expect([stamps.length, stamps[0], doubt]).toEqual([24, now.toISOString(), undefined]);
  });

  it('a text that is no time does not hide short times', async () => {
    expect(await doubtOf(table([...shortAt(TEN), 'end of file']))).toContain('--round minute');
  });
});
