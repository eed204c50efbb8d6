/**
 * No body within the limits holds up the process or fills its memory: its readings are bounded, and
 * read in turns. long/bodies.test.ts sends bodies that are made to be slow or large to read.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../../../src/extras/senders/formats/formats.ts';
import { rowsWithin } from '../../../../src/extras/senders/rows/rows.ts';
import { Problem } from '../../../../src/http/send.ts';
import { readBatch } from '../../../../src/ingest/http/readings.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { makeObjectReader, type Row } from '../../../../src/ingest/rows/row.ts';
import { isAll } from '../../../support/database.ts';
import { READING_FORMATS } from '../../../support/formats.ts';

const JSON_TYPE = 'application/json';

/** How many turns of the event loop pass meanwhile. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let timer: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  timer = setImmediate(count);
  await work;
  clearImmediate(timer);
  return turns;
}

it.each([
  ['PurpleAir', `{"api_version":"1","fields":["time_stamp"],"data":[${'[1],'.repeat(4_999)}[1]]}`],
  ['OpenAQ', `{"meta":{},"results":[${'{},'.repeat(4_999)}{}]}`],
  ['one-line OpenAQ', `{"meta":{},"results":[${'{},'.repeat(4_999)}{}]}\n`],
])('the rows of a large %s document are read in turns of the event loop', async (_, body) => {
  const type = body.endsWith('\n') ? 'application/x-ndjson' : JSON_TYPE;
  expect(
    await turnsOf(readBatch(Buffer.from(body), type, {}, READING_FORMATS)),
  ).toBeGreaterThanOrEqual(5_000 / 100);
});

it('a row is read only when it is asked for, so that rows beyond the limit cost nothing', () => {
  const rows = Array.from({ length: 10 }, (_, n) => ({ parameter: 'pm25', value: n }));
  Object.defineProperty(rows, 5, { get: () => expect.fail('the sixth row was read') });
  const document = makeObjectReader()({ meta: {}, results: rows }, '', 1) as Row;
  const read = rowsWithin(document, { rows: 'results' }, []);
  let count = 0;
  for (const _ of read) {
    count += 1;
    if (count === 5) break;
  }
  expect(count).toBe(5);
});

it.each<[columns: number, row: (columns: string[]) => string, format?: Declarations]>([
  [
    198,
    (columns) =>
      `{"sensor_id":7,"time":"2026-11-20T11:00:00Z",${columns.map((name) => `"${name}":1`)}}`,
  ],
  [
    199,
    (columns) =>
      `{"sensor_index":7,"api_version":"1","fields":${JSON.stringify(columns)},"data":[[1],[1]]}`,
  ],
  [
    200,
    (columns) =>
      `[{"end_device_ids":{"device_id":"x"},"uplink_message":{"decoded_payload":{${columns.map((name) => `"${name}":1`)}}}}]`,
  ],
])('a row of about %i columns is read, and a row with a few more is refused', async (most, row) => {
  const bodyOf = (count: number) =>
    Buffer.from(row(Array.from({ length: count }, (_, n) => `c${n}`)));
  expect(
    (await readBatch(bodyOf(most - 5), JSON_TYPE, {}, READING_FORMATS)).readings.length,
  ).toBeGreaterThan(0);
  await expect(readBatch(bodyOf(most + 5), JSON_TYPE, {}, READING_FORMATS)).rejects.toThrow(
    'it has more than 200 fields',
  );
});

it('at most 200 columns of CSV are read, and at most 200 columns may be declared', async () => {
  const csv = (count: number) =>
    readBatch(
      Buffer.from(`sensor_id,time,pm25${',a'.repeat(count - 3)}\n`),
      'text/csv',
      {},
      READING_FORMATS,
    );
  await expect(csv(200)).rejects.toThrow('The body has no reading');
  await expect(csv(201)).rejects.toThrow(
    'the header has more than 200 columns. At most 200 are read: leave out those',
  );
  const columns = Array.from({ length: 201 }, (_, n) => `pm25=c${n}`);
  await expect(
    readBatch(Buffer.from('{}\n'), 'application/x-ndjson', { columns }, READING_FORMATS),
  ).rejects.toThrow('is given 201 times');
});

/** The fields that formats ask for. */
const FIELDS = [
  ...['sensor_id', 'sensor_index', 'sensors_id', 'sensor.id', 'serialno', 'device', 'mac_address'],
  ...['end_device_ids.device_id', 'uplink_message.decoded_payload', 'uplink_message.received_at'],
  ...['uplink_normalized.normalized_payload', 'api_version', 'fields', 'data', 'results', 'meta'],
  ...['time', 'timestamp', 'time_stamp', 'datetime', 'period.datetimeFrom.utc', 'last_changed'],
  ...['entity_id', 'state', 'attributes.device_class', 'attributes.unit_of_measurement', 'wifi'],
  ...['parameter.name', 'parameter', 'value', 'unit', 'sensordatavalues', 'location.indoor'],
  ...['pm25', 'pm2.5', 'pm2.5_corrected', 'avg_pm2.5', 'pm02', 'atmp', 'rhum', 'pm2.5_atm'],
  ...['pm2_5_cf_1', 'air.temperature', 'temperature_f', 'no2 (µg/m³)', 'P1', 'simulated'],
  ...['constructor', '__proto__', 'toString'],
].flatMap((field) => [field, ...field.split('.')]);

