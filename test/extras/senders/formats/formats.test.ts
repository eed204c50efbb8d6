/**
 * Every sample of every format, read from a file and from a push: what is stored of it, and what is
 * said of the rest. Polled feeds read the same samples in test/extras/feeds+senders/formats.test.ts.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PARAMETER_NAMES } from '../../../../src/contract/parameters.ts';
import type { Sql } from '../../../../src/database/client.ts';
import type { Format } from '../../../../src/extras/senders/formats/format.ts';
import { FORMAT_NAMES, FORMATS } from '../../../../src/extras/senders/formats/formats.ts';
import { unitsOf } from '../../../../src/extras/senders/units.ts';
import { importReadings } from '../../../../src/ingest/importReadings.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { isObject } from '../../../../src/ingest/rows/json.ts';
import { openPushing, type Pushing } from '../../../ingest/http/pushing.ts';
import { file } from '../../../ingest/support.ts';
import { NOW } from '../../../support/clock.ts';
import { engines } from '../../../support/database.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { keepingLog } from '../../../support/keepingLog.ts';
import {
  changed,
  declarationsOf,
  expectRefusals,
  hold,
  type NamedSample,
  NETWORK,
  SAMPLES,
  storedOf,
  textOf,
} from './samples.ts';
import { ARRIVAL, type Declared } from './table.ts';

// nothing here depends on the engine
let here: Pushing;
let ingest: Sql;
let server: Server;
let address: string;
beforeAll(async () => {
  here = await openPushing(engines[0] as (typeof engines)[0], NETWORK);
  ingest = here.database.as('airseries_ingest');
  server = here.app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await here.close();
});

/** A file is told the zone of the network; a push says it, where its format needs it. */
const NETWORK_ZONE = 'Asia/Yerevan';

const importText = (text: string, format: Declarations) =>
  importReadings(ingest, [file('sample', text)], {
    formats: READING_FORMATS,
    now: NOW,
    log: keepingLog(),
    terminal: false,
    format: { timeZone: NETWORK_ZONE, ...format },
  });

async function expectFile(sample: NamedSample, text: string) {
  const { format, declared, stored, rows, refused = [], ignored = [], excluded = 0 } = sample;
  const name = sample.isNamed ? format : undefined;
  const hasTime = stored.filter(({ time }) => time !== ARRIVAL);
  const noTime = stored.filter(({ time }) => time === ARRIVAL);

  await hold(here.owner, ingest, sample);
  const summary = await importText(text, { ...declarationsOf(declared), name });

  const said = [...summary.failures, ...summary.examples.map(({ explanation }) => explanation)];
  const why = `read as ${summary.formats.join()}: ${said.join('; ')}`;
  expect(await changed(here.owner), why).toEqual(storedOf(hasTime));
  expect(summary.accepted).toBe(noTime.length > 0 ? hasTime.length : (rows ?? hasTime.length));
  const untimed = noTime.map((one) => ({ ...one, why: 'the time is not ISO 8601' }));
  await expectRefusals(here.owner, said, [...refused, ...untimed], hasTime.length > 0);
  if (hasTime.length === 0) return;
  expect(summary).toMatchObject({ formats: [format], excluded, failed: false });
  expect(summary.ignored.sort()).toEqual([...ignored].sort());
}

/** The declarations of a sample, as the address of a push says them. */
function queryOf(declared: Declared): string {
  const query = new URLSearchParams();
  for (const column of declared.column ?? []) query.append('column', column);
  for (const unit of declared.unit ?? []) query.append('unit', unit);
  for (const only of declared.only ?? []) query.append('only', only);
  const { zone, shift, dateFormat: date_format, sensor: sensor_id, device } = declared;
  for (const [name, value] of Object.entries({ zone, shift, date_format, sensor_id, device }))
    if (value !== undefined) query.set(name, String(value));
  return query.toString();
}

function contentTypeOf(text: string): string {
  if (!/^[[{]/.test(text)) return 'text/csv';
  return text.trim().includes('\n') ? 'application/x-ndjson' : 'application/json';
}

async function expectPush(sample: NamedSample, path: string) {
  const { format, declared, stored, rows, refused = [], ignored = [], excluded = 0 } = sample;
  const isLocal = FORMATS.find(({ name }) => name === format)?.zone === 'network';
  const query = queryOf({ ...(isLocal && { zone: NETWORK_ZONE }), ...declared });
  const text = textOf(sample);

  await hold(here.owner, ingest, sample);
  const response = await fetch(`${address}${path}?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${here.token}`, 'content-type': contentTypeOf(text) },
    body: text,
  });
  const answer = (await response.json()) as { detail?: string; ignored?: string[] };

  expect(await changed(here.owner), JSON.stringify(answer)).toEqual(storedOf(stored));
  await expectRefusals(here.owner, [answer.detail ?? []].flat(), refused, stored.length > 0);
  if (stored.length === 0) return expect([400, 422]).toContain(response.status);
  expect(response.status).toBe(200);
  expect(answer).toMatchObject({ accepted: rows ?? stored.length, format });
  expect(answer).toMatchObject(excluded > 0 ? { excluded } : {});
  expect((answer.ignored ?? []).sort()).toEqual([...ignored].sort());
  const isTimed = stored.every(({ time }) => time !== ARRIVAL);
  expect('time' in answer).toBe(!isTimed);
}

/** The same text with its keys, or its columns, in the opposite order. */
function turned(sample: NamedSample): string {
  if ('json' in sample) return JSON.stringify(sample.json, turnedKeys);
  const delimiter = /[,;|]/.exec(sample.lines.join(''))?.[0] ?? ',';
  const lines = sample.lines.map((line) =>
    line.startsWith('{')
      ? JSON.stringify(JSON.parse(line, turnedKeys))
      : line.split(delimiter).reverse().join(delimiter),
  );
  return `${lines.join('\n')}\n`;
}

