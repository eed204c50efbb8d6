/** Documents of Sensor.Community: what is left out of them, and how much of one is read. */
import { expect, it } from 'vitest';
import { InputError } from '../../../src/base/inputError.ts';
import { MOST_IN_ALL, MOST_READINGS, readFeed } from '../../../src/extras/feeds/readFeed.ts';
import { isAll } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';

const refuse = (what: string, remedy: string) => new InputError('the feed', what, remedy);
const read = (text: string) =>
  readFeed(
    chunksOf(text),
    { name: 'sensor-community' },
    (sensor) => sensor < 100,
    refuse,
    READING_FORMATS,
  );
async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

it.each(['', '{}', 'null', '[1', '[1,]', '[1}', '[1][2]', '[{]', '<html></html>', '"text"'])(
  'rejects a document of another kind: %s',
  async (text) => {
    await expect(read(text)).rejects.toThrow(
      /^the feed: this is not in the layout of sensor-community \(.+\)\. Check the address and its kind\.$/,
    );
  },
);

it('leaves out elements that name no sensor of ours, whatever their form', async () => {
  const strangers = [
    null,
    1,
    'x',
    [],
    {},
    { sensor: null },
    { sensor: { id: null } },
    { sensor: { id: [1] } },
    { sensor: { id: true } },
    { sensor: { id: '' } },
    { sensor: { id: 100 } },
    { sensor: [1] },
  ];
  const document = await read(JSON.stringify(strangers));
  expect(document).toMatchObject({ received: 12, readings: [], doubts: [] });
  expect(document.others).toMatchObject({ sensors: new Set(['true', '100']), unnamed: 10 });
});

const sensor = { id: 7 };
const timestamp = '2026-11-20 11:58:02';

it('leaves out elements that are too long or too deeply nested, and keeps the next one', async () => {
  const long = {
    sensor,
    timestamp,
    sensordatavalues: [{ value_type: 'x'.repeat(70_000), value: '1' }],
  };
  const deep = `{"sensor":{"id":7},"sensordatavalues":[],"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const plain = { sensor, timestamp, sensordatavalues: [] };
  const document = await read(`[${JSON.stringify(long)},${deep},${JSON.stringify(plain)}]`);
  expect(document).toMatchObject({
    received: 3,
    readings: [{ sensorId: 7, text: JSON.stringify(plain) }],
  });
});

it('keeps at most a fixed number of readings, and reports if there are more', async () => {
  const element = JSON.stringify({ sensor, timestamp, sensordatavalues: [] });
  const elements = (n: number) => `[${Array.from({ length: n }, () => element)}]`;
  const tooMany =
    'the feed: it holds more than 50000 readings of its sensors, or 500000 in all, or more than 64 MiB of them. Check';
  await expect(read(elements(MOST_READINGS + 1))).rejects.toThrow(tooMany);
  if (!isAll) return; // each takes a second
  expect(await read(elements(MOST_READINGS))).toMatchObject({ received: MOST_READINGS });
  const strange = (n: number) => `[${'1,'.repeat(n - 1)}1]`;
  await expect(read(strange(MOST_IN_ALL + 1))).rejects.toThrow(tooMany);
  expect(await read(strange(MOST_IN_ALL))).toMatchObject({ received: MOST_IN_ALL });
});
