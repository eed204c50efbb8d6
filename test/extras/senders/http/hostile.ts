/**
 * Bodies within the limits of the ingestion endpoints that are made to be slow or large to read, in
 * the shapes of all layouts.
 */

/** A body, how it is sent, and the status of its answer. */
export type Hostile = {
  what: string;
  status: number;
  path: string;
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
const MEASURED = [
  'pm1',
  'pm25',
  'pm10',
  'no2',
  'o3',
  'so2',
  'uv',
  'rain',
  'dust',
  'usvh',
  'humidity',
  'temperature',
];

type Row = [what: string, status: number, body: () => string, path?: string];

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
    'rows of 200 columns',
    422,
    () =>
      purpleair(
        list(198, (n) => `"c${n}"`),
        filled(500 * KIB, `[${times(199, '1')}]`),
      ),
  ],
  [
    'a long name of a column',
    400,
    () => purpleair(`"${'x'.repeat(200 * KIB)}"`, filled(300 * KIB, '[1,1]')),
  ],
  [
    '5,000 rows that share a long text',
    400,
    () => purpleair('1', times(5_000, '[1]'), `"mac_address":"${'x'.repeat(400 * KIB)}",`),
  ],
  [
    '5,000 rows that share texts',
    413,
    () => purpleair('1', times(5_000, '[1]'), `"mac_address":"${'x'.repeat(9_000)}",`),
  ],
  ['170,000 rows that are no objects', 413, () => openaq(filled(OBJECT, '1'))],
  [
    'rows of one reading with long values',
    422,
    () =>
      openaq(
        `${list(12, (n) => `{"parameter":"${MEASURED[n]}","value":"${'x'.repeat(25_000)}"}`)},${times(4_900, '{"parameter":"pm1","value":1}')}`,
      ),
  ],
  [
    'values of lists in unknown units',
    422,
    () =>
      openaq(filled(OBJECT, `{"parameter":"pm1","units":"stone","value":[${times(2_000, '[]')}]}`)),
  ],
  ['documents of many rows', 413, () => `[${filled(BODY, openaq(filled(ELEMENT, '1')))}]`],
  ['documents without rows', 200, () => `[${filled(BODY, openaq(''))}]`],
  // columns
  ['a row of 43,000 columns', 400, () => reading(keys(43_000))],
  ['rows of 6,000 columns', 400, () => `[${filled(BODY, reading(keys(6_000)))}]`],
  [
    'rows of columns of their own',
    422,
    () => `[${list(4_000, (row) => reading(list(100, (n) => `"r${row}c${n}":1`)))}]`,
  ],
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
    422,
    () => `[${filled(BODY, reading(`"pm25":[${times(20_000, '[]')}]`))}]`,
  ],
  [
    'sensors that are lists',
    422,
    () => `[${filled(BODY, `{"sensor_id":[${times(20_000, '[]')}],"time":${T},"pm25":1}`)}]`,
  ],
  ['long values', 422, () => `[${filled(BODY, reading(`"pm25":"${'9'.repeat(60_000)}"`))}]`],
  ['one long text', 400, () => `"${'x'.repeat(BODY)}"`],
  [
    'numbers that are longer when written',
    413,
    () => `[${times(4_900, reading(`"a":[${times(300, '1e20')}]`)).replaceAll('},', '},\n')}]`,
  ],
  // by layout
  ['a payload of 4,500 values', 400, () => uplink(keys(4_500)), '/v1/push/ttn'],
  [
    'payloads of objects',
    422,
    () => `[${filled(BODY, uplink(filled(2_000, '"pm10":{"value":1,"unit":"ug/m3"}')))}]`,
  ],
  [
    'AirGradient without values',
    413,
    () => `[${filled(BODY, '{"wifi":1,"serialno":"x","pm02":[],"rhum":{}}')}]`,
  ],
  [
    'states of one entity',
    413,
    () =>
      `[${filled(BODY, `{"entity_id":"a","state":"${'1'.repeat(1_500)}","attributes":{"device_class":"pm25"},"last_updated":${T}}`)}]`,
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
  [
    '2,000 values of one device',
    200,
    () =>
      `{"esp8266id":"1","sensordatavalues":[${filled(ELEMENT, '{"value_type":"SDS_P1","value":[[]]}')}]}`,
    '/v1/push/airrohr',
  ],
  [
    'columns of the address',
    413,
    () => `[${filled(BODY, '{}')}]`,
    `/v1/readings?${list(200, (n) => `column=pm25=a${n}.b`).replaceAll(',', '&')}`,
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
  ([what, status, body, path = '/v1/readings']: Row): Hostile => ({
    what,
    status,
    body,
    path,
    type,
  });

export const HOSTILE: readonly Hostile[] = [
  ...JSON_BODIES.map(ofType('application/json')),
  ...LINES.map(ofType('application/x-ndjson')),
  ...CSV_BODIES.map(ofType('text/csv')),
];
