/**
 * Files of readings that are refused, or parts of them, and what an import says: what is wrong,
 * where, and what to do.
 */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { ENGINE, file, HOW, importText, useTown } from '../../ingest/support.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { smallNetwork } from '../../support/smallNetwork.ts';
import { expectSaid, type Mistake, SECRET } from '../../whole/mistakes/mistake.ts';

const NETWORK = smallNetwork({ two: { sensors: [{ id: 3, device: 'roof-1' }] } });

const town = useTown(ENGINE, NETWORK);

/** A file to import, with the options of the command. */
type ReadingFile = { name?: string; content: string | Buffer; declared?: Declarations };

async function bring({ name = 'readings.csv', content, declared }: ReadingFile) {
  const path = file(name, content);
  const log = keepingLog();
  const summary = await importReadings(town.ingest, [path], { ...HOW, log, format: declared });
  const lines = log.lines.map((line) => ({
    ...line,
    message: line.message.replaceAll(path, name),
  }));
  return { summary, lines };
}

const stored = async () => {
  const [row] = await town.owner`
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
const bytes = (name: string, text: string): ReadingFile => ({ name, content: latin1(text) });
const ofTime = (declared: Declarations): ReadingFile => ({
  ...{ content: `time,pm25\n${T},5\n`, declared },
});
const REFUSED_FILES: Mistake<ReadingFile>[] = [
  // what the file is
  [
    'a workbook',
    bytes('book.xlsx', 'PK\x03\x04\x0a\0\0\0\0\0[Content_Types].xml'),
    'book.xlsx: this is a zip archive or a workbook (xlsx, ods). Unpack it and import what is in it, or save',
  ],
  [
    'a Parquet file',
    bytes('eea.parquet', 'PAR1\x15\x04\x15\x10'),
    'eea.parquet: this is a Parquet file. Make it CSV, as DuckDB does: duckdb -c',
  ],
  [
    'an image',
    bytes('map.png', '\x89PNG\r\n\x1a\n\0\0'),
    'map.png: this is binary data, no text. Needed is CSV',
  ],
  [
    'lines of an old Mac',
    { name: 'mac.csv.gz', content: gzipSync(GOOD.replaceAll('\n', '\r')) },
    'mac.csv.gz: this is text whose lines end as on old Macs (CR alone). Convert it: tr',
  ],
  [
    'UTF-16',
    { content: Buffer.concat([latin1('\xff\xfe'), Buffer.from(GOOD, 'utf16le')]) },
    'text in UTF-16. Save it as UTF-8, or convert it: iconv',
  ],
  [
    'Latin-1',
    { content: latin1(`sensor_id,time,pm25,no2 (\xb5g/m\xb3)\n1,${T},5,8\n`) },
    'readings.csv: this is text in cp1252 or Latin-1, as Windows writes it ("sensor_id,time,pm25,no2 (µg/m³)"). Save it as UTF-8, or convert it: iconv -f CP1252 -t UTF-8 OLD > NEW.',
  ],
  [
    'a web page',
    { content: '<!DOCTYPE html>\n<html>Not found</html>' },
    'a web page or XML. Perhaps an error page was saved',
  ],
  [
    'a network file',
    { name: 'network.json', content: JSON.stringify(citiesOfOneStation(['town']), null, 2) },
    'network.json: this is a network file: it describes stations and has no readings. Import it with: node src/airseries.js import network FILE.',
  ],

  // what is in it
  ['an empty file', { content: '' }, 'readings.csv: the file is empty'],
  [
    'a header alone',
    { content: csv() },
    'there is no reading in it: no line follows the header, or its list is empty',
  ],
  [
    '--only that leaves out every row',
    { content: `sensor_id,time,pm25,ok\n1,${T},5,no\n`, declared: { only: ['ok=yes'] } },
    'readings.csv: --only leaves out every row (1)',
  ],
  [
    'JSON that is cut off',
    { content: `[{"sensor_id":1,"time":"${T}","pm25":5}` },
    'readings.csv, after element 0: invalid JSON (it is cut off)',
  ],
  [
    'a table without a header',
    { content: `1,${T},5\n2,${T},5\n` },
    [
      `:1: the first line is no header: expected the names of the columns, found "1,${T},5". Put`,
      "as in (echo 'column1,time,column3'; cat OLD) > NEW. Then say which is which, as in --column pm25=column3.",
    ],
  ],
  [
    'a table of AirNow, without a header',
    {
      content: '11/19/2026|00:00|840060379061|PM2.5|UG/M3|8.0\n'.repeat(2),
      declared: { sensor: 1, zone: 'UTC' },
    },
    "(echo 'date|clock|column3|column4|column5|column6'; cat OLD) > NEW. Then say which is which, as in --column time=date+clock and --column pm25=column6.",
  ],

  [
    'two rows of 99 that contradict others (S7)',
    { content: csv(...hours(97), again(0), again(1)) },
    '2 of 99 rows give a parameter another value than an earlier row of the same sensor and time (lines 2 and 99, both 1 at 2026-01-01T00:00:00.000Z: pm25 5 and 9); nothing of it was stored. Say which columns make the time',
  ],

  // a declaration that would not be used
  [
    '--sensor for a table of another sensor',
    { content: GOOD, declared: { sensor: 2 } },
    '--sensor: 2 would not be used, because a row names sensor 1 itself. Leave --sensor out; or, if that field means something else, add --only FIELD=*.',
  ],
  [
    'a device that no sensor has',
    ofTime({ device: 'ghost' }),
    '--device: no sensor of the network has device "ghost". Write "device" into the sensor',
  ],
  [
    'a device that is nearly one of a sensor',
    ofTime({ device: 'roof-11' }),
    'has device "roof-11". Did you mean roof-1?',
  ],
  [
    'a sensor that the network does not have',
    ofTime({ sensor: 99 }),
    '--sensor: the network has no sensor 99. node src/airseries.js status --all lists those it has.',
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
  const { failures } = await importReadings(town.ingest, [path], HOW);
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
  ['a word for a value', `1,${T},broken`, 'pm25: the value is not a number'],
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
    'a row of 21 that contradicts another (S7)',
    { content: csv(...hours(20), again(0)) },
    '1 row gives a parameter another value than an earlier row of the same sensor and time (lines 2 and 22, both 1 at 2026-01-01T00:00:00.000Z: pm25 5 and 9); the last one counts',
  ],
  [
    'two rows of 202 that contradict others, 1 % (S7)',
    { content: csv(...hours(200), again(0), again(1)) },
    '2 rows give a parameter another value than an earlier row of the same sensor and time (lines 2 and 202,',
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

it('a file whose rows name no known parameter is refused, with the names that were found', async () => {
  const history = 'entity_id,state,last_changed\nsensor.a,7,2026-11-20T08:00:00Z\nsensor.b,50,\n';
  const { failures } = await importText(town.ingest, history, { sensor: 1 });
  expect(failures).toEqual([
    expect.stringMatching(
      /csv: no known parameter; found sensor\.a, sensor\.b\. Say which is which with --column/,
    ),
  ]);
});

it('rows that reveal another format only late in a file are refused, not read as airseries', async () => {
  const raw = '{"sensor_id":2,"timestamp":"2026-02-01 00:00:00Z","pm2.5":14.3}';
  const corrected = raw.replace('}', ',"pm2.5_corrected":9.9}');
  const lines = [...Array.from({ length: 2_000 }, () => raw), corrected, raw, corrected];
  const { quarantined, examples } = await importText(town.ingest, lines.join('\n'));
  expect(quarantined).toEqual({ unreadable_line: 2 });
  expect(examples).toMatchObject([
    {
      position: expect.stringMatching(/:2001$/),
      explanation: expect.stringMatching(
        /format airquality-am, but the rows before it do not.*--format/,
      ),
    },
  ]);
});

it('hours and days of one sensor in one import are refused, because both would count', async () => {
  const [days, hours, measured] = [
    'sensor_id,timestamp,avg_pm2.5\n2,2026-02-01,6.7\n',
    'sensor_id,timestamp,avg_pm10\n2,2026-02-01 12:00:00,7.7\n',
    'sensor_id,timestamp,pm2.5_corrected\n2,2026-02-01 12:00:00,7.7\n',
  ].map((text, at) => file(`${at}.csv`, text)) as [string, string, string];
  const failuresOf = async (...paths: string[]) =>
    (await importReadings(town.ingest, paths, { ...HOW, format: { zone: '+04:00' } })).failures;
  expect(await failuresOf(days, hours)).toEqual([
    expect.stringContaining('hours of sensor 2, whose days were imported before'),
  ]);
  expect(await failuresOf(hours, days)).toEqual([
    expect.stringContaining('days of sensor 2, whose hours were imported before'),
  ]);
  expect(await failuresOf(measured, days)).toEqual([]);
});
