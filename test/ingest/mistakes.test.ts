/**
 * The mistakes that people make in a file of readings, and what an import says of them: what is
 * wrong, where, and what to do.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { listQuarantine } from '../../src/ingest/quarantine/list.ts';
import type { Declarations } from '../../src/ingest/reading/declarations.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, file, keepingLog, NOW, smallNetwork, stored } from './support.ts';

// nothing here depends on the engine
let db: TestDatabase;
let owner: Sql;
let pool: Sql;
beforeAll(async () => {
  db = await testDatabase(engines[0] as (typeof engines)[0]);
  owner = db.as();
  pool = db.as('airseries_ingest');
  const { stations, ...others } = smallNetwork();
  const devices = [['twins', 'twins'], ['roof-1']];
  const withDevices = stations.map(({ sensors, ...station }, place) => ({
    ...station,
    sensors: sensors.map((sensor, index) => ({ ...sensor, device: devices[place]?.[index] })),
  }));
  await bringIn(owner, { ...others, stations: withDevices });
});
beforeEach(() => owner.unsafe('truncate raw.readings, raw.quarantine'));
afterAll(() => db.drop());

const T = '2026-11-20T08:00:00Z';
const LATIN1 = (text: string) => Buffer.from(text, 'latin1');

async function imported(name: string, content: string | Buffer, format?: Declarations) {
  const path = file(name, content);
  const log = keepingLog();
  const summary = await importReadings(pool, [path], { now: NOW, log, terminal: false, format });
  const messages = log.lines.map(({ level, message, fields }) =>
    JSON.stringify({ level, message, ...fields }).replaceAll(path, name),
  );
  return { summary, messages: messages.join('\n') };
}

describe('a file that cannot be understood is named once, with what to do', () => {
  test.each<[string, string | Buffer, string]>([
    [
      'book.xlsx',
      LATIN1('PK\x03\x04\x0a\0\0\0\0\0[Content_Types].xml'),
      'book.xlsx: this is a zip archive or a workbook (xlsx, ods). Unpack it and import what is in it, or save',
    ],
    ['week.csv.xz', LATIN1('\xfd7zXZ\0\0'), 'binary data, no text. Needed is CSV'],
    ['week.csv.bz2', LATIN1('BZh91AY&SY\xd2\x1c\x05'), 'binary data, no text'],
    [
      'mac.csv',
      `sensor_id,time,pm25\r1,${T},5\r`,
      'mac.csv: this is text whose lines end as on old Macs (CR alone). Convert it: tr',
    ],
    ['mac.csv.gz', gzipSync(`sensor_id,time,pm25\r1,${T},5\r`), 'lines end as on old Macs'],
    [
      'windows.csv',
      Buffer.concat([
        LATIN1('\xff\xfe'),
        Buffer.from(`sensor_id,time,pm25\n1,${T},5\n`, 'utf16le'),
      ]),
      'text in UTF-16. Save it as UTF-8, or convert it: iconv',
    ],
    ['unmarked.csv', Buffer.from(`sensor_id,time,pm25\n1,${T},5\n`, 'utf16le'), 'text in UTF-16'],
    [
      'error.csv',
      '<!DOCTYPE html>\n<html>Not found</html>',
      'a web page or XML. Perhaps an error page was saved',
    ],
    ['data.bin', Buffer.from([7, 1, 0, 3, 0, 0, 9]), 'binary data, no text'],
    [
      'latin1.csv',
      LATIN1(`sensor_id,time,pm25,no2 (\xb5g/m\xb3)\n1,${T},5,8\n`),
      'latin1.csv: this is text in cp1252 or Latin-1, as Windows writes it. Save it as UTF-8, or convert it: iconv -f CP1252',
    ],
    [
      'cut.json',
      `[{"sensor_id":1,"time":"${T}","pm25":5}`,
      'cut.json, after element 0: invalid JSON (it is cut off)',
    ],
    ['bare.csv', `1,${T},5\n2,${T},5\n`, 'bare.csv:1: the header has numbers instead of names'],
    [
      'station.csv',
      `station,time,pm25\n1,${T},5\n`,
      'station.csv:1: the header has no column sensor_id',
    ],
    ['twice.csv', `sensor_id,time,pm2.5,PM25\n1,${T},5,5\n`, 'names pm25 twice (pm2.5, PM25)'],
    ['empty.csv', '', 'empty.csv: the file is empty'],
  ])('%s', async (name, content, expected) => {
    const { summary, messages } = await imported(name, content);
    expect(summary).toMatchObject({ received: 0, failed: true });
    expect(messages.split('\n')).toHaveLength(1);
    expect(JSON.parse(messages).message).toContain(expected);
    expect(await stored(owner)).toEqual([]);
  });
});

describe('a file without a usable reading fails, names the quarantine, and gives an example of each reason', () => {
  test.each<[string, string, string]>([
    [
      'local times',
      '1,2026-11-20 12:00:00,5',
      'the time is not ISO 8601 with Z or an offset: write 2026-11-20T13:00:12Z or 2026-11-20T17:00:12+04:00; 2026-11-20 12:00:00 has no offset, or is in an hour that the clocks skipped or went through twice; --zone',
    ],
    ['a date as people write it', '1,20.11.2026 08:00,5', 'the time is not ISO 8601'],
    [
      'no time',
      '1,,5',
      'not ISO 8601 with Z or an offset: write 2026-11-20T13:00:12Z or 2026-11-20T17:00:12+04:00; there is none',
    ],
    [
      'unknown sensors',
      `99,${T},5`,
      'there is no sensor 99 in the network: add {"id": 99} to the sensors of its station',
    ],
    [
      'names of sensors',
      `SDS011-1,${T},5`,
      '"SDS011-1" is not a sensor_id: that is the whole number which the network file gives',
    ],
    ['no sensor', `,${T},5`, 'sensor_id is missing: add it, or --device or'],
    ['a field too few', `1,${T}`, 'it has 2 fields, but the header has 3'],
    ['an open quote', `1,"${T},5`, 'its quotes do not match up'],
    ['words for values', `1,${T},broken`, 'pm25: the value is not a number'],
    ['words for no value', `1,${T},n/a`, 'the reading has no usable value'],
    [
      'decimal commas in quotes',
      `1,${T},"12,5"`,
      'pm25: the value is not a number; 12,5 has a comma: write 12.5',
    ],
    ['thousands in quotes', `1,${T},"1,500"`, '1,500 has a comma: write 1.500 or 1500'],
    ['the next year', '1,2027-11-20T08:00:00Z,5', 'the time is more than 5 minutes in the future'],
    ['a unit of its own', `1,${T},5000`, 'pm25 must be -10 to 2000 µg/m³'],
  ])('%s', async (_, line, explanation) => {
    const { summary, messages } = await imported(
      'readings.csv',
      `sensor_id,time,pm25\n${line}\n${line}\n`,
    );
    expect(summary).toMatchObject({ received: 2, accepted: 0, failed: true });
    expect(summary.failures).toEqual([
      expect.stringMatching(/^none of the 2 readings .* quarantine list$/),
    ]);
    const example = summary.examples.find((one) => one.explanation.includes(explanation));
    expect(example).toMatchObject({
      position: expect.stringMatching(/readings\.csv:2$/),
      text: line,
    });
    expect(messages).toContain(JSON.stringify(explanation).slice(1, -1));
    expect(new Set(summary.examples.map(({ reason }) => reason)).size).toBe(
      summary.examples.length,
    );
  });

  test.each([
    ['a header alone', 'sensor_id,time,pm25\n', {}],
    ['an empty list', '[]', {}],
    ['rows that --only leaves out', `sensor_id,time,pm25,ok\n1,${T},5,no\n`, { only: ['ok=yes'] }],
  ])('nor does one without a reading pass: %s', async (_, content, format) => {
    const { summary, messages } = await imported('readings.csv', content, format);
    expect(summary).toMatchObject({ received: 0, failed: true });
    expect(summary.failures).toEqual([
      expect.stringMatching(
        /readings\.csv: (there is no reading in it: no line follows the header|--only leaves out every row \(1\))/,
      ),
    ]);
    expect(messages).toContain('"level":"error"');
  });

  test('but not one whose readings are stored already', async () => {
    const text = `sensor_id,time,pm25\n1,${T},5\n`;
    expect((await imported('readings.csv', text)).summary).toMatchObject({
      accepted: 1,
      failed: false,
      examples: [],
    });
    expect((await imported('readings.csv', text)).summary).toMatchObject({
      unchanged: 1,
      failed: false,
    });
  });
});

describe('dates as people write them', () => {
  const times = async () =>
    (await stored(owner)).map(({ measured_at }) => measured_at.slice(0, 16));
  const csv = (...dates: string[]) =>
    `sensor_id,time,pm25\n${dates.map((date) => `1,${date},5\n`).join('')}`;
  const zone = 'Asia/Yerevan';

  test.each<[string, string[], string[]]>([
    [
      'with dots',
      ['05.06.2026 08:00', '20.11.2026 08:00:30'],
      ['2026-06-05T08:00', '2026-11-20T08:00'],
    ],
    [
      'year first',
      ['2026/06/05 08:00', '2026/11/20 08:00:30'],
      ['2026-06-05T08:00', '2026-11-20T08:00'],
    ],
    [
      'one of them above the 12th',
      ['05/06/2026 08:00', '13/06/2026 08:00'],
      ['2026-06-05T08:00', '2026-06-13T08:00'],
    ],
    [
      'the same, month first',
      ['6/5/2026 8:00 PM', '6/13/2026 8:00 AM'],
      ['2026-06-05T20:00', '2026-06-13T08:00'],
    ],
    ['day and month of one number', ['05/05/2026 08:00'], ['2026-05-05T08:00']],
    ['as cards of Home Assistant export them', ['2026-11-20 08:00:30'], ['2026-11-20T08:00']],
  ])('%s', async (_, dates, expected) => {
    const { summary } = await imported('dates.csv', csv(...dates), { zone });
    expect(summary).toMatchObject({ accepted: dates.length, failed: false });
    expect(await times()).toEqual(expected);
  });

  test('are refused where either order fits, before anything is stored, with the remedy, which helps', async () => {
    const text = csv('05/06/2026 08:00', '07/06/2026 08:00');
    const { summary, messages } = await imported('dates.csv', text, { zone });
    expect(summary).toMatchObject({ received: 0, failed: true });
    expect(messages).toContain(
      'dates.csv: whether dates such as 05/06/2026 begin with the day or the month cannot be told, because no day of the file is above 12. Say it: --date-format dd/mm/yyyy or --date-format mm/dd/yyyy.',
    );
    await imported('dates.csv', text, { zone, dateFormat: 'mm/dd/yyyy' });
    expect(await times()).toEqual(['2026-05-06T08:00', '2026-07-06T08:00']);
  });

  test('decide far behind the beginning of a file, too', async () => {
    const early = Array.from(
      { length: 12_000 },
      (_, n) => `01/0${1 + (n % 9)}/2026 ${9 + (n % 2)}:${10 + (n % 50)}`,
    );
    const { summary } = await imported('dates.csv', csv(...early, '25/01/2026 08:00'), { zone });
    expect(summary).toMatchObject({ received: 12_001, quarantined: {}, failed: false });
    expect((await times()).at(-1)).toBe('2026-09-01T10:59');
  });

  test('in another order than the file are in quarantine, and said to be', async () => {
    const { summary } = await imported(
      'dates.csv',
      csv('25/01/2026 08:00', '01/25/2026 08:00', '2026-11-20 08:00'),
      {
        zone,
      },
    );
    expect(summary).toMatchObject({ accepted: 2, quarantined: { unreadable_time: 1 } });
  });

  test('in a file of other times need the declaration', async () => {
    const { summary } = await imported('dates.csv', csv(T, '05/06/2026 08:00'), { zone });
    expect(summary).toMatchObject({ accepted: 1, quarantined: { unreadable_time: 1 } });
    expect(summary.examples[0]?.explanation).toContain(
      '05/06/2026 08:00 may begin with the day or the month: --date-format says which, as dd/mm/yyyy or mm/dd/yyyy',
    );
  });
});

describe('a declaration that would not be used', () => {
  const json = (row: object) => JSON.stringify({ time: T, pm25: 5, ...row });
  test.each<[string, string, Declarations, string]>([
    [
      'another sensor than the column has',
      `sensor_id,time,pm25\n1,${T},5\n`,
      { sensor: 2 },
      '--sensor: 2 would not be used, because a row names sensor 1 itself. Leave --sensor out, or the field of the file that says it.',
    ],
    [
      'a device beside a column of sensors',
      `sensor_id,time,pm25\n1,${T},5\n`,
      { device: 'roof-1' },
      '--device: roof-1 would not be used, because a row names sensor 1 itself.',
    ],
    [
      'another device than the column has',
      `device,time,pm25\nroof-2,${T},5\n`,
      { device: 'roof-1' },
      '--device: roof-1 would not be used, because a row names device roof-2 itself.',
    ],
    [
      'another sensor than an object has',
      json({ sensor_id: 1 }),
      { sensor: 2 },
      '--sensor: 2 would not be used',
    ],
    [
      'another device than an object has',
      json({ device: 'x' }),
      { device: 'roof-1' },
      '--device: roof-1 would not',
    ],
  ])('is refused: %s', async (_, text, format, expected) => {
    const { summary, messages } = await imported('readings.csv', text, format);
    expect(summary).toMatchObject({ received: 0, failed: true });
    expect(messages).toContain(expected);
    expect(await stored(owner)).toEqual([]);
  });

  test.each<[string, string, Declarations]>([
    ['the same sensor', `sensor_id,time,pm25\n3,${T},5\n,2026-11-20T08:01:00Z,6\n`, { sensor: 3 }],
    [
      'the same in JSON',
      `[${json({ sensor_id: 3 })},${json({ time: '2026-11-20T08:01:00Z' })}]`,
      { sensor: 3 },
    ],
    [
      'the sensor of a device',
      `device,time,pm25\nx,${T},5\nx,2026-11-20T08:01:00Z,6\n`,
      { sensor: 3 },
    ],
    ['a device', `time,pm25\n${T},5\n2026-11-20T08:01:00Z,6\n`, { device: 'roof-1' }],
  ])('is none: %s', async (_, text, format) => {
    expect((await imported('readings.csv', text, format)).summary).toMatchObject({
      accepted: 2,
      failed: false,
    });
    expect(await stored(owner)).toMatchObject([{ sensor_id: 3 }, { sensor_id: 3 }]);
  });

  test.each<[Declarations, string]>([
    [
      { device: 'ghost' },
      '--device: no sensor of the network has device "ghost". Write "device" into the sensor',
    ],
    [
      { device: 'roof-11' },
      '--device: no sensor of the network has device "roof-11". Did you mean roof-1?',
    ],
    [
      { device: 'twins' },
      '--device: sensors 1 and 2 both have device twins, and stood at a station at the same time. Say which with --sensor.',
    ],
    [
      { sensor: 99 },
      '--sensor: the network has no sensor 99. node src/airseries.js status --all lists those it has.',
    ],
  ])('is refused before anything goes to quarantine: %j', async (format, expected) => {
    await expect(imported('readings.csv', `time,pm25\n${T},5\n`, format)).rejects.toThrow(expected);
    expect(await owner`select from raw.quarantine`).toEqual([]);
  });
});

describe('understood', () => {
  test.each<[string, string, object]>([
    [
      'the names of the API',
      `Sensor_ID,Time,pm2.5,PM2.5_raw,PM10\n1,${T},1,2,3\n`,
      { pm25: 1, pm25_raw: 2, pm10: 3 },
    ],
    [
      'the names of Sensor.Community',
      `sensor_id,timestamp,P0,P1,P2\n1,${T},1,3,2\n`,
      { pm1: 1, pm10: 3, pm25: 2 },
    ],
    ['short names', `sensor,datetime,temp,RH\n1,${T},4,50\n`, { temperature: 4, humidity: 50 }],
    [
      'the same in NDJSON',
      `{"sensorId":1,"Time":"${T}","PM2.5":7,"pm10":null,"P1":8}\n`,
      { pm25: 7, pm10: 8 },
    ],
  ])('are %s', async (_, text, values) => {
    expect((await imported('readings.csv', text)).summary).toMatchObject({
      accepted: 1,
      ignored: [],
      failed: false,
    });
    expect(await stored(owner)).toMatchObject([
      { sensor_id: 1, measured_at: '2026-11-20T12:00:00+04:00', ...values },
    ]);
  });

  test('is pressure that looks like hPa, and said so', async () => {
    const { summary } = await imported(
      'readings.csv',
      `sensor_id,time,pressure,temperature\n1,${T},1013.2,4\n`,
    );
    expect(summary).toMatchObject({
      accepted: 1,
      failed: false,
      values: { 'out_of_bounds:pressure': 1 },
    });
    expect(summary.examples).toMatchObject([
      {
        explanation:
          'pressure must be 50000 to 110000 Pa; 1013.2 looks like hPa: send it in Pa, as 101320',
      },
    ]);
  });
});

describe('rows of one sensor and time with other values stop a file before anything is stored (S7)', () => {
  const hours = (count: number) =>
    Array.from({ length: count }, (_, hour) => {
      const time = new Date(Date.parse('2026-01-01T00:00:00Z') + hour * 3_600_000).toISOString();
      return `1,${time},5`;
    });
  const csv = (lines: readonly string[]) => `sensor_id,time,pm25\n${lines.join('\n')}\n`;
  const again = '1,2026-01-01T00:00:00.000Z,9';
  const second = '1,2026-01-01T01:00:00.000Z,9';

  test('where they are two and more than 1 % of it', async () => {
    const { summary } = await imported('readings.csv', csv([...hours(97), again, second]));
    expect(summary).toMatchObject({ received: 0, accepted: 0, failed: true });
    expect(summary.failures).toEqual([
      expect.stringContaining(
        '2 of 99 rows give a parameter another value than an earlier row of the same sensor and time (lines 2 and 99, both 1 at 2026-01-01T00:00:00.000Z: pm25 5 and 9); nothing of it was stored. Say which columns make the time',
      ),
    ]);
    expect(await stored(owner)).toEqual([]);
  });

  test('where they are three of 203', async () => {
    const third = '1,2026-01-01T02:00:00.000Z,9';
    const { summary } = await imported('readings.csv', csv([...hours(200), again, second, third]));
    expect(summary).toMatchObject({ received: 0, failed: true });
  });

  test.each([
    [20, 'one is a correction'],
    [199, 'or up to 1 %'],
  ])('of %i fewer are counted and shown, and the last one counts (S3): %s', async (count) => {
    const { summary, messages } = await imported('readings.csv', csv([...hours(count), again]));
    expect(summary).toMatchObject({ received: count + 1, failed: false });
    const hint = `1 row gives a parameter another value than an earlier row of the same sensor and time (lines 2 and ${count + 2}, both 1 at 2026-01-01T00:00:00.000Z: pm25 5 and 9); the last one counts`;
    expect(summary.hints).toEqual([expect.stringContaining(hint)]);
    expect(messages).toContain(hint);
    expect((await stored(owner))[0]).toMatchObject({ pm25: 9 });
  });

  test('where its times are dates alone: the hours are in another column', async () => {
    const days = Array.from({ length: 200 }, (_, day) => {
      const date = new Date(Date.parse('2026-01-01T00:00:00Z') + day * 86_400_000);
      return `1,${date.toISOString().slice(0, 10)},5`;
    });
    const { summary } = await imported('days.csv', csv([...days, '1,2026-01-01,9']), {
      zone: 'Asia/Yerevan',
    });
    expect(summary).toMatchObject({ received: 0, failed: true });
    expect(summary.failures[0]).toContain('--column time=Date+Time');
  });

  test('rows of one parameter each contradict each other in theirs only', async () => {
    const row = (parameter: string, value: number) => `1,2,${T},${parameter},${value},µg/m³\n`;
    const header = 'location_id,sensors_id,datetime,parameter,value,units\n';
    const good = await imported('good.csv', header + row('pm25', 5) + row('pm10', 8), {
      shift: '0min',
    });
    expect(good.summary).toMatchObject({ failed: false, hints: [] });
    const bad = await imported('bad.csv', header + row('pm25', 5) + row('pm25', 8), {
      shift: '0min',
    });
    expect(bad.summary.failures[0]).toContain('pm25 5 and 8'); // all have one time of day
  });
});

test('the archive of OpenAQ names the end of intervals whose length it does not say, which is asked for (S3)', async () => {
  const content = `location_id,sensors_id,datetime,parameter,value,units\n1,2,${T},pm25,5,µg/m³\n`;
  const { summary } = await imported('archive.csv', content);
  expect(summary).toMatchObject({ received: 0, failed: true });
  expect(summary.failures[0]).toContain('no column says how long that is; nothing of it was');
  expect(summary.failures[0]).toContain('To import it, write --shift -1h for means of an hour');
  expect((await imported('archive.csv', content, { shift: '-1h' })).summary.accepted).toBe(1);
  expect(await stored(owner)).toMatchObject([{ measured_at: '2026-11-20T11:00:00+04:00' }]);
});

describe('a verdict of the file itself is obeyed by declaration, and never passed over (S7)', () => {
  const csv = (name: string, ...values: string[]) =>
    `sensor_id,time,pm25,${name}\n${values.map((value, at) => `1,2026-11-20T0${at}:00:00Z,5,${value}\n`).join('')}`;

  test.each([
    ['Validity', '1', '-1'],
    ['AggType', 'hour', 'day'],
    ['QC_flag', '', 'X'],
    ['Verification', '1', '3'],
    ['status', 'V', 'N'],
  ])('%s', async (name, one, other) => {
    const { summary } = await imported('readings.csv', csv(name, one, other));
    expect(summary).toMatchObject({ received: 0, failed: true });
    expect(summary.failures[0]).toContain(
      `which rows count seems to stand in ${name} (${one || 'empty'}, ${other}), and is not used; nothing of it was stored. Write --only ${name}=${one} for rows with that value alone`,
    );
    const declared = { only: [`${name}=${one}`] };
    expect((await imported('readings.csv', csv(name, one, other), declared)).summary).toMatchObject(
      { accepted: 1, excluded: 1, failed: false, hints: [] },
    );
    const all = { only: [`${name}=*`] };
    expect((await imported('readings.csv', csv(name, one, other), all)).summary).toMatchObject({
      accepted: 1,
      unchanged: 1,
      excluded: 0,
    });
  });

  test('several of them, each declared', async () => {
    const rows = ['hour,1', 'hour,-1', 'day,1', 'hour,2'];
    const only = ['AggType=hour', 'Validity=1,2,3'];
    const { summary } = await imported('two.csv', csv('AggType,Validity', ...rows), { only });
    expect(summary).toMatchObject({ accepted: 2, excluded: 2, ignored: [], failed: false });
  });

  test.each([
    ['a column with one value leaves nothing out', 'status', ['N', 'N']],
    ['valid and provisional rows were both measured', 'status', ['V', 'P']],
    ['another word', 'statute', ['1', '2']],
  ])('%s', async (_, name, values) => {
    expect((await imported('readings.csv', csv(name, ...values))).summary).toMatchObject({
      accepted: 2,
      failed: false,
      hints: [],
    });
  });
});

test('the summary names the oldest and the newest reading, and years between them: a clock that was reset', async () => {
  const csv = (...times: string[]) =>
    `sensor_id,time,pm25\n${times.map((time) => `1,${time},5\n`).join('')}`;
  const { summary } = await imported(
    'readings.csv',
    csv('2026-11-20T10:00:00+02:00', '2000-01-01T00:00:07Z', '2026-11-19T08:00:00Z', '2027-01-01Z'),
  );
  expect(summary).toMatchObject({
    oldest: '2000-01-01T00:00:07Z',
    newest: '2026-11-20T08:00:00Z',
    hints: [expect.stringContaining('between 2000-01 and 2026-11 there is none: a clock that was')],
  });
  const years = ['2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', '2025-12-31T00:00:00Z'];
  const archive = await imported('archive.csv', csv(...years));
  expect(archive.summary).toMatchObject({ oldest: years[0], newest: years[2], hints: [] });
});

test('the quarantine keeps a line of CSV with the names of its columns, and explains it by them (S2)', async () => {
  const lines = ['1,20.11.2026 08:00,5,', `1,${T},5000,7`, `,${T},1,1`].join('\n');
  await imported('readings.csv', `sensor_id,time,pm25,"no2 (µg/m³)"\n${lines}\n`);
  const { lines: listed } = await listQuarantine(owner, {}, 10);
  const named = (sensor_id: string, time: string, pm25: string, no2: string) =>
    JSON.stringify({ sensor_id, time, pm25, 'no2 (µg/m³)': no2 });
  expect(listed.map(({ line, text, explanation }) => [line, text, explanation])).toEqual(
    expect.arrayContaining([
      [
        2,
        named('1', '20.11.2026 08:00', '5', ''),
        expect.stringContaining('2026-11-20T08:00 has no offset, or is in an hour'),
      ],
      [3, named('1', T, '5000', '7'), expect.stringContaining('pm25 must be -10 to 2000')],
      [4, named('', T, '1', '1'), expect.stringContaining('sensor_id is missing')],
    ]),
  );
  // where the columns were declared, nothing is said of a time that may be in one of them
  await owner`truncate raw.quarantine`;
  const columns = ['sensor_id=Nr', 'time=Wann', 'pm25=Staub'];
  await imported('declared.csv', 'Nr,Wann,Staub\n1,gestern,5\n', { columns });
  const [declared] = (await listQuarantine(owner, {}, 10)).lines;
  expect(declared?.text).toBe('{"Nr":"1","Wann":"gestern","Staub":"5"}');
  expect(declared?.explanation).toMatch(/^the time is not ISO 8601 [^;]*$/);
});