const scalar = fc.constantFrom<unknown>(
  1,
  '1',
  '',
  null,
  true,
  1e20,
  '2026-11-20T11:00:00Z',
  'pm25',
  'µg/m³',
  'x'.repeat(3_000),
);
const field = fc.constantFrom(...FIELDS);
const row = fc.oneof(
  scalar,
  fc.dictionary(field, scalar, { maxKeys: 5 }),
  fc.array(scalar, { maxLength: 5 }),
);
const many = (most: number) =>
  fc.tuple(fc.constantFrom(1, 3, most), row).map(([count, one]) => Array(count).fill(one));
const wide = fc
  .nat(300)
  .map((count) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])));
/**
 * Objects of the fields of all layouts, within each other, with many rows and many columns here and
 * there.
 */
const document = fc.dictionary(
  field,
  fc.oneof(
    row,
    many(6_000),
    wide,
    fc.dictionary(field, fc.oneof(row, many(100), wide), { maxKeys: 5 }),
  ),
  { maxKeys: 12 },
);

it('a body of any shape gives readings within the limits, or is refused', async () => {
  const outcomes = { read: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(
        document,
        fc.constantFrom(undefined, ...FORMAT_NAMES),
        fc.constantFrom('one' as const, 'array' as const, 'lines' as const),
      ),
      async ([one, name, as]) => {
        const text = JSON.stringify(one);
        const bodies = { one: text, array: `[${text},${text}]`, lines: `${text}\n${text}\n` };
        const body = bodies[as];
        const type = as === 'lines' ? 'application/x-ndjson' : JSON_TYPE;
        try {
          const { readings } = await readBatch(Buffer.from(body), type, { name }, READING_FORMATS);
          expect(readings.length).toBeLessThanOrEqual(5_000);
          expect(
            Math.max(0, ...readings.map((reading) => reading.text.length)),
          ).toBeLessThanOrEqual(65_536);
          expect(
            readings.reduce((sum, reading) => sum + reading.text.length, 0),
          ).toBeLessThanOrEqual(8 * 1_048_576);
          const values = readings.flatMap((reading) => Object.values(reading.values));
          expect(values.filter((value) => typeof value === 'object' && value !== null)).toEqual([]);
          outcomes.read += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
          expect([400, 413, 422]).toContain((error as Problem).status);
          outcomes.refused += 1;
        }
      },
    ),
    { numRuns: isAll ? 300 : 16, seed: 39 },
  );
  expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(2);
});
