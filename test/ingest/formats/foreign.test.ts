/**
 * Files of others as they are: what stands above a header and below it, what a file says of its own
 * rows, and how it writes (S7).
 */
import { expect, test } from 'vitest';
import { explainReading } from '../../../src/ingest/explain.ts';
import { readReadings } from '../../../src/ingest/reading/collect.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { openSource } from '../../../src/ingest/rows/source.ts';
import { file } from '../support.ts';

async function read(content: string, declared: Declarations = {}) {
  const rows: unknown[] = [];
  let excluded = 0;
  let ignored: string[] = [];
  for await (const { readings, notes } of readReadings(
    await openSource(file('foreign.csv', content)),
    declared,
  )) {
    excluded = notes.excluded;
    ignored = [...notes.ignored];
    for (const { sensorId, measuredAt, values, line, unreadable } of readings)
      rows.push(unreadable ? line : [sensorId, measuredAt, values]);
  }
  return { rows, excluded, ignored };
}
const T = '2026-11-21T08:00:00Z';
const U = '2026-11-21T09:00:00Z';
const two = [
  ['52', T, { pm25: '8.5' }],
  ['52', U, { pm25: '9.5' }],
];

test.each([
  ['sep=', `sep=;\r\nsensor_id;time;pm25\r\n52;${T};8,5\r\n52;${U};9,5\r\n`],
  ['comments', `# a station\n# exported, UTC\n#\nsensor_id,time,pm25\n52,${T},8.5\n52,${U},9.5\n`],
  [
    'titles',
    `"Hourly, case 5"\n"V = valid"\nsensor_id,time,pm25,s\n52,${T},8.5,V\n52,${U},9.5,P\n`,
  ],
])('a header is found below %s', async (_, content) => {
  expect((await read(content)).rows).toEqual(two);
});

test('a header is not looked for below rows of another table, which would be lost', async () => {
  const content = `station,time,pm25\n1,${T},5\nsensor_id,time,pm25\n52,${U},8.5\n`;
  await expect(read(content)).rejects.toThrow(/foreign\.csv:1: the header has no column sensor_id/);
});

test.each<[string, string, Declarations]>([
  ['PM2,5;PM10;Datum', '8,5;9;2026-11-21', { columns: ['time=Datum'] }],
  ['PM2,5;Datum', '8,5;2026-11-21', { columns: ['time=Datum'] }],
  ['Datum;"PM2,5 (a,b,c)"', '2026-11-21;8,5', { columns: ['time=Datum', 'pm25=PM2,5 (a,b,c)'] }],
  ['"a,b,c"\ttime\tpm25', 'x\t2026-11-21\t8,5', {}],
])('the delimiter is the one by which %s is a header', async (header, line, declared) => {
  const { rows } = await read(`${header}\n${line}\n`, { ...declared, sensor: 1, zone: 'UTC' });
  expect(rows).toMatchObject([[1, '2026-11-21T00:00:00Z', { pm25: '8.5' }]]);
});

test('a row of units declares them, and --unit comes first (S7)', async () => {
  const content = `sensor_id,time,temperature,pressure,pm25\n,,Deg F,hPa,ug/m3\n41,${T},41.0,1013.2,9.0\n`;
  const close = (value: number) => expect.closeTo(value, 6);
  expect((await read(content)).rows).toEqual([
    ['41', T, { temperature: close(5), pressure: close(101_320), pm25: '9.0' }],
  ]);
  expect((await read(content, { units: ['temperature=c'] })).rows).toMatchObject([
    ['41', T, { temperature: '41.0' }],
  ]);
});

test('a second header starts anew, in the same order or in another (S7)', async () => {
  const all = `sensor_id,time,pm25,pm10\n81,${T},10,20\nsensor_id,time,pm10,pm25\n81,${U},22,11\n`;
  expect((await read(all)).rows).toEqual([
    ['81', T, { pm25: '10', pm10: '20' }],
    ['81', U, { pm25: '11', pm10: '22' }],
  ]);
  await expect(read(`sensor_id,time,pm25\n81,${T},10\nsensor_id,pm25,x\n1,2,3\n`)).rejects.toThrow(
    /foreign\.csv:3: the header has no column for the time/,
  );
});

test('date and time are joined from columns of their own (S7)', async () => {
  const declared = { sensor: 21, zone: '+01:00', dateFormat: 'dd/mm/yyyy' };
  const column = (time: string) => ({ ...declared, columns: [`time=${time}`, 'no2=NO2(GT)'] });
  const dotted = 'Date;Time;NO2(GT);;\n19/11/2026;18.00.00;40;;\n;;;;\n';
  const joined = await read(dotted, column('Date+Time'));
  expect(joined.rows).toEqual([[21, '2026-11-19T18:00:00+01:00', { no2: '40' }]]);
  expect(joined.ignored).toEqual(['']);
  const parts = 'Date,Hour,Minute,NO2(GT)\n2026-11-19,7,5,40\n';
  expect((await read(parts, column('Date+Hour+Minute'))).rows).toMatchObject([
    [21, '2026-11-19 07:05+01:00', { no2: '40' }],
  ]);
  await expect(read(dotted, column('Date+Clock'))).rejects.toThrow(/has no column Date\+Clock/);
});

