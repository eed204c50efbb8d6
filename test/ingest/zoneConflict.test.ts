/**
 * Z5: Node and the database server have other rules of a zone. The server has America/Vancouver at
 * -05:00 since November 2026, which no release of tzdata says, so that every Node differs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeJobs } from '../../src/aggregate/jobs.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { readZoneRules } from '../../src/aggregate/zoneRules.ts';
import { statusTable } from '../../src/commands/status.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { openIngestPool } from '../../src/database/pools.ts';
import type { QueryPool } from '../../src/database/queryPool.ts';
import { makeIngestApp } from '../../src/ingest/http/app.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { zoneConflict } from '../../src/ingest/store/zoneConflict.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { observeZone } from '../../src/metrics/recorders.ts';
import { migrate } from '../../src/schema/migrate.ts';
import type { Server } from '../support/makeDatabase.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openZoneServer, type ZoneServer } from '../support/zoneFiles.ts';
import { bringIn, keepingLog, NOW, smallNetwork, stored } from './support.ts';

const zone = 'America/Vancouver';
const RULES = {
  offsets: [
    ['2025-11-02T09:00:00Z', -8],
    ['2026-03-08T10:00:00Z', -7],
    ['2026-11-01T09:00:00Z', -5],
  ],
  rule: 'LCL5',
} as const;
const FROM = '2026-11-01T09:00:00Z';

describe('Node and the server differ', () => {
  let server: ZoneServer;
  let target: Server;
  let owner: Sql;
  let ingest: Sql;
  let writes: QueryPool;

  beforeAll(async () => {
    server = await openZoneServer('plain', zone);
    server.setRules(RULES);
    target = await server.database();
    const log = keepingLog();
    await migrate(target, { timeZone: zone, epoch: '2026-01-01', now: NOW, log });
    owner = connect(target, { role: 'airseries_owner', timeZone: 'UTC', max: 2 });
    ingest = connect(target, { role: 'airseries_ingest', timeZone: 'UTC', max: 2 });
    writes = openIngestPool(target, { timeZone: zone, max: 2 });
    await bringIn(owner, smallNetwork({ timeZone: zone }));
    await refresh(target, () => NOW);
  });
  afterAll(async () => {
    await Promise.all([owner?.end({ timeout: 1 }), ingest?.end({ timeout: 1 }), writes?.close()]);
    await server?.close();
  });

  it('where they differ first, with both offsets (Z5)', async () => {
    const conflict = await zoneConflict(owner, zone, NOW);
    expect(conflict?.from).toBe(FROM);
    // -08:00 or, since tzdata 2026b, -07:00
    const hour = Date.parse('2026-11-01T01:00:00Z') * 1_000;
    expect([hour, hour + 3_600_000_000]).toContain(conflict?.localFrom);
    expect(conflict?.message).toContain(
      `From ${FROM} on the database server has ${zone} at -05:00, Node ${process.version} (tzdata ${process.versions.tz}) at -0`,
    );
    expect(await zoneConflict(owner, 'Europe/Berlin', NOW)).toBeUndefined();
  });

  it.each([
    ['2020a', /Node's rules are older than the server's \(tzdata 2025a or newer\): update Node\.$/],
    [
      '2030a',
      /The server's rules are older \(tzdata from before 2026b\): update the package tzdata/,
    ],
    ['2025c', /One of them is older: update Node, or the package tzdata of the database server/],
    ['', /One of them is older/],
  ])('and which is older, as far as a release tells: Node has %s', async (release, remedy) => {
    const conflict = await zoneConflict(owner, zone, NOW, release);
    expect(conflict?.message).toMatch(remedy);
  });

  it('in a file, stamps without an offset are refused from then on; with one they are imported', async () => {
    const file = join(temporaryFolder('zones'), 'local.csv');
    const rows = ['2026-10-31 23:00,1', '2026-11-01 00:59,2', '2026-11-01 02:00,3'];
    writeFileSync(file, ['time,pm25', ...rows, ''].join('\n'));
    const log = keepingLog();
    const bring = (timeZone: string, declared: object = {}) =>
      importReadings(ingest, [file], {
        ...{ now: NOW, log, terminal: false },
        format: { sensor: 1, timeZone, zone, ...declared },
      });
    const summary = await bring(zone);
    expect(summary).toMatchObject({ accepted: 0, quarantined: {}, failed: true });
    expect(summary.failures).toEqual([
      expect.stringMatching(
        /^--zone: it is not certain which instant 2026-11-01 02:00 is in America\/Vancouver\. From 2026-11-01T09:00:00Z on the database server has .*Then send it again/,
      ),
    ]);
    expect(await bring(zone, { zone: '-07:00' })).toMatchObject({ accepted: 3, unchanged: 0 });
    expect((await stored(owner)).map((row) => row.measured_at)).toEqual([
      '2026-11-01T06:00:00+00:00',
      '2026-11-01T07:59:00+00:00',
      '2026-11-01T09:00:00+00:00',
    ]);
  });

  it('in a request, too, and times with an offset are accepted', async () => {
    const app = makeIngestApp({ writes, clock: () => NOW, log: keepingLog(), rate: 1_000 });
    const { token } = await createToken(owner, {
      ...{ name: 'feed', provider: 'us', stations: null, now: NOW },
    });
    const send = (time: string, query: string) =>
      request(app)
        .post(`/v1/readings?${query}`)
        .set('Authorization', `Bearer ${token}`)
        .send([{ sensor_id: 2, time, pm25: 5 }]);
    const refused = await send('2026-11-05 12:00', `zone=${zone}`);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      expect.stringMatching(/-05:00, Node .*Nothing was stored\.$/),
    ]);
    expect((await send('2026-11-05T12:00:00-07:00', `zone=${zone}`)).status).toBe(200);
    expect((await send('2026-11-05 12:00', 'zone=Europe/Berlin')).status).toBe(200);
    expect((await send('2026-10-05 12:00', `zone=${zone}`)).status).toBe(200);
  });

  it('the log, a metric and status say it', async () => {
    const log = keepingLog();
    const metrics = makeMetrics();
    const jobs = makeJobs({
      ...{ target, timeZone: zone, clock: () => NOW, log, retention: undefined },
      zoneObserver: observeZone(metrics),
    });
    const check = async () => await jobs.find(({ name }) => name === 'zone_rules')?.run(NOW);
    await check();
    expect(log.lines).toMatchObject([
      { level: 'error', message: expect.stringContaining('times without an offset are refused') },
    ]);
    const values = async () => (await metrics.scrape()).match(/^airseries_time_zone_conflict.*$/gm);
    expect(await values()).toEqual([
      'airseries_time_zone_conflict{with="record"} 0',
      'airseries_time_zone_conflict{with="node"} 1',
    ]);
    await owner`update raw.installation set zone_refused_from = '2027-01-01 00:00Z', zone_refused = 'why', zone_changed_at = ${NOW}, zone_changed_from = ${FROM}`;
    await check();
    expect((await values())?.[0]).toBe('airseries_time_zone_conflict{with="record"} 1');
    const text = statusTable(
      {
        ...{ engine: 'plain', time_zone: zone, providers: [] },
        kept_hours: { recorded: 0, missing: null },
        zone_rules: await readZoneRules(owner, zone, NOW),
        versions: {
          ...{ airseries: '1', node: 'v20', postgresql: '18.4', timescaledb: null },
          timescaledb_tried: [],
        },
        freshness: {
          ...{ refreshed_at: null, digest_made_at: null, newest_reading: null },
          ...{ audited_at: null, differing_buckets: null },
        },
      },
      NOW,
    ).replaceAll(/\s+/g, ' ');
    expect(text).toContain('zone rules REFUSED from 2027-01-01T00:00:00+00:00 on');
    expect(text).toContain(`changed from 2026-11-01T09:00:00+00:00 on, followed 2026-11-20`);
    expect(text).toContain(`From ${FROM} on the database server has ${zone} at -05:00`);
  });

  it('a zone that Node does not know is refused whole', async () => {
    const other = await openZoneServer('plain', 'Test/Town');
    other.setRules(RULES);
    const there = await other.database();
    const log = keepingLog();
    await migrate(there, { timeZone: 'Test/Town', epoch: '2026-01-01', now: NOW, log });
    const sql = connect(there, { role: 'airseries_owner', timeZone: 'UTC' });
    expect(await zoneConflict(sql, 'Test/Town', NOW)).toMatchObject({
      from: '2026-01-01T08:00:00.000Z',
      message: expect.stringContaining('does not know the time zone Test/Town'),
    });
    await sql.end();
    await other.close();
  });
});