const turnedKeys = (_: string, value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;

it.each(SAMPLES)('an import of a sample gives the result in its table: %s', (_, sample) =>
  expectFile(sample, textOf(sample)),
);

it.each(SAMPLES.filter(([, { isTurned }]) => isTurned))(
  'an import with the columns in the opposite order gives the same result: %s',
  (_, sample) => expectFile(sample, turned(sample)),
);

it.each(SAMPLES.filter(([, { isNamed }]) => !isNamed))(
  'a push to /v1/readings is recognized by its format, with the result in the table: %s',
  (_, sample) => expectPush(sample, '/v1/readings'),
);

it.each(SAMPLES)(
  'a push to the path of its format gives the result in the table: %s',
  (_, sample) => expectPush(sample, `/v1/push/${sample.format}`),
);

it('a file whose rows name no known parameter is refused, with the names that were found', async () => {
  const history = 'entity_id,state,last_changed\nsensor.a,7,2026-11-20T08:00:00Z\nsensor.b,50,\n';
  const { failures } = await importText(history, { sensor: 11 });
  expect(failures).toEqual([
    expect.stringMatching(
      /sample: no known parameter; found sensor\.a, sensor\.b\. Say which is which with --column/,
    ),
  ]);
});

it('rows that reveal another format only late in a file are refused, not read as airseries', async () => {
  const raw = '{"sensor_id":2,"timestamp":"2026-02-01 00:00:00Z","pm2.5":14.3}';
  const corrected = raw.replace('}', ',"pm2.5_corrected":9.9}');
  const lines = [...Array.from({ length: 2_000 }, () => raw), corrected, raw, corrected];
  const { quarantined, examples } = await importText(lines.join('\n'), {});
  expect(quarantined).toEqual({ unreadable_line: 2 });
  expect(examples).toMatchObject([
    {
      position: expect.stringMatching(/:2001$/),
      explanation: expect.stringMatching(
        /format airquality-am, but the rows before it do not.*--format/,
      ),
    },
  ]);
});

it('hours and days of one sensor in one import are refused, because both would count', async () => {
  const days = file('days.csv', 'sensor_id,timestamp,avg_pm2.5\n2,2026-02-01,6.7\n');
  const hours = file('hours.csv', 'sensor_id,timestamp,avg_pm10\n2,2026-02-01 12:00:00,7.7\n');
  const options = {
    formats: READING_FORMATS,
    now: NOW,
    log: keepingLog(),
    terminal: false,
    format: { zone: '+04:00' },
  };
  expect((await importReadings(ingest, [days, hours], options)).failures).toEqual([
    expect.stringContaining('hours of sensor 2, whose days were imported before'),
  ]);
  expect((await importReadings(ingest, [hours, days], options)).failures).toEqual([
    expect.stringContaining('days of sensor 2, whose hours were imported before'),
  ]);
  const measured = file(
    'measured.csv',
    'sensor_id,timestamp,pm2.5_corrected\n2,2026-02-01 12:00:00,7.7\n',
  );
  expect((await importReadings(ingest, [measured, days], options)).failures).toEqual([]);
});

it('a file with nothing but the title of airquality.am is refused as empty', async () => {
  const { failures } = await importText('SET\n', { name: 'airquality-am' });
  expect(failures).toEqual([expect.stringContaining('the file is empty')]);
});

it('every format has a table of samples, with one that mutated.test.ts changes', () => {
  const formatsOf = (samples: typeof SAMPLES) => new Set(samples.map(([, { format }]) => format));
  const listed = formatsOf(SAMPLES);
  const marked = formatsOf(SAMPLES.filter(([, { isMutated }]) => isMutated));
  const missing = (there: Set<string>) => FORMAT_NAMES.filter((name) => !there.has(name));
  expect(missing(listed), 'list its table in test/extras/senders/formats/tables.ts').toEqual([]);
  expect(missing(marked), 'mark a sample of its table isMutated').toEqual([]);
});

it('the README of formats has the table of all sources, which -u writes', async () => {
  const page = new URL('../../../../src/extras/senders/formats/README.md', import.meta.url);
  const rows = FORMAT_NAMES.map((one) => {
    const { name, about, needs, zone } = FORMATS.find((format) => format.name === one) as Format;
    const owner = needs.owner.startsWith('for ') ? '' : needs.owner;
    return `| \`${name}\` | ${about} | ${owner} | ${zone ?? ''} |\n`;
  });
  const table = readFileSync(page, 'utf8').replace(
    /(\| source \| what .*\n.*\n)(\|.*\n)*/,
    (_, head: string) => head + rows.join(''),
  );
  await expect(table).toMatchFileSnapshot(page.pathname);
  for (const { source } of FORMATS) expect(source).toMatch(/https:|README/);
});

it('the READMEs name every parameter, and every parameter whose unit is converted', () => {
  const textOf = (path: string) =>
    readFileSync(new URL(`../../../../src/${path}/README.md`, import.meta.url), 'utf8');
  const [columns = ''] =
    /Our columns are [\s\S]*?, which is the amount/.exec(textOf('ingest')) ?? [];
  expect(PARAMETER_NAMES.filter((name) => !columns.includes(`\`${name}\``))).toEqual([]);
  const [units = ''] = /may come in[\s\S]*?\n\n/.exec(textOf('extras/senders')) ?? [];
  const convertible = PARAMETER_NAMES.filter((name) => unitsOf(name).length > 1);
  expect(convertible.filter((name) => !units.includes(`\`${name}\``))).toEqual([]);
});
