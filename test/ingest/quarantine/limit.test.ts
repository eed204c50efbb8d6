/**
 * Each provider's quarantine has a size limit: lines beyond it are counted and reported, and other
 * providers are not affected.
 */
import type { Express } from 'express';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { trimQuarantines } from '../../../src/aggregate/jobs.ts';
import { dropQuarantined } from '../../../src/ingest/quarantine/list.ts';
import { trimQuarantine } from '../../../src/ingest/quarantine/trim.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { type Metrics, makeMetrics } from '../../../src/metrics/definitions.ts';
import { observeIngest } from '../../../src/metrics/recorders.ts';
import { NOW } from '../../support/clock.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { send, usePushing } from '../http/pushing.ts';
import { importText, reading, retry } from '../support.ts';

const BOUND = 128 * 1_048_576;
const T = '2026-11-20T11:00:00Z';
/** Bytes that a line takes in addition to its text. */
const OTHER = 512;

const here = usePushing();
let app: Express;
let metrics: Metrics;
beforeAll(() => {
  metrics = makeMetrics();
  app = here.another({ observer: observeIngest(metrics) });
});
beforeEach(() => here.owner`truncate raw.quarantine_dropped, raw.quarantine_load`);

const load = async (provider: string) =>
  (
    await here.owner`select bytes::int, left_out::int from raw.quarantine_load where provider_id = ${provider}`
  )[0];
const lines = async () => (await here.owner`select count(*)::int as n from raw.quarantine`)[0]?.n;
/** Pretends that the quarantine already holds this number of bytes. */
const fill = (bytes: number, provider = 'us') =>
  here.owner`insert into raw.quarantine_load (provider_id, bytes) values (${provider}, ${bytes})
    on conflict (provider_id) do update set bytes = excluded.bytes`;

const BODY = JSON.stringify([{ sensor_id: 1, time: T, pm25: 1 }, 'x', 'yyy']);
const TAKES = 2 * OTHER + '"x"'.length + '"yyy"'.length;

it('the quarantine accepts lines up to the last byte, and reports how many did not fit', async () => {
  await fill(BOUND - TAKES);
  const all = await send(app, here.token, BODY);
  expect(all.body).toEqual({
    received: 3,
    accepted: 1,
    unchanged: 0,
    quarantined: [expect.anything(), expect.anything()],
    format: 'airseries',
  });
  expect([await lines(), await load('us')]).toEqual([2, { bytes: BOUND, left_out: 0 }]);

  await here.owner`truncate raw.quarantine`;
  await fill(BOUND - TAKES + 1);
  const some = await send(app, here.token, BODY);
  expect(some.body).toMatchObject({
    received: 3,
    unchanged: 1,
    quarantined: [{}, {}],
    left_out_of_quarantine: 1,
  });
  expect([await lines(), (await load('us'))?.left_out]).toEqual([1, 1]);
  expect(await metrics.registry.metrics()).toContain(
    'airseries_quarantine_left_out_total{provider="us"} 1',
  );
});

it('an understood line is kept as 2,000 characters and a fingerprint, and any other line at more length', async () => {
  const note = 'x'.repeat(3_000);
  const unclear = { sensor_id: 77, time: 'noon', pm25: 1, note };
  await send(app, here.token, JSON.stringify([{ ...unclear, time: T }, unclear]));
  const kept = await here.owner`select length(text) as length from raw.quarantine order by length`;
  expect(kept.map(({ length }) => length)).toEqual([2_034, JSON.stringify(unclear).length]);
});

it('lines that the quarantine already holds are not left out, and not counted twice', async () => {
  await fill(BOUND - TAKES);
  for (const body of [
    BODY,
    BODY,
    JSON.stringify(['x', 'x', 'yyy', { sensor_id: 1, time: T, pm25: 1 }]),
  ]) {
    expect((await send(app, here.token, body)).body.left_out_of_quarantine).toBeUndefined();
  }
  expect([await lines(), await load('us')]).toEqual([2, { bytes: BOUND, left_out: 0 }]);
});

