/** Reading has no effect: whatever was read before, a row is the same reading (S7). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { makeNotes } from '../../../src/ingest/reading/notes.ts';
import { makeReader } from '../../../src/ingest/reading/reader.ts';
import { makeObjectReader, type Row } from '../../../src/ingest/rows/row.ts';

const T = '2026-11-20T08:00:00Z';
const objects: Record<string, unknown>[] = [
  { sensor_id: 1, time: T, pm25: 5, 'pm2.5': 6, rssi: -70 },
  { sensor_id: 1, time: T, pm25: null, 'pm2.5': 6 },
  { sensor_id: 2, timestamp: T, temperature_f: 50, rain: 1, rain_total: null },
  { device: 'x', pm10: { value: 3, unit: 'mg/m3' } },
  { device: 'x', sensor_id: null, time: null, humidity: { value: null } },
  { sensor_id: 3, time: T, fine: 3, pm25: 9 },
  { rows: [{ pm25: 1 }] },
];

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
    if (value instanceof Map || value instanceof Set) Object.freeze(value);
  }
  return value;
}

const declared = { columns: ['pm25=fine'], now: new Date(T) };
const readers = () => {
  const read = makeObjectReader();
  const rows = objects.map((one, at) => frozen(read(one, JSON.stringify(one), at + 1) as Row));
  return { rows, reader: makeReader(rows[0] as Row, declared, makeNotes()) };
};
const alone = objects.map((_, at) => {
  const { rows, reader } = readers();
  return reader.read(rows[at] as Row);
});

it('without a value is a reading too, even where a row has one parameter (S3)', () => {
  const row = makeObjectReader()({ device: 'x', time: T, battery: 1 }, '{}', 1) as Row;
  const reader = makeReader(row, { name: 'home-assistant' }, makeNotes());
  expect(reader.read(row)).toMatchObject({ device: 'x', measuredAt: T, values: {} });
});

it('notes a field without a unit where only some values say one', () => {
  const read = makeObjectReader();
  const [first, second] = [{ value: 50, unit: 'f' }, 45].map(
    (temperature) => read({ sensor_id: 1, time: T, temperature }, '{}', 1) as Row,
  ) as [Row, Row];
  const notes = makeNotes();
  const reader = makeReader(first, {}, notes);
  reader.read(first);
  expect([...notes.undeclared]).toEqual([]);
  reader.read(second);
  expect([...notes.undeclared]).toEqual([['temperature', 'temperature']]);
});

describe('an empty text of an object is absent (S3)', () => {
  const now = new Date(T);
  const readOne = (given: Record<string, unknown>, more: Declarations = {}) => {
    const row = makeObjectReader()(given, '{}', 1) as Row;
    const notes = makeNotes();
    return { ...makeReader(row, more, notes).read(row), atArrival: notes.usedServerTime };
  };

  it.each([null, ''])('as a time of %j', (measured_at) => {
    const given = { sensor_id: 11, measured_at, pm25: 5 };
    const values = { pm25: 5 };
    const arrived = { measuredAt: now.toISOString(), hasArrivalTime: true, atArrival: true };
    expect(readOne(given, { now })).toMatchObject({ ...arrived, values });
    const without = readOne(given);
    expect(without).toMatchObject({ measuredAt: undefined, atArrival: false, values });
    expect(without).not.toHaveProperty('hasArrivalTime');
    expect(readOne({ ...given, time: T }, { now })).toMatchObject({ measuredAt: T });
  });

  it.each([null, ''])('as a device or a sensor of %j', (empty) => {
    expect(readOne({ device: empty, time: T, pm25: 5 })).not.toHaveProperty('device');
    expect(readOne({ sensor_id: empty, time: T, pm25: 5 }).sensorId).toBeUndefined();
  });
});

describe('a row', () => {
  it('is the same reading whatever was read before it', () => {
    const orders = fc.array(fc.nat(objects.length - 1), { maxLength: 12 });
    fc.assert(
      fc.property(orders, (order) => {
        const { rows, reader } = readers();
        expect(order.map((at) => reader.read(rows[at] as Row))).toEqual(
          order.map((at) => alone[at]),
        );
      }),
      { seed: 7 },
    );
    expect(alone.map((one) => one?.values)).toEqual([
      { pm25: 5 },
      { pm25: 6 },
      { temperature: expect.closeTo(10, 6), rain: 1, rain_total: null },
      { pm10: 3_000 },
      { humidity: null },
      { pm25: 3 },
      {},
    ]);
  });

  it('leaves to the notes what was met', () => {
    const { rows } = readers();
    const notes = makeNotes();
    const reader = makeReader(rows[0] as Row, declared, notes);
    for (const one of rows) reader.read(one);
    expect([...notes.ignored]).toEqual(['rssi', 'pm2.5', 'pm25', 'rows']);
    expect(notes).toMatchObject({ usedServerTime: true, excluded: 0, format: 'airseries' });
    expect(Object.fromEntries(notes.undeclared)).toEqual({
      pm25: 'pm25',
      rain: 'rain',
      humidity: 'humidity',
    });
  });
});