test('--only obeys the verdict of a file, and counts what it leaves out (S7)', async () => {
  const content = [
    'Samplingpoint,Start,Value,AggType,Validity',
    '1,2026-11-19 00:00:00,10.0,hour,1',
    '1,2026-11-19 01:00:00,0.0,hour,-1',
    '1,2026-11-19 02:00:00,14.0,hour,2',
    '1,2026-11-19 00:00:00,12.5,day,1',
  ].join('\n');
  const columns = ['sensor_id=Samplingpoint', 'time=Start', 'pm25=Value'];
  const only = ['AggType=hour', 'Validity=1,2,3'];
  const { rows, excluded } = await read(content, { columns, only, zone: '+01:00' });
  expect(rows).toMatchObject([
    ['1', '2026-11-19 00:00:00+01:00', { pm25: '10.0' }],
    ['1', '2026-11-19 02:00:00+01:00', { pm25: '14.0' }],
  ]);
  expect(excluded).toBe(2);
  await expect(read(content, { columns, only: ['Valid=1'] })).rejects.toThrow(
    /has no column Valid, which --only names/,
  );
  await expect(read(content, { columns, only: ['Valid'] })).rejects.toThrow(
    /^--only: expected COLUMN=VALUE\[,VALUE\], found "Valid"/,
  );
  const json = `{"sensor_id":1,"time":"${T}","pm25":1,"ok":true}\n{"sensor_id":1,"time":"${U}","pm25":2}\n`;
  expect(await read(json, { only: ['ok=true'] })).toMatchObject({
    rows: [[1, T, { pm25: 1 }]],
    excluded: 1,
  });
});

test('surplus empty fields are none, and rows of delimiters are no readings', async () => {
  const content = `sensor_id,time,pm25\n1,${T},5,,\n,,\n,,,,,\n1,${U},5,6\n`;
  expect((await read(content)).rows).toEqual([['1', T, { pm25: '5' }], 5]);
});

test('NaN in JSON is named, and what came before it is read', async () => {
  const rows: unknown[] = [];
  const content = `[{"sensor_id":1,"time":"${T}","pm25":5},{"sensor_id":1,"time":"${U}","pm25":NaN}]`;
  const all = async () => {
    const source = await openSource(file('python.json', content));
    for await (const { readings } of readReadings(source)) rows.push(...readings);
  };
  await expect(all()).rejects.toThrow(
    /after element 2: invalid JSON \(it has NaN .*: write null\)/,
  );
  expect(rows).toMatchObject([{ values: { pm25: 5 } }]);
});

test('NUL bytes are named', async () => {
  const source = await openSource(file('nul.csv', `sensor_id,time,pm25\n1,${T},5\n\0\0\0\0\n`));
  for await (const { readings } of readReadings(source))
    expect(readings[1]?.why).toBe('it has NUL bytes: did the power fail while it was written?');
  expect.assertions(1);
});

test.each([
  ['a compact date beside a time', '20261121 09:00', '2026-11-21T09:00:00+01:00'],
  ['a compact date beside an hour of 24 (KNMI)', '20261121 24', '2026-11-22T00:00:00+01:00'],
  ['a compact date beside a compact time', '20261121 0930', '2026-11-21T09:30:00+01:00'],
  ['an offset behind a blank', '2026-11-21 09:00:00 +0100', '2026-11-21 09:00:00+0100'],
  ['Z behind a blank', '2026-11-21 08:00:00 Z', '2026-11-21 08:00:00Z'],
  ['the zone of Java', '2026-11-21T09:00+01:00[Europe/Berlin]', '2026-11-21T09:00+01:00'],
  ['a date of HTTP', '"Sat, 21 Nov 2026 08:00:00 GMT"', '2026-11-21 08:00:00Z'],
  [
    'the form of JavaScript',
    'Sat Nov 21 2026 08:00:00 GMT+0100 (Central European Standard Time)',
    '2026-11-21 08:00:00+0100',
  ],
  ['the time before the date', '08:00 21.11.2026', '2026-11-21T08:00+01:00'],
  ['a space that does not break', '2026-11-21\u00a008:00:00Z', '2026-11-21 08:00:00Z'],
  ['microseconds', '1795248000000000', '2026-11-21T08:00:00Z'],
  ['nanoseconds', '1795248000000000000', '2026-11-21T08:00:00Z'],
])('a time is read that has %s: %s', async (_, time, expected) => {
  const { rows } = await read(`sensor_id,time,pm25\n1,${time},5\n`, { zone: '+01:00' });
  expect(rows).toEqual([['1', expected, { pm25: '5' }]]);
});

const reasons = async (content: string) => {
  const found: unknown[] = [];
  for await (const { readings } of readReadings(await openSource(file('foreign', content))))
    found.push(
      ...readings.map((one) =>
        explainReading(one.why ? 'unreadable_line' : 'unreadable_time', one),
      ),
    );
  return found;
};

test('what cannot be read is named: a year of two digits, a document around the rows, lines of InfluxDB', async () => {
  expect(await reasons('sensor_id,time,pm25\n1,11/21/26 8:00 AM,5\n1,21.11.26 08:00,5\n')).toEqual([
    expect.stringContaining('11/21/26 8:00 AM has a year of two digits: write all four'),
    expect.stringContaining('21.11.26 08:00 has a year of two digits: write all four'),
  ]);
  const row = { sensor_id: 1, time: T, pm25: 5 };
  expect(await reasons(JSON.stringify({ features: [{ properties: row }] }))).toEqual([
    expect.stringMatching(/^its rows lie in "features": .* jq -c '\.features\[\]'/),
  ]);
  const hour = { '2026-11-20 08:00:00': [1, 2, 29, '2026-11-20 09:00:00', '1'] };
  expect(
    await reasons(JSON.stringify({ request: { station: '143' }, data: { '143': hour } })),
  ).toEqual([
    expect.stringMatching(
      /^its values lie under stations and times in "data": make a row of each, as jq -c '\.data \|/,
    ),
  ]);
  await expect(reasons('air,host=roof pm25=5.5,pm10=7 1795248000000000000\n')).rejects.toThrow(
    'this is the line protocol of InfluxDB',
  );
  await expect(reasons('sensor_id,created_at,pm25\n')).rejects.toThrow('--column time=NAME');
});
