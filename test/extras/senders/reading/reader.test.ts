/** Reading has no effect: whatever was read before, a row is the same reading (S7). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeFindings } from '../../../../src/extras/senders/reading/doubts.ts';
import { makeReader } from '../../../../src/extras/senders/reading/reader.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { makeColumns, makeObjectReader, type Row } from '../../../../src/ingest/rows/row.ts';

const T = '2026-11-20T08:00:00Z';
const objects: Record<string, unknown>[] = [
  { sensor_id: 1, time: T, pm25: 5, 'pm2.5': 6, rssi: -70 },
  { sensor_id: 1, time: T, pm25: null, 'pm2.5': 6 },
  { sensor_id: 2, timestamp: T, temperature_f: 50, rain: 1, rain_total: null },
  { device: 'x', pm10: { value: 3, unit: 'mg/m3' } },
  { device: 'x', sensor_id: null, time: null, humidity: { value: null } },
  { sensor_id: 3, time: T, fine: 3, pm25: 9 },
  { sensor_id: 4, time: T, pm25: [1] },
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
  return { rows, reader: makeReader(rows[0] as Row, declared, makeFindings()) };
};
const alone = objects.map((_, at) => {
  const { rows, reader } = readers();
  return reader.read(rows[at] as Row);
});

it('a row without a value is a reading too, even where a row has one parameter (S3)', () => {
  const row = makeObjectReader()({ device: 'x', time: T, battery: 1 }, '{}', 1) as Row;
  const reader = makeReader(row, { name: 'home-assistant' }, makeFindings());
  expect(reader.read(row)).toMatchObject({ device: 'x', measuredAt: T, values: {} });
});

describe('an empty text of an object is absent (S3)', () => {
  const now = new Date(T);
  const readOne = (given: Record<string, unknown>, more: Declarations = {}) => {
    const row = makeObjectReader()(given, '{}', 1) as Row;
    const found = makeFindings();
    return { ...makeReader(row, more, found).read(row), atArrival: found.facts.usedServerTime };
  };

  it.each([null, ''])(
    'an object whose time is %j gets the time of its arrival, or another time that it has',
    (measured_at) => {
      const given = { sensor_id: 11, measured_at, pm25: 5 };
      const values = { pm25: 5 };
      const arrived = { measuredAt: now.toISOString(), hasArrivalTime: true, atArrival: true };
      expect(readOne(given, { now })).toMatchObject({ ...arrived, values });
      const without = readOne(given);
      expect(without).toMatchObject({ measuredAt: undefined, atArrival: false, values });
      expect(without).not.toHaveProperty('hasArrivalTime');
      expect(readOne({ ...given, time: T }, { now })).toMatchObject({ measuredAt: T });
    },
  );

  it.each([null, ''])('an object whose device or sensor is %j has no device or sensor', (empty) => {
    expect(readOne({ device: empty, time: T, pm25: 5 })).not.toHaveProperty('device');
    expect(readOne({ sensor_id: empty, time: T, pm25: 5 }).sensorId).toBeUndefined();
  });
});

describe('a declared column that a row leaves empty', () => {
  const readAll = (rows: readonly Row[], columns: readonly string[]) => {
    const found = makeFindings();
    const reader = makeReader(rows[0] as Row, { columns }, found);
    return {
      readings: rows.map((row) => reader.read(row)),
      ignored: [...found.facts.ignored.keys()],
    };
  };
  const objectsOf = (...given: object[]) => {
    const read = makeObjectReader();
    return given.map((one) => read(one as Record<string, unknown>, '{}', 1) as Row);
  };
  const lines = (header: string, ...all: string[]): Row[] => {
    const names = makeColumns(header.split(','), ',');
    return all.map((text, at) => ({ names, cells: text.split(','), text, line: at + 2 }));
  };
  const timesOf = (columns: readonly string[], ...all: string[]) =>
    readAll(lines('sensor_id,Date,Hour,time,pm25', ...all), columns).readings.map(
      (reading) => reading?.measuredAt,
    );

  it('an empty declared column gives way to the format’s own time, also in a table', () => {
    const own = `1,,,${T},5`;
    const both = `1,2026-11-21,09:00Z,${T},5`;
    expect(timesOf(['time=Date'], both, own)).toEqual(['2026-11-21', T]);
    expect(timesOf(['time=Date + Hour'], both, own)).toEqual(['2026-11-21 09:00Z', T]);
    expect(timesOf(['time=Date+Minute'], both)).toEqual([T]);
    expect(timesOf(['time=Hour', 'time=Date'], '1,2026-11-21,,,5', own)).toEqual(['2026-11-21', T]);
    expect(timesOf(['time=Hour', 'time=Date'], both)).toEqual(['09:00Z']);
    expect(timesOf(['time=Date'], '1,,,,5')).toEqual([undefined]);
    const displaced = lines('sensor_id,Date,time,pm25', `1,2026-11-21,${T},5`);
    const { readings, ignored } = readAll(displaced, ['time=Date']);
    expect(ignored).toEqual(['time']);
    expect(readings[0]?.columns).toMatchObject({ measured: [3], unused: [2] });
  });

  it('a column with a plus sign in its name is taken before columns are joined', () => {
    const rows = lines('sensor_id,Date,Hour,Date+Hour,pm25', `1,x,y,${T},5`);
    expect(readAll(rows, ['time=Date+Hour']).readings).toMatchObject([{ measuredAt: T }]);
  });

  it('an empty declared field gives way to the format’s own device and sensor', () => {
    const rows = objectsOf(
      { name: 'n', device: 'd', time: T, pm25: 5 },
      { name: null, device: 'd', time: T, pm25: 5 },
      { name: '', device: null, time: T, pm25: 5 },
    );
    const { readings, ignored } = readAll(rows, ['device=name']);
    expect(readings.map((reading) => reading?.device)).toEqual(['n', 'd', undefined]);
    expect(ignored).toEqual([]);
    const sensors = objectsOf({ id: null, sensor_id: 7, time: T, pm25: 5 });
    expect(readAll(sensors, ['sensor_id=id']).readings).toMatchObject([{ sensorId: 7 }]);
  });

  it('an absent declared value gives way to the format’s own value, and a null does not (S3)', () => {
    const rows = objectsOf(
      { sensor_id: 1, time: T, meta: { pm: 3 } },
      { sensor_id: 1, time: T, meta: { x: 1 }, pm25: 5 },
      { sensor_id: 1, time: T, meta: { pm: null }, pm25: 5 },
      { sensor_id: 1, time: T, meta: { x: 1 }, pm25: null, P2: 6 },
    );
    const { readings, ignored } = readAll(rows, ['pm25=meta.pm']);
    expect(readings.map((reading) => reading?.values)).toEqual([
      { pm25: 3 },
      { pm25: 5 },
      { pm25: null },
      { pm25: 6 },
    ]);
    expect(ignored).toEqual(['pm25']);
  });

  it('of several columns that are declared for a value, the first counts that has one', () => {
    const rows = lines('sensor_id,time,pm25,a,b', `1,${T},5,6,7`, `1,${T},5,6,`);
    const { readings, ignored } = readAll(rows, ['pm25=b', 'pm25=none', 'pm25=a']);
    expect(readings.map((reading) => reading?.values)).toEqual([{ pm25: '7' }, { pm25: '6' }]);
    expect(ignored).toEqual(['pm25', 'a']);
  });

  it('an empty declared cell of a table stays null, and the column that it replaces is unused (S3)', () => {
    const rows = lines('sensor_id,time,pm25,fine', `1,${T},5,`, `1,${T},5,6`);
    const { readings } = readAll(rows, ['pm25=fine']);
    expect(readings.map((reading) => reading?.values)).toEqual([{ pm25: null }, { pm25: '6' }]);
  });

  it('rain from a declared field stands alone, without a total or an amount from another field', () => {
    const rain = (given: object, columns: readonly string[]) =>
      readAll(objectsOf({ sensor_id: 1, time: T, ...given }), columns).readings[0]?.values;
    const given = { rain: 1, rain_total: null };
    expect(rain({ meta: {}, ...given }, ['rain=meta.r'])).toEqual({ rain: 1, rain_total: null });
    expect(rain({ meta: { r: 2 }, ...given }, ['rain=meta.r'])).toEqual({ rain: 2 });
    expect(rain({ meta: { t: null }, rain: 1 }, ['rain_total=meta.t'])).toEqual({
      rain_total: null,
    });
    expect(rain({ rain: null, rain_total: null }, [])).toEqual({ rain_total: null });
  });

  it('a field that a declaration uses is not reported as ignored, whichever parameter it is read as', () => {
    const own = objectsOf({ sensor_id: 1, time: T, pm25: 5 });
    expect(readAll(own, ['pm25=pm25'])).toMatchObject({ ignored: [] });
    const both = objectsOf({ sensor_id: 1, time: T, fine: 3, pm25: 5 });
    expect(readAll(both, ['pm25=fine', 'pm25_raw=pm25'])).toMatchObject({
      readings: [{ values: { pm25: 3, pm25_raw: 5 } }],
      ignored: [],
    });
  });
});

describe('a row', () => {
  it('a row gives the same reading whatever was read before it', () => {
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
      { pm25: 'nested' },
      {},
    ]);
  });

  it('the facts have the ignored names, missing units and arrival times of all rows', () => {
    const { rows } = readers();
    const found = makeFindings();
    const reader = makeReader(rows[0] as Row, declared, found);
    for (const one of rows) reader.read(one);
    expect([...found.facts.ignored.keys()]).toEqual(['rssi', 'pm2.5', 'pm25', 'rows']);
    expect(found.facts).toMatchObject({ usedServerTime: true, excluded: 0, format: 'airseries' });
    expect(Object.fromEntries(found.facts.undeclared)).toEqual({
      pm25: 'pm25',
      rain: 'rain',
      humidity: 'humidity',
    });
  });
});
