import { readdirSync, readlinkSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import type { Declarations } from '../../src/ingest/reading/declarations.ts';
import { differences } from '../aggregate/differences.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { READING_FORMATS } from '../support/formats.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { file, stored } from './support.ts';

onEveryEngineInAll('import readings', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  const bring = async (...paths: string[]) => {
    const log = keepingLog();
    const summary = await importReadings(ingest, paths, {
      formats: READING_FORMATS,
      now: NOW,
      log,
      terminal: false,
    });
    return { summary, log };
  };

  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    ingest = db.as('airseries_ingest');
    await bringIn(owner, smallNetwork());
  });
  beforeEach(() => owner`truncate raw.readings, raw.quarantine`);
  afterAll(() => db.drop());

  const lines = Array.from({ length: 25_000 }, (_, n) => {
    const time = new Date(1.7e12 + n * 300_000).toISOString();
    return `${1 + (n % 3)},${time},${n % 50},red,${n % 40}`;
  });
  const csv = `sensor_id,time,pm25,colour,temperature\n${lines.join('\n')}\n`;

  test('an import leaves no file open, whatever was wrong with it', async () => {
    const row = '1,2026-11-19T08:00:00Z,12.5\n';
    const rest = row.repeat(20_000);
    const paths = [
      file('binary.csv', Buffer.from(`PK\x03\x04${rest}`)),
      file('header.csv', `colour,size\n${rest}`),
      file('broken.csv.gz', gzipSync(`colour,size\n${rest}`)),
      file('damaged.csv.gz', gzipSync(`sensor_id,time,pm25\n${rest}`).subarray(0, 100)),
      file('dates.csv', `sensor_id,time,pm25\n${'1,05/06/2026 8:00,3\n'.repeat(20_000)}`),
      file('good.csv', `sensor_id,time,pm25\n${row}`),
    ];
    const { summary } = await bring(...paths);
    expect(summary.failures).toHaveLength(5);
    const open = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ''; // closed since
      }
    });
    expect(open.filter((path) => paths.includes(path))).toEqual([]);
  });

  test('an import shows one example of each reason, however many files have it', async () => {
    const files = ['a.csv', 'b.csv'].map((name) =>
      file(name, 'sensor_id,time,pm25\n9,2026-11-19T08:00:00Z,1\n1,2026-11-19T08:00:00Z,1\n'),
    );
    const { summary } = await bring(...files);
    expect(summary.quarantined).toEqual({ unknown_sensor: 2 });
    expect(summary.examples).toMatchObject([{ reason: 'unknown_sensor' }]);
  });

  test('an import reads several files in several batches, and changes nothing when repeated', async () => {
    const half = lines.length / 2;
    const paths = [
      file('a.csv', `sensor_id,time,pm25,colour,temperature\n${lines.slice(0, half).join('\n')}\n`),
      file(
        'b.csv.gz',
        gzipSync(
          `sensor_id;time;pm25;colour;temperature\n${lines.slice(half).join('\n').replaceAll(',', ';')}`,
        ),
      ),
    ];
    const { summary, log } = await bring(...paths);
    expect(summary).toEqual({
      received: 25_000,
      examples: [],
      accepted: 25_000,
      unchanged: 0,
      replaced: null,
      oldest: '2023-11-14T22:13:20Z',
      newest: new Date(1.7e12 + 24_999 * 300_000).toISOString().replace('.000Z', 'Z'),
      quarantined: {},
      values: {},
      without_station: 0,
      left_out_of_quarantine: 0,
      excluded: 0,
      ignored: ['colour'],
      hints: [],
      formats: ['airseries'],
      failed: false,
      failures: [],
    });
    // how far it has got is logged where that takes seconds
    expect(log.lines.filter(({ message }) => !['reading', 'storing'].includes(message))).toEqual([
      {
        level: 'info',
        message: expect.stringContaining('ignored'),
        fields: { source: paths[0], columns: ['colour'] },
      },
    ]);
    expect(await differences(db)).toEqual([]);
    const before = await stored(owner);
    expect((await bring(...paths)).summary).toMatchObject({
      accepted: 0,
      unchanged: 25_000,
      failed: false,
    });
    expect(await stored(owner)).toEqual(before);
    expect(await differences(db)).toEqual([]);
  });

  test('the later of two imported values for one time wins, however far apart they stand', async () => {
    const [, time] = (lines[0] as string).split(',');
    await bring(file('a.csv', `${csv}1,${time},7,red,8\n`));
    const [row] =
      await owner`select pm25, temperature from raw.readings where sensor_id = 1 and measured_at = ${time as string}`;
    expect(row).toEqual({ pm25: 7, temperature: 8 });
  });

  test('the last value for one time in a batch wins; earlier ones count as unchanged if equal, else accepted (S3)', async () => {
    // enough rows that a few corrections are not more than 1 % of the file (S7)
    const others = Array.from({ length: 500 }, (_, minute) => {
      const time = new Date(Date.parse('2026-11-01T00:00:00Z') + minute * 60_000);
      return `2,${time.toISOString()},5,`;
    }).join('\n');
    const of = (...values: string[]) =>
      values.map((value) => `1,2026-11-01T00:00:00Z,${value}`).join('\n');
    const bringValues = (...values: string[]) =>
      bring(file('a.csv', `sensor_id,time,pm25,temperature\n${others}\n${of(...values)}\n`));
    expect((await bringValues('1,', '5,3', '2,', '5,3')).summary).toMatchObject({
      received: 504,
      accepted: 503,
      unchanged: 1,
    });
    expect(await owner`select pm25, temperature from raw.readings where sensor_id = 1`).toEqual([
      { pm25: 5, temperature: 3 },
    ]);
    // a correction replaces the reading as a whole
    expect((await bringValues('6,')).summary).toMatchObject({
      received: 501,
      accepted: 1,
      unchanged: 500,
    });
    expect(await owner`select pm25, temperature from raw.readings where sensor_id = 1`).toEqual([
      { pm25: 6, temperature: null },
    ]);
    expect(await differences(db)).toEqual([]);
  });

  test('an import logs garbage with its line number, and stores the rest', async () => {
    const damaged = [
      ...lines.slice(0, 50),
      ...Array.from({ length: 12 }, (_, n) => `garbage ${n}`),
      ...lines.slice(50, 100),
    ];
    const path = file(
      'a.csv',
      `sensor_id,time,pm25,colour,temperature\n${damaged.join('\n')}\n9,${NOW.toISOString()},1,,\n`,
    );
    const { summary, log } = await bring(path);
    expect(summary).toMatchObject({
      received: 113,
      accepted: 100,
      quarantined: { unreadable_line: 12, unknown_sensor: 1 },
      failed: false,
    });
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([
      {
        fields: { position: `${path}:52`, reason: 'unreadable_line' },
        message: expect.stringContaining('it has 1 field, but the header has 5'),
      },
      { fields: { position: `${path}:114`, reason: 'unknown_sensor' } },
    ]);
    const recorded =
      await owner`select line, reason, text, source from raw.quarantine order by line`;
    expect(recorded[0]).toEqual({
      line: '52',
      reason: 'unreadable_line',
      text: 'garbage 0',
      source: path,
    });
    expect(recorded[12]).toMatchObject({ line: '114', reason: 'unknown_sensor' });
  });

  test('a rejected row keeps the names of its columns, and one of an unknown device gets our names', async () => {
    const tables = [
      file('excel.csv', 'sensor_id;time;pm25;note\n1;2026-11-19T08:00:00Z;2999,5;"a;b"\n'),
      file('device.csv', 'device,time,pm25\nroof,2026-11-19T08:00:00Z,12.5\n'),
      file(
        'long.csv',
        `sensors_id,location_id,datetime,parameter,units,value\n${['pm25', 'pm10'].map((name) => `2,1,2026-11-19T08:00:00Z,${name},µg/m³,2999.5\n`).join('')}`,
      ),
    ];
    const ofTwo = {
      sensors_id: '2',
      location_id: '1',
      datetime: '2026-11-19T08:00:00Z',
      units: 'µg/m³',
      value: '2999.5',
    };
    const recorded = [];
    for (const path of tables) {
      await importReadings(ingest, [path], {
        formats: READING_FORMATS,
        now: NOW,
        log: keepingLog(),
        terminal: false,
        format: path.endsWith('long.csv') ? { shift: '-1h' } : undefined,
      });
      const [row] =
        await owner`select text from raw.quarantine where source = ${path} order by line`;
      recorded.push(JSON.parse(row?.text));
    }
    expect(recorded).toEqual([
      { sensor_id: '1', time: '2026-11-19T08:00:00Z', pm25: '2999,5', note: 'a;b' },
      { device: 'roof', measured_at: '2026-11-19T08:00:00Z', pm25: '12.5' },
      { ...ofTwo, parameter: 'pm25' },
    ]);
  });

  test('an import finds the sensors of devices wherever in a file they are first named', async () => {
    const names = {
      one: { sensors: [{ id: 1, device: 'a' }] },
      two: { sensors: [{ id: 3, device: 'b' }] },
    };
    await bringIn(owner, smallNetwork(names));
    const rows = ['a', 'a', 'b', 'c'].flatMap((device, part) =>
      Array.from({ length: 900 }, (_, n) => {
        const time = new Date(1.7e12 + (part * 900 + n) * 60_000).toISOString();
        return `${device},${time},${n % 50}\n`;
      }),
    );
    const { summary } = await bring(file('devices.csv', `device,time,pm25\n${rows.join('')}`));
    expect(summary).toMatchObject({ accepted: 2_700, quarantined: { unknown_sensor: 900 } });
    expect(
      await owner`select sensor_id, count(*)::int from raw.readings group by 1 order by 1`,
    ).toEqual([
      { sensor_id: 1, count: 1_800 },
      { sensor_id: 3, count: 900 },
    ]);
    await bringIn(owner, smallNetwork());
  });

  test('a row without a sensor gets the declared sensor, or the sensor of the declared device', async () => {
    await bringIn(owner, smallNetwork({ two: { sensors: [{ id: 3, device: 'roof-1' }] } }));
    const times = ['2026-11-20T08:00:00Z', '2026-11-20T08:01:00Z'];
    const table = (header: string, ...rows: string[]) =>
      `${header}time,pm25\n${rows.map((row, at) => `${row}${times[at]},5\n`).join('')}`;
    const objects = [
      { sensor_id: 3, time: times[0], pm25: 5 },
      { time: times[1], pm25: 6 },
    ];
    const files: [string, Declarations][] = [
      [table('sensor_id,', '3,', ','), { sensor: 3 }],
      [JSON.stringify(objects), { sensor: 3 }],
      [table('device,', 'x,', 'x,'), { sensor: 3 }],
      [table('', '', ''), { device: 'roof-1' }],
    ];
    for (const [text, format] of files) {
      await owner`truncate raw.readings`;
      const options = {
        formats: READING_FORMATS,
        now: NOW,
        log: keepingLog(),
        terminal: false,
        format,
      };
      const summary = await importReadings(ingest, [file('a', text)], options);
      expect(summary).toMatchObject({ accepted: 2, failed: false });
      expect(await stored(owner)).toMatchObject([{ sensor_id: 3 }, { sensor_id: 3 }]);
    }
    await bringIn(owner, smallNetwork());
  });

  test('an import names the oldest and the newest reading that it stored, in UTC', async () => {
    const times = ['2026-11-20T10:00:00+02:00', '2026-11-19T08:00:00Z', '2027-01-01T00:00:00Z'];
    const text = `sensor_id,time,pm25\n${times.map((time) => `1,${time},5\n`).join('')}`;
    const { summary } = await bring(file('a.csv', text));
    expect(summary).toMatchObject({
      oldest: '2026-11-19T08:00:00Z',
      newest: '2026-11-20T08:00:00Z',
      hints: [],
    });
  });

  test('an import names a source that fails, and imports the others', async () => {
    const whole = gzipSync(csv);
    const cut = file('cut.csv.gz', whole.subarray(0, whole.length >> 1));
    const wrong = file('wrong.csv', 'a,b\n1,2\n');
    const good = file('good.ndjson', `{"sensor_id":3,"time":"2026-11-01T00:00:00Z","pm25":5}\n`);
    // the cut one last: no later file stores what was read of it
    const { summary, log } = await bring('/no/such/file', wrong, good, cut);
    expect(summary.failed).toBe(true);
    expect(summary.failures).toEqual([
      '/no/such/file: there is no such file. Check its name and permissions.',
      expect.stringContaining('wrong.csv:1: the header has no column sensor_id'),
      expect.stringMatching(/cut\.csv\.gz, after line \d+: the gzip archive is damaged or cut off/),
    ]);
    expect(
      log.lines.filter(({ level }) => level === 'error').map(({ message }) => message),
    ).toEqual(summary.failures);
    const line = Number(/after line (\d+)/.exec(summary.failures[2] as string)?.[1]);
    expect(summary.accepted).toBe(line - 1 + 1);
    expect((await bring(file('whole.csv', csv))).summary).toMatchObject({
      accepted: 25_000 - (line - 1),
      unchanged: line - 1,
    });
    expect(await differences(db)).toEqual([]);
  });
});
