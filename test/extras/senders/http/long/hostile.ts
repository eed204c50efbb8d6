/**
 * Bodies within the limits of the ingestion endpoints that are made to be slow or large to read, in
 * the shapes of all layouts.
 */
/** A body, how it is sent, and the status with which it is refused; 200: it is read. */
export type Hostile = {
  what: string;
  status: number;
  type: string;
  body: () => string;
};

const KIB = 1_024;
/** Bytes of an object, an element of an array and a whole body: a little less than allowed. */
const [OBJECT, ELEMENT, BODY] = [511 * KIB, 63 * KIB, 8_190 * KIB];

const times = (count: number, text: string) => `${text},`.repeat(count).slice(0, -1);
const filled = (bytes: number, text: string) => times(Math.floor(bytes / (text.length + 1)), text);
const list = (count: number, one: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => one(n)).join(',');
const keys = (count: number) => list(count, (n) => `"k${n}":0`);
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const T = '"2026-11-20T11:00:00Z"';
const reading = (more: string) => `{"sensor_id":7,"time":${T},${more}}`;
const purpleair = (fields: string, rows: string, more = '') =>
  `{"api_version":"V1","sensor_index":7,${more}"fields":["time_stamp",${fields}],"data":[${rows}]}`;
const openaq = (rows: string, more = '') => `{"meta":{"found":1},${more}"results":[${rows}]}`;
const uplink = (payload: string) =>
  `{"end_device_ids":{"device_id":"roof-1"},"uplink_message":{"received_at":${T},"decoded_payload":{${payload}}}}`;
type Row = [what: string, status: number, body: () => string];

const JSON_BODIES: Row[] = [
  // what a document says of all its rows, and columns without cells
  [
    'rows that share 20,000 fields',
    400,
    () => purpleair('"pm2.5_atm"', filled(250 * KIB, '[1]'), `${keys(20_000)},`),
  ],
  [
    '20,000 columns and empty rows',
    400,
    () => purpleair(filled(200 * KIB, '"pm2.5_atm"'), filled(250 * KIB, '[]')),
  ],
  [
    '5,000 rows that share texts',
    413,
    () => purpleair('1', times(5_000, '[1]'), `"mac_address":"${'x'.repeat(9_000)}",`),
  ],
  ['170,000 rows that are no objects', 413, () => openaq(filled(OBJECT, '1'))],
  [
    'values of lists in unknown units',
    200,
    () =>
      openaq(filled(OBJECT, `{"parameter":"pm1","units":"stone","value":[${times(2_000, '[]')}]}`)),
  ],
  ['documents of many rows', 413, () => `[${filled(BODY, openaq(filled(ELEMENT, '1')))}]`],
  // columns
  ['a row of 43,000 columns', 400, () => reading(keys(43_000))],
  ['rows of 6,000 columns', 400, () => `[${filled(BODY, reading(keys(6_000)))}]`],
  [
    'names that all mean pm25',
    400,
    () => reading(list(4_000, (n) => `"pm25 (ug/m3${' '.repeat(n % 200)})":${n}`)),
  ],
  // many, long, deep
  ['numbers', 413, () => `[${filled(BODY, '1')}]`],
  ['lists of 32 levels', 413, () => `[${filled(BODY, deep(32))}]`],
  ['lists of 250,000 levels', 400, () => deep(250_000)],
  [
    'values that are lists',
    200,
    () => `[${filled(BODY, reading(`"pm25":[${times(20_000, '[]')}]`))}]`,
  ],
  ['one string', 400, () => `["${'x'.repeat(BODY)}"]`],
  ['escapes', 400, () => `["${'\\u00e9'.repeat(BODY / 6)}"]`],
  ['one number', 400, () => `[${'1'.repeat(BODY)}]`],
  ['objects in objects', 400, () => `[${'{"a":'.repeat(BODY / 12)}1${'}'.repeat(BODY / 12)}]`],
  [
    'notes of long characters',
    200,
    () => `[${filled(BODY / 3, reading(`"note":"${'\u20ac'.repeat(600)}"`))}]`,
  ],
  ['long values', 200, () => `[${filled(BODY, reading(`"pm25":"${'9'.repeat(60_000)}"`))}]`],
  // by layout
  ['a payload of 4,500 values', 400, () => uplink(keys(4_500))],
  [
    'payloads of objects',
    200,
    () => `[${filled(BODY, uplink(filled(2_000, '"pm10":{"value":1,"unit":"ug/m3"}')))}]`,
  ],
  [
    'a state with 40,000 attributes',
    200,
    () => `{"entity_id":"x","state":"1","attributes":{${keys(40_000)}}}`,
  ],
  [
    '2,000 values of one sensor',
    400,
    () =>
      `[${filled(BODY, `{"sensor":{"id":7},"timestamp":${T},"sensordatavalues":[${filled(ELEMENT, '{"value_type":"P1","value":"1"}')}]}`)}]`,
  ],
];

const LINES: Row[] = [
  ['lines of objects', 413, () => '{}\n'.repeat(BODY / 3)],
  ['lines that are documents', 413, () => `${openaq(filled(ELEMENT, '1'))}\n`.repeat(125)],
  ['one line', 400, () => 'x'.repeat(BODY)],
  ['lines of brackets', 400, () => `${'['.repeat(60_000)}\n`.repeat(130)],
];

const CSV_BODIES: Row[] = [
  ['30,000 columns', 400, () => `${times(30_000, 'a')}\n`],
  ['13,000 columns of one parameter', 400, () => `sensor_id,time,${times(13_000, 'pm25')}\n`],
  [
    'lines of delimiters',
    422,
    () => `sensor_id,time,pm25\n${`${','.repeat(60_000)}\n`.repeat(130)}`,
  ],
  [
    'lines of 200 columns',
    200,
    () =>
      `sensor_id,time,pm25,${list(197, (n) => `c${n}`)}\n${`7,2026-11-20T11:00:00Z,5,${times(197, '1')}\n`.repeat(4_999)}`,
  ],
];

const ofType =
  (type: string) =>
  ([what, status, body]: Row): Hostile => ({ what, status, type, body });

export const HOSTILE: readonly Hostile[] = [
  ...JSON_BODIES.map(ofType('application/json')),
  ...LINES.map(ofType('application/x-ndjson')),
  ...CSV_BODIES.map(ofType('text/csv')),
];
