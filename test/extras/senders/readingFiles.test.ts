/**
 * Files of readings that are refused, or parts of them, and what an import says: what is wrong,
 * where, and what to do.
 */
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { file } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { engines, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { expectSaid, type Mistake, SECRET } from '../../whole/mistakes/mistake.ts';

/** Sensors 1 and 2 are both the device twins; sensor 3 is roof-1. */
const NETWORK = smallNetwork({
  one: { sensors: [1, 2].map((id) => ({ id, device: 'twins' })) },
  two: { sensors: [{ id: 3, device: 'roof-1' }] },
});

// nothing here depends on the engine
let owner: Sql;
let ingest: Sql;
beforeAll(async () => {
  const db = await testDatabase(engines[0] ?? 'plain');
  owner = db.as();
  ingest = db.as('airseries_ingest');
  await bringIn(owner, NETWORK);
  return () => db.drop();
});
beforeEach(() => owner`truncate raw.readings, raw.quarantine`);

/** A file to import, with the options of the command. */
type ReadingFile = { name?: string; content: string | Buffer; declared?: Declarations };

async function bring({ name = 'readings.csv', content, declared }: ReadingFile) {
  const path = file(name, content);
  const log = keepingLog();
  const options = { formats: READING_FORMATS, now: NOW, log, terminal: false, format: declared };
  const summary = await importReadings(ingest, [path], options);
  const lines = log.lines.map((line) => ({
    ...line,
    message: line.message.replaceAll(path, name),
  }));
  return { summary, lines };
}

const stored = async () => {
  const [row] = await owner`
    select (select count(*)::int from raw.readings) as readings, (select count(*)::int from raw.quarantine) as quarantined`;
  return row;
};

const T = '2026-11-20T08:00:00Z';
const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** A file of sensor, time and PM2.5. */
const csv = (...lines: string[]) =>
  `sensor_id,time,pm25\n${lines.map((line) => `${line}\n`).join('')}`;
const GOOD = csv(`1,${T},5`);
/** Lines of sensor 1, one for each hour of 2026. */
const hours = (count: number) =>
  Array.from({ length: count }, (_, hour) => {
    const time = new Date(Date.parse('2026-01-01T00:00:00Z') + hour * 3_600_000);
    return `1,${time.toISOString()},5`;
  });
/** A line that contradicts the one of the same hour. */
const again = (hour: number) => `1,2026-01-01T0${hour}:00:00.000Z,9`;
const OPENAQ = 'location_id,sensors_id,datetime,parameter,value,units\n';
/** A file with a column that says which rows count. */
const judged = (name: string, ...values: string[]) =>
  `sensor_id,time,pm25,${name}\n${values.map((value, at) => `1,2026-11-20T0${at}:00:00Z,5,${value}\n`).join('')}`;

const REFUSED_FILES: Mistake<ReadingFile>[] = [
  // what the file is
  [
    'a workbook',
    { name: 'book.xlsx', content: latin1('PK\x03\x04\x0a\0\0\0\0\0[Content_Types].xml') },
    'book.xlsx: this is a zip archive or a workbook (xlsx, ods). Unpack it and import what is in it, or save',
  ],
  [
    'an xz archive',
    { name: 'week.csv.xz', content: latin1('\xfd7zXZ\0\0') },
    'binary data, no text. Needed is CSV',
  ],
  [
    'a Parquet file',
    { name: 'eea.parquet', content: latin1('PAR1\x15\x04\x15\x10') },
    'eea.parquet: this is a Parquet file. Make it CSV, as DuckDB does: duckdb -c',
  ],
  [
    'a bzip2 archive',
    { name: 'week.csv.bz2', content: latin1('BZh91AY&SY\xd2\x1c\x05') },
    'binary data, no text',
  ],
  [
    'an image',
    { name: 'map.png', content: latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0') },
    'map.png: this is binary data, no text. Needed is CSV',
  ],
  [
    'other bytes',
    { name: 'data.bin', content: Buffer.from([7, 1, 0, 3, 0, 0, 9]) },
    'binary data, no text',
  ],
  [
    'lines of an old Mac',
    { name: 'mac.csv', content: GOOD.replaceAll('\n', '\r') },
    'mac.csv: this is text whose lines end as on old Macs (CR alone). Convert it: tr',
  ],
  [
    'packed lines of an old Mac',
    { name: 'mac.csv.gz', content: gzipSync(GOOD.replaceAll('\n', '\r')) },
    'lines end as on old Macs',
  ],
  [
    'UTF-16',
    { content: Buffer.concat([latin1('\xff\xfe'), Buffer.from(GOOD, 'utf16le')]) },
    'text in UTF-16. Save it as UTF-8, or convert it: iconv',
  ],
  ['UTF-16 without a mark', { content: Buffer.from(GOOD, 'utf16le') }, 'text in UTF-16'],
  [
    'Latin-1',
    {
      name: 'latin1.csv',
      content: latin1(`sensor_id,time,pm25,no2 (\xb5g/m\xb3)\n1,${T},5,8\n`),
    },
    [
      'latin1.csv: this is text in cp1252 or Latin-1, as Windows writes it ("sensor_id,time,pm25,no2 (µg/m³)")',
      '. Save it as UTF-8, or convert it: iconv -f CP1252 -t UTF-8 OLD > NEW.',
    ],
  ],
  [
    'a device in cp1251 below a header of ASCII',
    {
      name: 'russian.csv',
      content: latin1(`device,time,pm25\nroof-1,${T},5\n\xea\xf0\xfb\xf8\xe0-1,${T},5\n`),
    },
    'russian.csv:3: this is text in cp1251, as Windows writes Cyrillic ("крыша-1,2026-11-20T08:00:00Z,5"). Save it as UTF-8, or convert it: iconv -f CP1251 -t UTF-8 OLD > NEW.',
  ],
  [
    'a web page',
    { content: '<!DOCTYPE html>\n<html>Not found</html>' },
    'a web page or XML. Perhaps an error page was saved',
  ],
  [
    'a network file',
    {
      name: 'network.json',
      content: JSON.stringify(citiesOfOneStation(['town']), null, 2),
    },
    'network.json: this is a network file: it describes stations and has no readings. Import it with: node src/airseries.js import network FILE.',
  ],

  // what is in it
  ['an empty file', { name: 'empty.csv', content: '' }, 'empty.csv: the file is empty'],
  [
    'a header alone',
    { content: csv() },
    'readings.csv: there is no reading in it: no line follows the header',
  ],
  [
    'an empty list',
    { content: '[]' },
    'readings.csv: there is no reading in it: no line follows the header, or its list is empty',
  ],
  [
    '--only that leaves out every row',
    { content: `sensor_id,time,pm25,ok\n1,${T},5,no\n`, declared: { only: ['ok=yes'] } },
    'readings.csv: --only leaves out every row (1)',
  ],
  [
    'JSON that is cut off',
    { name: 'cut.json', content: `[{"sensor_id":1,"time":"${T}","pm25":5}` },
    'cut.json, after element 0: invalid JSON (it is cut off)',
  ],
  [
    'a table without a header',
    { name: 'bare.csv', content: `1,${T},5\n2,${T},5\n` },
    [
      `bare.csv:1: the first line is no header: expected the names of the columns, found "1,${T},5". Put`,
      "as in (echo 'column1,time,column3'; cat OLD) > NEW. Then say which is which, as in --column pm25=column3.",
    ],
  ],
  [
    'a table of AirNow, without a header',
    {
      name: 'aqs.dat',
      content: '11/19/2026|00:00|840060379061|PM2.5|UG/M3|8.0\n'.repeat(2),
      declared: { sensor: 1, zone: 'UTC' },
    },
    [
      'aqs.dat:1: the first line is no header: expected the names',
      "(echo 'date|clock|column3|column4|column5|column6'; cat OLD) > NEW. Then say which is which, as in --column time=date+clock and --column pm25=column6.",
    ],
  ],
  [
    'a table without a sensor',
    { name: 'station.csv', content: `station,time,pm25\n1,${T},5\n` },
    'station.csv:1: the header has no column sensor_id',
  ],
  [
    'a header below titles without a sensor',
    { name: 'titled.csv', content: `Station North\n\nstation,time,pm25\n1,${T},5\n` },
    'titled.csv:3: the header has no column sensor_id: "station,time,pm25"',
  ],
  [
    'two columns of one parameter',
    { content: `sensor_id,time,pm2.5,PM25\n1,${T},5,5\n` },
    'names pm25 twice (pm2.5, PM25)',
  ],

  // which order its dates have
  [
    'dates of which either order fits',
    {
      name: 'dates.csv',
      content: csv('1,05/06/2026 08:00,5', '1,07/06/2026 08:00,5'),
      declared: { zone: 'Asia/Yerevan' },
    },
    'dates.csv: whether dates such as 05/06/2026 begin with the day or the month cannot be told, because no day of the file is above 12. Say it: --date-format dd/mm/yyyy or --date-format mm/dd/yyyy.',
  ],
  [
    'dates in both orders',
    {
      name: 'dates.csv',
      content: csv('1,19/11/2026 08:00,5', '1,05/06/2026 08:00,5', '1,11/19/2026 09:00,5'),
      declared: { zone: 'Asia/Yerevan' },
    },
    'dates.csv: it writes dates in two orders, 19/11/2026 in line 2 with the day first, and 11/19/2026 in line 4 with the month. Write all of them alike, as 2026-11-20.',
  ],
  [
    'an archive that names the ends of intervals, but not their length (S3)',
    { content: `${OPENAQ}1,2,${T},pm25,5,µg/m³\n` },
    [
      'no column says how long that is; nothing of it was',
      'Write --shift -1h for means of an hour',
    ],
  ],
  [
    'an archive of WeeWX without the column that says the length of its intervals (S3)',
    { content: 'dateTime,usUnits,outTemp\n1795161900,1,41\n', declared: { sensor: 1 } },
    ['no column says how long that is; nothing of it was', '--shift -10min'],
  ],

  // a clock that its declarations do not fit (S7)
  [
    'a time in an hour that the zone skips (S7)',
    { content: csv('1,2026-03-29 02:30,5'), declared: { zone: 'Europe/Berlin' } },
    'readings.csv: 2026-03-29 02:30 is in an hour that the clocks of Europe/Berlin skip: its source seems to keep winter time all year; nothing of it was stored. Write --zone +01:00 if it does',
  ],
  [
    'an hour that the clocks go through twice, whose rows do not tell the passes (S7)',
    {
      content: csv(
        ...['01:00', '02:00', '02:00', '02:10', '02:10', '02:20', '02:20', '03:00'].map(
          (time, at) => `1,2026-10-25 ${time},${at}`,
        ),
      ),
      declared: { zone: 'Europe/Berlin' },
    },
    'readings.csv: 2026-10-25 02:10 of 1 is in an hour that the clocks of Europe/Berlin go through twice, and the order of the lines does not tell which time it is; nothing of it was stored. Write the times of that hour with their offset, as 2026-10-25 02:10+02:00 or 2026-10-25 02:10+01:00, put',
  ],
  [
    'an offset in the header that the zone does not have (S7)',
    {
      content: 'Time (GMT+01:00),pm25\n2026-07-15 12:00,5\n',
      declared: { zone: 'UTC', sensor: 1, columns: ['time=Time (GMT+01:00)'] },
    },
    'column Time (GMT+01:00) says the offset +01:00 of its times, and 2026-07-15 12:00 would be read with Z; nothing of it was stored. Write --zone +01:00',
  ],
  [
    'times of the ends of hours (S7)',
    {
      content: csv(
        ...Array.from({ length: 24 }, (_, at) => `1,2026-11-19 ${`0${at + 1}`.slice(-2)}:00,5`),
      ),
      declared: { zone: 'UTC' },
    },
    'its times have 24:00 and never 00:00, so they name the end of each interval; nothing of it was stored. Write --shift -1h',
  ],
  [
    'times of a clock of twelve hours (S7)',
    { content: csv('1,2026-11-19 12:00,5', '1,2026-11-19 01:00,5'), declared: { zone: 'UTC' } },
    'a clock of twelve hours without AM or PM; nothing of it was stored. Join the column',
  ],
  [
    'times that a spreadsheet made a second short (S7)',
    {
      content: csv(
        ...Array.from({ length: 24 }, (_, at) => `1,2026-11-19 ${`0${at}`.slice(-2)}:59:59,5`),
      ),
      declared: { zone: 'UTC' },
    },
    'nothing of it was stored. Add --round minute',
  ],
  [
    'a rounding to hours',
    { content: GOOD, declared: { round: 'hour' } },
    '--round: expected minute',
  ],

  // a declaration that would not be used
  [
    '--sensor for a table of another sensor',
    { content: GOOD, declared: { sensor: 2 } },
    '--sensor: 2 would not be used, because a row names sensor 1 itself. Leave --sensor out; or, if that field means something else, add --only FIELD=*.',
  ],
  [
    '--device for a table of sensors',
    { content: GOOD, declared: { device: 'roof-1' } },
    '--device: roof-1 would not be used, because a row names sensor 1 itself.',
  ],
  [
    '--device for a table of another device',
    { content: `device,time,pm25\nroof-2,${T},5\n`, declared: { device: 'roof-1' } },
    '--device: roof-1 would not be used, because a row names device roof-2 itself.',
  ],
  [
    '--sensor for an object of another sensor',
    { content: JSON.stringify({ time: T, pm25: 5, sensor_id: 1 }), declared: { sensor: 2 } },
    '--sensor: 2 would not be used',
  ],
  [
    '--device for an object of another device',
    { content: JSON.stringify({ time: T, pm25: 5, device: 'x' }), declared: { device: 'roof-1' } },
    '--device: roof-1 would not',
  ],
  [
    'a device that no sensor has',
    { content: `time,pm25\n${T},5\n`, declared: { device: 'ghost' } },
    '--device: no sensor of the network has device "ghost". Write "device" into the sensor',
  ],
  [
    'a device that is nearly one of a sensor',
    { content: `time,pm25\n${T},5\n`, declared: { device: 'roof-11' } },
    '--device: no sensor of the network has device "roof-11". Did you mean roof-1?',
  ],
  [
    'a device of two sensors',
    { content: `time,pm25\n${T},5\n`, declared: { device: 'twins' } },
    '--device: sensors 1 and 2 both have device twins, and stood at a station at the same time. Say which with --sensor.',
  ],
  [
    'a sensor that the network does not have',
    { content: `time,pm25\n${T},5\n`, declared: { sensor: 99 } },
    '--sensor: the network has no sensor 99. node src/airseries.js status --all lists those it has.',
  ],

  // rows of one sensor and time with other values: a column was mistaken (S7)
  [
    'two rows of 99 that contradict others (S7)',
    { content: csv(...hours(97), again(0), again(1)) },
    '2 of 99 rows give a parameter another value than an earlier row of the same sensor and time (lines 2 and 99, both 1 at 2026-01-01T00:00:00.000Z: pm25 5 and 9); nothing of it was stored. Say which columns make the time',
  ],
  [
    'three rows of 203 that contradict others (S7)',
    { content: csv(...hours(200), again(0), again(1), again(2)) },
    '3 of 203 rows give a parameter another value',
  ],
  [
    'times that are dates alone, where the hours are in another column (S7)',
    {
      content: csv(
        ...hours(24).map((_, day) => `1,2026-01-${`0${day + 1}`.slice(-2)},5`),
        '1,2026-01-01,9',
      ),
      declared: { zone: 'Asia/Yerevan' },
    },
    '--column time=Date+Time',
  ],
  [
    'two rows of one parameter that contradict each other (S7)',
    {
      content: `${OPENAQ}1,2,${T},pm25,5,µg/m³\n1,2,${T},pm25,8,µg/m³\n`,
      declared: { shift: '0min' },
    },
    'pm25 5 and 8', // all have one time of day
  ],

  // a verdict of the file itself, which is never passed over (S7)
  [
    'a column that may say which rows count (S7)',
    { content: judged('Validity', '1', '-1') },
    'which rows count seems to stand in Validity (1, -1), and is not used; nothing of it was stored. Write --only Validity=1 for rows with that value alone',
  ],
  [
    'a column that may say so by being empty (S7)',
    { content: judged('QC_flag', '', 'X') },
    'which rows count seems to stand in QC_flag (empty, X), and is not used; nothing of it was stored. Write --only QC_flag= for rows with that value alone',
  ],
];

/** What is said of a file of which nothing is stored. */
async function refusalOf(sent: ReadingFile): Promise<string> {
  const brought = await bring(sent).catch((error: Error) => error);
  if (brought instanceof Error) return brought.message; // before a file is opened
  const { summary, lines } = brought;
  expect(summary).toMatchObject({ received: 0, accepted: 0, failed: true });
  expect(summary.failures).toHaveLength(1);
  const [line, ...others] = lines;
  expect([line?.level, others]).toEqual(['error', []]);
  return line?.message ?? '';
}

it.each(REFUSED_FILES)(
  'the import of a file stores nothing, and says what is wrong with %s',
  async (_, sent, said) => {
    expectSaid(await refusalOf(sent), said);
    expect(await stored()).toEqual({ readings: 0, quarantined: 0 });
  },
);

it('the import of an address says how to fetch it, without the key in it', async () => {
  const path = `https://me:${SECRET}@air.example/week.csv?key=${SECRET}`;
  const options = { formats: READING_FORMATS, now: NOW, log: keepingLog(), terminal: false };
  const { failures } = await importReadings(ingest, [path], options);
  expectSaid(
    failures.join(),
    'https://air.example/week.csv: this is an address, and an import reads files. Fetch it, and add the same options: curl -L ADDRESS | node src/airseries.js import readings -.',
  );
});

/** Lines that go to quarantine, each with an explanation. */
const LINES: Mistake<string>[] = [
  [
    'a local time',
    '1,2026-11-20 12:00:00,5',
    "the time is not ISO 8601 with Z or an offset: write 2026-11-20T13:00:12Z or 2026-11-20T17:00:12+04:00; 2026-11-20 12:00:00 has no offset, or is in an hour that the clocks skipped or went through twice; --zone says which zone's clock it is: --zone Europe/Berlin as in this network, or --zone UTC",
  ],
  [
    'a time joined of columns in another order',
    '1,19 11 2026 8 0,5',
    '19 11 2026 8 0 is joined of columns in another order than --column time=Year+Month+Day+Hour+Minute',
  ],
  ['a date as people write it', '1,20.11.2026 08:00,5', 'the time is not ISO 8601'],
  [
    'no time',
    '1,,5',
    'not ISO 8601 with Z or an offset: write 2026-11-20T13:00:12Z or 2026-11-20T17:00:12+04:00; there is none',
  ],
  ['the next year', '1,2027-11-20T08:00:00Z,5', 'the time is more than 5 minutes in the future'],
  [
    'an unknown sensor',
    `99,${T},5`,
    'there is no sensor 99 in the network: add {"id": 99} to the sensors of its station',
  ],
  [
    'the name of a sensor',
    `SDS011-1,${T},5`,
    '"SDS011-1" is not a sensor_id: that is the whole number which the network file gives',
  ],
  ['no sensor', `,${T},5`, 'sensor_id is missing: add it, or --device or'],
  ['a field too few', `1,${T}`, 'it has 2 fields, but the header has 3'],
  ['an open quote', `1,"${T},5`, 'its quotes do not match up'],
  ['a word for a value', `1,${T},broken`, 'pm25: the value is not a number'],
  ['a word for no value', `1,${T},n/a`, 'the reading has no usable value'],
  [
    'a decimal comma in quotes',
    `1,${T},"12,5"`,
    'pm25: the value is not a number; 12,5 has a comma: write 12.5',
  ],
  ['a German number', `1,${T},"1.234,5"`, '1.234,5 has its thousands set apart: write 1234.5'],
  [
    'a value below the detection limit',
    `1,${T},<5`,
    'pm25: the value is not a number; <5 is below the detection limit, so its value is not known: write half the limit (2.5)',
  ],
  ['thousands in quotes', `1,${T},"1,500"`, '1,500 has a comma: write 1.500 or 1500'],
  ['a value in another unit', `1,${T},5000`, 'pm25 must be -10 to 2000 µg/m³'],
];

it.each(LINES)(
  'the import of a file fails where every line has one mistake, and says what is wrong with %s',
  async (_, line, said) => {
    const declared = { timeZone: 'Europe/Berlin' };
    const { summary, lines } = await bring({ content: csv(line, line), declared });
    expect(summary).toMatchObject({ received: 2, accepted: 0, failed: true });
    expect(summary.failures).toEqual([
      expect.stringMatching(/^none of the 2 readings .* quarantine list$/),
    ]);
    expectSaid(summary.failures.join(), [/could be used: .*readings\.csv:2: /, `${said}`]);
    // one example of each reason, in the summary and in the log
    const reasons = summary.examples.map(({ reason }) => reason);
    expect(new Set(reasons).size).toBe(reasons.length);
    const example = summary.examples.find(({ explanation }) => explanation.includes(`${said}`));
    expect(example).toMatchObject({
      position: expect.stringMatching(/readings\.csv:2$/),
      text: line,
    });
    expectSaid(lines.map(({ message }) => message).join('\n'), said);
  },
);

/** Files of which a part is left out, or which are stored as they are, with a warning. */
const DOUBTS: Mistake<ReadingFile>[] = [
  [
    'a date in another order than the declared one',
    {
      content: csv('1,25/01/2026 08:00,5', '1,01/25/2026 08:00,5'),
      declared: { zone: 'Asia/Yerevan', dateFormat: 'dd/mm/yyyy' },
    },
    '01/25/2026 08:00 begins with the month: --date-format mm/dd/yyyy if all of its source do, else write them alike',
  ],
  [
    'a date of which either order fits, among other times',
    {
      content: csv(`1,${T},5`, '1,05/06/2026 08:00,5'),
      declared: { zone: 'Asia/Yerevan' },
    },
    '05/06/2026 08:00 may begin with the day or the month: --date-format says which, as dd/mm/yyyy or mm/dd/yyyy',
  ],
  [
    'a pressure that looks like hPa',
    { content: `sensor_id,time,pressure,temperature\n1,${T},1013.2,4\n` },
    'pressure must be 50000 to 110000 Pa; 1013.2 looks like hPa: send it in Pa, as 101320',
  ],
  [
    'a row of 21 that contradicts another (S7)',
    { content: csv(...hours(20), again(0)) },
    '1 row gives a parameter another value than an earlier row of the same sensor and time (lines 2 and 22, both 1 at 2026-01-01T00:00:00.000Z: pm25 5 and 9); the last one counts',
  ],
  [
    'two rows of 202 that contradict others, 1 % (S7)',
    { content: csv(...hours(200), again(0), again(1)) },
    '2 rows give a parameter another value than an earlier row of the same sensor and time (lines 2 and 202,',
  ],
  [
    'a clock that was reset',
    { content: csv(`1,${T},5`, '1,2000-01-01T00:00:07Z,5') },
    'between 2000-01 and 2026-11 there is none: a clock that was',
  ],
];

it.each(DOUBTS)(
  'the import of a file stores what it can, and warns of %s',
  async (_, sent, said) => {
    const { summary, lines } = await bring(sent);
    expect(summary).toMatchObject({ failed: false, failures: [] });
    expect(summary.accepted).toBeGreaterThan(0);
    const told = lines.filter(({ level }) => level !== 'info');
    expect(told.map(({ level }) => level)).toEqual(['warn']);
    expectSaid(told[0]?.message ?? '', said);
    // and in the summary
    const explained = summary.examples.map(({ explanation }) => explanation);
    expectSaid([...summary.hints, ...explained].join('\n'), said);
  },
);
