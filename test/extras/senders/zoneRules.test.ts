/**
 * Z5: stamps without an offset are read by the rules of the database server. It has a zone that no
 * Node knows, at +03:00 since November 2026.
 */
import request from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { checkZoneRules } from '../../../src/aggregate/zoneRules.ts';
import { connect, type Sql } from '../../../src/database/client.ts';
import { openIngestPool } from '../../../src/database/pools.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import { makeIngestApp } from '../../../src/ingest/http/app.ts';
import { createToken } from '../../../src/ingest/http/tokens.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { makeMetrics } from '../../../src/metrics/definitions.ts';
import { observeZone } from '../../../src/metrics/recorders.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { openZoneServer, type Rules, type ZoneServer } from '../../aggregate/zoneFiles.ts';
import { importText } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import type { Server } from '../../support/makeDatabase.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';

const zone = 'Test/Town';
const OFFSETS = [
  ['2025-10-25T23:00:00Z', 1],
  ['2026-03-28T23:00:00Z', 2],
] as const;
/** At midnight UTC the clocks go from 2:00 to 3:00. */
const RULES: Rules = { offsets: [...OFFSETS, ['2026-11-01T00:00:00Z', 3]], rule: 'LCL-3' };
/** At midnight UTC the clocks go from 2:00 back to 1:00. */
const OTHER_RULES: Rules = { offsets: [...OFFSETS, ['2026-11-01T00:00:00Z', 1]], rule: 'LCL-1' };

let server: ZoneServer;
const closers: (() => Promise<unknown>)[] = [];

/** A database with the small network, before its first refresh. */
async function made(timeZone: string) {
  const target = await server.database();
  await migrate(target, { timeZone, epoch: '2026-01-01', now: NOW, log: keepingLog() });
  const owner = connect(target, { role: 'airseries_owner', timeZone: 'UTC', max: 2 });
  const ingest = connect(target, { role: 'airseries_ingest', timeZone: 'UTC', max: 2 });
  const writes = openIngestPool(target, { timeZone, max: 2 });
  closers.push(() => owner.end({ timeout: 1 }));
  closers.push(() => ingest.end({ timeout: 1 }));
  closers.push(() => writes.close());
  await bringIn(owner, smallNetwork({ timeZone }));
  return { target, owner, ingest, writes };
}

function imported(sql: Sql, stamps: readonly string[], format: Declarations) {
  const rows = stamps.map((stamp, index) => `${stamp},${index + 1}\n`);
  return importText(sql, `time,pm25\n${rows.join('')}`, { sensor: 1, ...format });
}

async function storedTimes(owner: Sql): Promise<string[]> {
  const rows = await owner<{ at: string }[]>`
    select to_char(measured_at at time zone 'UTC', 'MM-DD HH24:MI') as at from raw.readings order by 1`;
  return rows.map(({ at }) => at);
}

beforeAll(async () => {
  server = await openZoneServer('plain', zone);
  server.setRules(RULES);
});
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await server?.close();
});

describe('in the zone of the installation', () => {
  let target: Server;
  let owner: Sql;
  let ingest: Sql;
  beforeAll(async () => {
    ({ target, owner, ingest } = await made(zone));
  });
  beforeEach(async () => {
    await owner`truncate raw.readings`;
  });

  it('a file in local time is read by the database server’s rules, even before the first refresh (Z5)', async () => {
    expect(await owner`select from raw.zone_offset`).toEqual([]);
    const stamps = ['2026-10-31 23:00', '2026-11-01 01:59', '2026-11-01 03:00'];
    const skipped = await imported(ingest, [...stamps, '2026-11-01 02:30'], { zone });
    expect(skipped.failures).toEqual([expect.stringContaining(`the clocks of ${zone} skip`)]);
    const summary = await imported(ingest, stamps, { timeZone: zone, zone });
    expect(summary).toMatchObject({ accepted: 3, quarantined: {} });
    expect(await storedTimes(owner)).toEqual(['10-31 21:00', '10-31 23:59', '11-01 00:00']);
  });

  it('a format with times in the zone of the network is read by the database server’s rules', async () => {
    const theirs = 'SET\nsensor_id,timestamp,pm2.5,pm2.5_corrected\n1,2026-11-05 12:00:00,5,6\n';
    await importText(ingest, theirs, { timeZone: zone });
    expect(await storedTimes(owner)).toEqual(['11-05 09:00']);
  });

  it('zone rules that days and months were computed by hold until a refresh adopts others', async () => {
    await refresh(target, () => NOW);
    server.setRules(OTHER_RULES);
    const later = connect(target, { role: 'airseries_ingest', timeZone: 'UTC', max: 2 });
    closers.push(() => later.end({ timeout: 1 }));
    await imported(later, ['2026-11-05 12:00'], { timeZone: zone });
    expect(await storedTimes(owner)).toEqual([]);
    await imported(later, ['2026-11-05 12:00'], { timeZone: zone, zone: 'test/town' });
    expect(await storedTimes(owner)).toEqual(['11-05 09:00']);
    await refresh(target, () => NOW);
    await imported(later, ['2026-11-05 12:00'], { timeZone: zone, zone });
    expect(await storedTimes(owner)).toEqual(['11-05 09:00', '11-05 11:00']);
    server.setRules(RULES);
  });
});

describe('in another zone', () => {
  let owner: Sql;
  let writes: QueryPool;
  beforeAll(async () => {
    ({ owner, writes } = await made('Asia/Yerevan'));
  });
  beforeEach(async () => {
    await owner`truncate raw.readings`;
  });

  it('a push with a declared zone is read by the database server’s rules, and unknown zones are refused', async () => {
    const app = makeIngestApp({
      formats: READING_FORMATS,
      writes,
      clock: () => NOW,
      timeZone: 'Asia/Yerevan',
      log: keepingLog(),
      rate: 1_000,
    });
    const scope = { provider: 'us', stations: null };
    const { token } = await createToken(owner, { name: 'feed', ...scope, now: NOW });
    const send = (query: string) =>
      request(app)
        .post(`/v1/readings?${query}`)
        .set('Authorization', `Bearer ${token}`)
        .send([{ sensor_id: 2, time: '2026-11-05 12:00', pm25: 5 }]);
    expect((await send(`zone=${zone}`)).status).toBe(200);
    expect((await send('zone=asia/yerevan')).status).toBe(200);
    expect(await storedTimes(owner)).toEqual(['11-05 08:00', '11-05 09:00']);
    for (const unknown of ['Test/Twon', 'Test/Town5', 'localtime', 'MEZ'])
      expect(await send(`zone=${unknown}`)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining(`?zone: there is no time zone "${unknown}"`) },
      });
    expect((await send('zone=Europe/Berlin%00')).body.detail).toContain(
      '?zone: there is no time zone "Europe/Berlin\0"',
    );
    expect((await send('zone=BST')).body.detail).toContain('?zone: "BST" is an abbreviation');
  });
});

it('a refused change of zone rules is in the log', async () => {
  const { target, owner } = await made('Asia/Yerevan');
  const log = keepingLog();
  const zoneObserver = observeZone(makeMetrics());
  await owner`update raw.installation set zone_refused_from = '2027-01-01 00:00Z', zone_refused = 'why'`;
  await checkZoneRules({ target, timeZone: 'Asia/Yerevan', log, zoneObserver });
  expect(log.lines).toMatchObject([
    {
      level: 'error',
      message: expect.stringContaining('rules of the time zone are refused'),
      fields: { from: '2027-01-01T04:00:00+04:00', why: 'why' },
    },
  ]);
});
