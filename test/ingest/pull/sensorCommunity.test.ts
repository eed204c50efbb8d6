/** What Sensor.Community publishes becomes readings. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSensorCommunity } from '../../../src/ingest/pull/sensorCommunity.ts';

const DOCUMENT = readFileSync(new URL('data.json', import.meta.url), 'utf8');
const read = (text: string) => readSensorCommunity(text, (sensor) => sensor < 100);
const readOne = (element: unknown) => read(JSON.stringify([element]))?.readings;

it('takes our sensors, each reading once, and nothing from indoors', () => {
  const document = read(DOCUMENT);
  expect(document?.received).toBe(5);
  expect(document?.readings).toEqual([
    {
      sensorId: 1,
      measuredAt: '2026-11-20 11:58:02Z',
      values: { pm10: '21.90', pm25: '14.20', pm1: '8.1' },
      text: JSON.stringify(JSON.parse(DOCUMENT)[0]),
    },
    {
      sensorId: 2,
      measuredAt: '2026-11-20 11:58:03Z',
      values: { temperature: '7.35', pressure: '90312.47', humidity: 'unknown' },
      text: JSON.stringify(JSON.parse(DOCUMENT)[1]),
    },
  ]);
});

it.each(['', '{}', 'null', '[1', '<html></html>', '"text"'])('knows that this is no such document: %s', (text) => {
  expect(read(text)).toBeUndefined();
});

it('leaves out what names no sensor of ours, whatever its form', () => {
  const strangers = [null, 1, 'x', [], {}, { sensor: null }, { sensor: { id: null } }, { sensor: { id: [1] } }];
  const more = [{ sensor: { id: true } }, { sensor: { id: '' } }, { sensor: { id: 100 } }, { sensor: [1] }];
  expect(read(JSON.stringify([...strangers, ...more]))).toEqual({ received: 12, readings: [] });
});

const sensor = { id: 7 };
const timestamp = '2026-11-20 11:58:02';

it.each([
  ['no values', { sensor, timestamp }],
  ['values that are no list', { sensor, timestamp, sensordatavalues: { P1: 1 } }],
  ['a value that is none', { sensor, timestamp, sensordatavalues: [null] }],
  ['a value without a type', { sensor, timestamp, sensordatavalues: [{ value: '1' }] }],
])('of ours says that it cannot be taken apart: %s', (_, element) => {
  const text = JSON.stringify(element);
  expect(readOne(element)).toEqual([{ sensorId: 7, measuredAt: undefined, values: {}, text, unreadable: true }]);
});

it('of ours keeps the beginning of what is far too long, and nothing of what is nested without end', () => {
  const sensordatavalues = [{ value_type: 'x'.repeat(70_000), value: '1' }];
  expect(readOne({ sensor, timestamp, sensordatavalues })).toMatchObject([
    { sensorId: 7, unreadable: true, text: expect.stringMatching(/^.{2000}$/) },
  ]);
  const deep = `[{"sensor":{"id":7},"sensordatavalues":[],"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`;
  expect(read(deep)?.readings).toMatchObject([{ sensorId: 7, unreadable: true }]);
});

it('leaves times that it does not know to the door', () => {
  const times = ['2026-11-20T11:58:02', '2026-11-20T11:58:02+01:00', 'yesterday', 5, undefined];
  const read = times.map((time) => readOne({ sensor, timestamp: time, sensordatavalues: [] })?.[0]?.measuredAt);
  expect(read).toEqual(['2026-11-20T11:58:02Z', '2026-11-20T11:58:02+01:00', 'yesterday', 5, undefined]);
});

it('counts readings without a number of their own each for itself', () => {
  const element = { sensor, timestamp, sensordatavalues: [] };
  const numbered = { ...element, id: 5 };
  const elements = [element, element, { ...element, id: null }, { ...element, id: null }, numbered, numbered];
  expect(read(JSON.stringify(elements))?.readings).toHaveLength(5);
});
