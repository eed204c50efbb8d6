import { readdirSync, readlinkSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { differences } from '../aggregate/differences.ts';
import { NOW } from '../support/clock.ts';
import { whereComplete } from '../support/complete.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { file, HOW, stored, useTown } from './support.ts';

onEveryEngineInAll('import readings', (engine) => {
  const town = useTown(engine);
  const bring = async (...paths: string[]) => {
    const log = keepingLog();
    const summary = await importReadings(town.ingest, paths, { ...HOW, log });
    return { summary, log };
  };

  const lines = Array.from({ length: 6_000 }, (_, n) => {
    const time = new Date(1.7e12 + n * 300_000).toISOString();
    return `${1 + (n % 3)},${time},${n % 50},red,${n % 40}`;
  });
  const csv = `sensor_id,time,pm25,colour,temperature\n${lines.join('\n')}\n`;

  test('an import leaves no file open, whatever was wrong with it', whereComplete, async () => {
    const row = '1,2026-11-19T08:00:00Z,12.5\n';
    const rest = row.repeat(5_000);
    const paths = [
      file('binary.csv', Buffer.from(`PK\x03\x04${rest}`)),
      file('header.csv', `colour,size\n${rest}`),
      file('broken.csv.gz', gzipSync(`colour,size\n${rest}`)),
      file('damaged.csv.gz', gzipSync(`sensor_id,time,pm25\n${rest}`).subarray(0, 100)),
      file('dates.csv', `sensor_id,time,pm25\n${'1,05/06/2026 8:00,3\n'.repeat(5_000)}`),
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

  test(
    'an import reads several files in several batches, and changes nothing when repeated',
    whereComplete,
    async () => {
      const half = lines.length / 2;
      const paths = [
        file(
          'a.csv',
          `sensor_id,time,pm25,colour,temperature\n${lines.slice(0, half).join('\n')}\n`,
        ),
        file(
          'b.csv.gz',
          gzipSync(
            `sensor_id;time;pm25;colour;temperature\n${lines.slice(half).join('\n').replaceAll(',', ';')}`,
          ),
        ),
      ];
      const { summary, log } = await bring(...paths);
      expect(summary).toEqual({
        received: 6_000,
        examples: [],
        accepted: 6_000,
        unchanged: 0,
        replaced: null,
        oldest: '2023-11-14T22:13:20Z',
        newest: new Date(1.7e12 + 5_999 * 300_000).toISOString().replace('.000Z', 'Z'),
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
      expect(await differences(town.db)).toEqual([]);
      const before = await stored(town.owner);
      expect((await bring(...paths)).summary).toMatchObject({
        accepted: 0,
        unchanged: 6_000,
        failed: false,
      });
      expect(await stored(town.owner)).toEqual(before);
      expect(await differences(town.db)).toEqual([]);
    },
  );

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
    const warnings = log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    expect(warnings).toMatchObject([
      { position: `${path}:52`, reason: 'unreadable_line' },
      { position: `${path}:114`, reason: 'unknown_sensor' },
    ]);
    const recorded =
      await town.owner`select line, reason, text, source from raw.quarantine order by line`;
    expect(recorded[0]).toEqual({
      line: '52',
      reason: 'unreadable_line',
      text: 'garbage 0',
      source: path,
    });
    expect(recorded[12]).toMatchObject({ line: '114', reason: 'unknown_sensor' });
  });

  test('an import finds the sensors of devices wherever in a file they are first named', async () => {
    const names = {
      one: { sensors: [{ id: 1, device: 'a' }] },
      two: { sensors: [{ id: 3, device: 'b' }] },
    };
    await bringIn(town.owner, smallNetwork(names));
    const rows = ['a', 'a', 'b', 'c'].flatMap((device, part) =>
      Array.from({ length: 300 }, (_, n) => {
        const time = new Date(1.7e12 + (part * 300 + n) * 60_000).toISOString();
        return `${device},${time},${n % 50}\n`;
      }),
    );
    const { summary } = await bring(file('devices.csv', `device,time,pm25\n${rows.join('')}`));
    expect(summary).toMatchObject({ accepted: 900, quarantined: { unknown_sensor: 300 } });
    expect(
      await town.owner`select sensor_id, count(*)::int from raw.readings group by 1 order by 1`,
    ).toEqual([
      { sensor_id: 1, count: 600 },
      { sensor_id: 3, count: 300 },
    ]);
    await bringIn(town.owner, smallNetwork());
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
      accepted: 6_000 - (line - 1),
      unchanged: line - 1,
    });
    expect(await differences(town.db)).toEqual([]);
  });
});
