/** Pushes that are refused as a whole, and what the answer says. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { send, usePushing } from '../../ingest/http/pushing.ts';
import { stored } from '../../ingest/support.ts';
import { expectSaid, type Mistake } from '../../whole/mistakes/mistake.ts';

// nothing here depends on the engine
const here = usePushing();

/** A body of JSON, unless its headers say otherwise. */
type Push = { body: string | Buffer; headers?: Record<string, string> };

const T = '2026-11-20T11:00:00Z';
const GOOD = JSON.stringify([{ sensor_id: 1, time: T, pm25: 5 }]);
const CSV = { 'Content-Type': 'text/csv; charset=utf-8' };
const LINES = { 'Content-Type': 'application/x-ndjson' };
const GZIP = { 'Content-Encoding': 'gzip' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const PUSHES: Mistake<Push>[] = [
  // what the body is
  ['a table sent as JSON', { body: 'sensor_id,time\n1,2' }, 'not JSON'],
  ['an empty body', { body: '' }, 'empty'],
  ['blank lines', { body: '\n\r\n', headers: LINES }, 'no line'],
  ['an archive that is no gzip', { body: GOOD, headers: GZIP }, 'damaged'],
  [
    'an archive that is cut off',
    { body: gzipSync(GOOD).subarray(0, -12), headers: GZIP },
    'cut off',
  ],
  [
    'JSON under the type that curl gives it',
    { body: GOOD, headers: FORM },
    [/application\/x-ndjson/, /text\/csv.*With curl: -H 'Content-Type: application\/json'/],
    415,
  ],
  ['an unknown type', { body: GOOD, headers: { 'Content-Type': 'text/html' } }, 'csv', 415],
  [
    'a form above 64 KiB',
    { body: `a=${'x'.repeat(70_000)}`, headers: FORM },
    'The form is longer than 64 KiB',
    413,
  ],
  ['an unknown encoding', { body: GOOD, headers: { 'Content-Encoding': 'compress' } }, 'gzip', 415],

  [
    'a device that is not UTF-8',
    { body: Buffer.from(GOOD.replace('"sensor_id":1', '"device":"Gerät"'), 'latin1') },
    /^The body:1: this is text in cp1252 .*Gerät.* iconv -f CP1252 -t UTF-8 OLD > NEW\. Nothing was stored\.$/,
  ],

  [
    'a body of the airRohr firmware',
    {
      body: JSON.stringify({
        esp8266id: '1',
        sensordatavalues: [{ value_type: 'SDS_P2', value: '5' }],
      }),
    },
    'it is what the airRohr firmware sends: send it to /v1/push/airrohr. Nothing was stored.',
  ],

  // how large it is
  ['a body that is too large', { body: Buffer.alloc(8 * 1024 * 1024 + 1, ' ') }, '8192 KiB', 413],
  [
    'an archive of a body that is too large',
    { body: gzipSync(Buffer.alloc(100_000_000)), headers: GZIP },
    '8192 KiB',
    413,
  ],
  [
    'an object above 512 KiB',
    { body: `{"a":"${'x'.repeat(600_000)}"}` },
    'this is one JSON document, and it is longer than 512 KiB. Make it one object a line',
  ],
  [
    'an object above 64 KiB',
    { body: `{"a":"${'x'.repeat(70_000)}"}` },
    ': of the first, it is longer than 64 KiB',
  ],

  [
    'deep brackets',
    { body: '['.repeat(100) + ']'.repeat(100) },
    ': of the first, it is nested more than 32 levels deep',
  ],

  // what is in it
  ['an empty list', { body: '[]' }, /^The body has no reading/, 422],

  [
    'rows in a document',
    { body: JSON.stringify({ data: { items: JSON.parse(GOOD) } }) },
    `Nothing in the body is a reading: of the first, its rows lie in "data.items": send them by themselves, as jq -c '.data.items[]' takes them out.`,
  ],
  [
    'a table that pandas wrote by its columns',
    { body: JSON.stringify({ sensor_id: { 0: 1 }, time: { 0: T }, pm25: { 0: 5 } }) },
    "with pandas, write it with orient='records', lines=True",
  ],
  ['a text', { body: '"x"' }, 'Nothing in the body is a reading'],
  ['a list without a reading', { body: '[1,[],null]' }, 'Nothing in the body is a reading'],
  [
    'a table without a header',
    { body: `1,${T},5\n`, headers: CSV },
    /^The body:1: the first line is no header: expected the names of the columns, found.*Nothing was stored\.$/,
  ],

  [
    'a sensor of another provider',
    { body: JSON.stringify([1, 9, 77].map((sensor_id) => ({ sensor_id, time: T, pm25: 5 }))) },
    'sensor 9. Nothing of this request was stored',
    403,
  ],
];

it.each(PUSHES)(
  'a push is refused as a whole, and the answer says what is wrong with %s',
  async (_, { body, headers }, said, status = 400) => {
    const answer = await send(here.app, here.token, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ status, title: expect.any(String), detail: expect.any(String) });
    expectSaid(answer.body.detail, said);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(await stored(here.owner)).toEqual([]);
    expect(await here.owner`select from raw.quarantine`).toEqual([]);
  },
);