it('each provider has a quarantine limit of its own', async () => {
  await fill(BOUND);
  const other = await here.makeToken('other', 'them');
  for (let n = 1; n <= 2; n++)
    expect((await send(app, here.token, BODY)).body.left_out_of_quarantine).toBe(2);
  expect((await load('us'))?.left_out).toBe(4);
  expect((await send(app, other, '[{},"x"]')).body.left_out_of_quarantine).toBeUndefined();
  expect(
    await acceptReadings(here.database.as('airseries_ingest'), [reading(99, T, {})], {
      now: NOW,
      source: 'file',
    }),
  ).toMatchObject({ overflowed: 0 });
  expect([await load('them'), await load('')]).toMatchObject([{ left_out: 0 }, { left_out: 0 }]);
});

const insert = (n: number, provider: string | null = 'us') => here.owner`
  insert into raw.quarantine (recorded_at, source, provider_id, kind, reason, text)
  select ${NOW}, 's', ${provider}, 'reading', 'unknown_sensor', lpad(g::text, 88, '.') from generate_series(1, ${n}) g`;

it('trimming the quarantine drops the oldest lines above the limit, and recounts its size', async () => {
  await insert(10);
  await insert(10, null);
  await fill(BOUND);
  await fill(7, '');
  await send(app, here.token, BODY);
  expect(await load('us')).toEqual({ bytes: BOUND, left_out: 2 });
  expect(await trimQuarantine(here.owner, NOW, { bytes: 4 * 600 })).toEqual({
    expired: {},
    surplus: { us: 6 + 2 },
  });
  expect(
    await here.owner`select ltrim(text, '.') as text from raw.quarantine where provider_id = 'us' order by id`,
  ).toMatchObject(['7', '8', '9', '10'].map((text) => ({ text })));
  expect([await load('us'), await load('')]).toEqual([
    { bytes: 4 * 600, left_out: 0 },
    { bytes: 10 * 600, left_out: 0 },
  ]);
  expect(await here.owner`select provider_id, surplus::int from raw.quarantine_dropped`).toEqual([
    { provider_id: 'us', surplus: 8 },
  ]);
  expect(await trimQuarantine(here.owner, NOW, { bytes: 4 * 600 })).toEqual({
    expired: {},
    surplus: { '': 6 },
  });
  expect(await trimQuarantine(here.owner, NOW, { bytes: 4 * 600 })).toEqual({
    expired: {},
    surplus: {},
  });
});

it('the job that trims the quarantine warns of lines that did not fit', async () => {
  const log = keepingLog();
  await fill(BOUND);
  await send(app, here.token, BODY);
  await trimQuarantines({ target: here.database.target, clock: () => NOW, log });
  expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { fields: { lines: { us: 2 } } },
  ]);
  expect((await send(app, here.token, BODY)).body.left_out_of_quarantine).toBeUndefined();
});

it('the quarantine has room again once the operator drops lines', async () => {
  await insert(3);
  await fill(BOUND);
  await dropQuarantined(here.owner, { reason: 'unknown_sensor' });
  expect(await load('us')).toEqual({ bytes: 0, left_out: 0 });
});

it('a line whose retry did not fit stays in quarantine', async () => {
  const sql = here.database.as('airseries_ingest');
  const scope = { provider: 'us', stations: null };
  await acceptReadings(sql, [reading(1, '2027-01-01T00:00:00Z', { pm25: 9_999, pm10: 1 })], {
    now: NOW,
    source: 'us',
    scope,
  });
  await here.owner`update raw.quarantine set reason = 'unknown_sensor' where kind = 'reading'`;
  await here.owner`delete from raw.quarantine where kind = 'value'`;
  await fill(BOUND);
  expect(await retry(here.owner)).toMatchObject({ retried: 1, still_quarantined: 1 });
  expect(await here.owner`select reason from raw.quarantine`).toEqual([
    { reason: 'unknown_sensor' },
  ]);
});

it('an import reports how many of its lines did not fit into the quarantine', async () => {
  await fill(BOUND, '');
  const text = `sensor_id,time,pm25\n1,${T},1\n98,${T},1\n99,${T},1\n`;
  expect(await importText(here.database.as('airseries_ingest'), text)).toMatchObject({
    ...{ accepted: 1, quarantined: { unknown_sensor: 2 }, left_out_of_quarantine: 2 },
  });
});
