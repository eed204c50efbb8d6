/** A sentence names a declaration as its reader writes one, and no sentence is parsed again. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { foreignFormats } from '../../../../src/extras/senders/foreignFormats.ts';
import { explainReading, hintsOf } from '../../../../src/ingest/explain.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import {
  ADDRESS,
  COMMAND_LINE,
  NETWORK_FILE,
  type Vocabulary,
} from '../../../../src/ingest/reading/vocabulary.ts';
import { readText } from '../support.ts';

const ALL = [COMMAND_LINE, ADDRESS, NETWORK_FILE];
const inEach = (say: (vocabulary: Vocabulary) => string) => ALL.map(say);

test('an option is written as a parameter in an address, and as a key in the network file', () => {
  expect(inEach((say) => say.option('zone', '+01:00'))).toEqual([
    '--zone +01:00',
    '?zone=%2B01:00',
    '"zone": "+01:00"',
  ]);
  expect(inEach((say) => say.option('sensor'))).toEqual(['--sensor', '?sensor_id', '"sensor"']);
  expect(ADDRESS.option('column', 'time=Date+Time+Zone')).toBe('?column=time=Date%2BTime%2BZone');
  expect(ADDRESS.option('column', 'pm25=PM & dust, 100% #2')).toBe(
    '?column=pm25=PM%20%26%20dust,%20100%25%20%232',
  );
  expect(ADDRESS.option('date-format', 'dd/mm/yyyy')).toBe('?date_format=dd/mm/yyyy');
});

describe('a refusal', () => {
  const T = '2026-11-20T08:00:00Z';
  const read = (content: string, declared: Declarations) =>
    readText(content, declared).then(
      ({ readings }) => readings.find(({ why }) => why !== undefined)?.why,
      ({ message }: Error) => message,
    );

  test.each<[Declarations, string, string, string]>([
    [{ columns: ['x'] }, 'column', 'An example: ', 'pm25=pm2_5_concentration'],
    [{ units: ['no2'] }, 'unit', 'An example: ', 'no2=ug/m3'],
    [{ only: ['Validity'] }, 'only', 'An example: ', 'Validity=1,2,3'],
    [{ shift: 'an hour' }, 'shift', 'write ', '-1h'],
    [{ round: 'hour' }, 'round', 'write ', 'minute'],
    [{ zone: 'Europe/Berln' }, 'zone', 'Write its IANA name', ''],
    [{ dateFormat: 'yyyy' }, 'date-format', 'There are', ''],
  ])(
    'the refusal of %o begins with the name of the declaration',
    async (declared, name, remedy, example) => {
      for (const say of ALL) {
        const message = await read('sensor_id,time,pm25\n', { ...declared, say });
        const option = name as Parameters<Vocabulary['option']>[0];
        expect(message?.startsWith(`${say.option(option)}: `)).toBe(true);
        expect(message).toContain(remedy + (example === '' ? '' : say.option(option, example)));
      }
    },
  );

  test.each<[string, string, Declarations, ...option: Parameters<Vocabulary['option']>]>([
    ['a header without a time', 'sensor_id,x,pm25\n', {}, 'column', 'time=NAME'],
    ['a header without a sensor', `time,pm25\n${T},5\n`, {}, 'device'],
    ['a column that is not there', 'sensor_id,time,pm25\n', { only: ['V=1'] }, 'only'],
    ['a mapped one', 'sensor_id,time,pm25\n', { columns: ['pm10=V'] }, 'column'],
    ['another sensor', `sensor_id,time,pm25\n2,${T},5\n`, { sensor: 1 }, 'sensor'],
    ['another device', `device,time,pm25\n2,${T},5\n`, { device: '1' }, 'device'],
    ['unknown states', 'entity_id,state\n', { sensor: 1 }, 'column', 'pm25=ENTITY'],
    ['other states', `entity_id,state,time\na.b,5,${T}\n`, { sensor: 1 }, 'column', 'pm25=NAME'],
    ['rows under times', '{"data":{"1":{"2026-11-20 08:00":[1]}}}', {}, 'zone', '+01:00'],
  ])(
    'the refusal of %s names an option as its reader writes it',
    async (_, content, declared, ...option) => {
      for (const say of ALL)
        expect(await read(content, { ...declared, say })).toContain(say.option(...option));
    },
  );
});

test('explanations and hints name an option as their reader writes it', async () => {
  const { readings, ...found } = await readText(
    'sensor_id,end,temp,valid\n1,2026-11-20T08:00:00Z,70,0\n1,2026-11-20T09:00:00Z,70,1\n',
    { columns: ['time=end'] },
  );
  for (const say of ALL) {
    expect(hintsOf(found, found.doubts.of(readings, say))).toEqual([
      expect.stringContaining(`Add ${say.option('unit', 'temperature=f')}`),
      expect.stringContaining(`Write ${say.option('shift', '-1h')} for means of an hour`),
      expect.stringContaining(`${say.option('only', 'valid=*')} if all of them count`),
    ]);
    expect(explainReading('unknown_sensor', { sensorId: '' }, foreignFormats, say)).toContain(
      `${say.option('device')} or ${say.option('sensor')}`,
    );
    for (const [measuredAt, option] of [
      ['05/06/2026', say.option('date-format')],
      ['2026-11-20 08:00', say.option('zone')],
    ] as const)
      expect(explainReading('unreadable_time', { measuredAt }, foreignFormats, say)).toContain(
        `${option} says`,
      );
  }
});

it('no option is written out in the sources that read or explain a reading', () => {
  const folder = new URL('../../../../src/', import.meta.url);
  const senders = ['reading', 'formats', 'rows'].map((room) => `extras/senders/${room}`);
  const files = [...senders, 'ingest/reading', 'ingest/rows']
    .flatMap((room) => readdirSync(new URL(room, folder)).map((name) => `${room}/${name}`))
    .concat('ingest/explain.ts')
    .filter((path) => !path.endsWith('.md'));
  const written = files.filter((path) =>
    readFileSync(new URL(path, folder), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
      .some((line) =>
        /--(?:column|unit|only|zone|shift|round|date-format|sensor|device)\b/.test(line),
      ),
  );
  expect(written).toEqual([]);
  expect(files.length).toBeGreaterThan(30);
});
