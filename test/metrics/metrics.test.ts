/** /metrics exposes every defined metric, passes promtool, and has a bounded number of series. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { type ApiDb, apiRows } from '../../src/database/apiDb.ts';
import { openIngestPool, openReaderPool } from '../../src/database/pools.ts';
import { makeIngestApp } from '../../src/ingest/http/app.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { makeAdminApp } from '../../src/metrics/adminApp.ts';
import { registerCollectors } from '../../src/metrics/collectors.ts';
import { measure, observeIngest, observePool } from '../../src/metrics/recorders.ts';
import { makeApp } from '../../src/serve/app.ts';
import { bringIn, keepingLog, NOW } from '../ingest/support.ts';
import {
  engines,
  onEveryEngineInAll,
  type TestDatabase,
  testDatabase,
} from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { makeAllMetrics } from '../support/metrics.ts';
import { seeded } from '../support/random.ts';
import { needs } from '../support/tools.ts';
import { DEFINITIONS, metricsTable } from './metricsTable.ts';

/** 200 stations of 10 providers in 8 cities. */
const cities = citiesOfOneStation([...'abcdefgh'].map((letter) => `city-${letter}`));
const NETWORK = {
  ...cities,
  providers: Array.from({ length: 10 }, (_, n) => ({ id: `provider-${n}`, title: `P${n}` })),
  stations: Array.from({ length: 200 }, (_, n) => ({
    ...cities.stations[n % 8],
    id: n + 1,
    provider: `provider-${n % 10}`,
    sensors: [{ id: n + 1 }],
  })),
};

onEveryEngineInAll('metrics', (engine) => {
  let reads: ApiDb;
  let database: TestDatabase;
  let close: () => Promise<void>;
  let admin: ReturnType<typeof makeAdminApp>;
  let app: ReturnType<typeof makeApp>;
  let ingest: ReturnType<typeof makeIngestApp>;
  let token: string;
  const metrics = makeAllMetrics();
  const clock = () => NOW;
  const log = keepingLog();

  beforeAll(async () => {
    database = await testDatabase(engine);
    await bringIn(database.as(), NETWORK);
    ({ token } = await createToken(database.as(), {
      name: 't',
      provider: 'provider-0',
      stations: null,
      now: NOW,
    }));
    const { timeZone, target } = database;
    reads = openReaderPool(target, { timeZone, observer: observePool(metrics, 'read') });
    const writes = openIngestPool(target, { timeZone, observer: observePool(metrics, 'write') });
    close = async () => {
      await reads.destroy();
      await writes.close();
      await database.drop();
    };
    registerCollectors(metrics, reads, { clock, log });
    admin = makeAdminApp({ ready: async () => ({ ok: true, checks: {} }), metrics, log });
    app = makeApp({ db: reads, clock, siteBaseUrl: '', log, measure: measure(metrics, 'public') });
    ingest = makeIngestApp({
      writes,
      clock,
      log,
      rate: 1_000,
      observer: observeIngest(metrics),
      measure: measure(metrics, 'ingest'),
    });
    const at = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
    const readings = [
      { sensor_id: 1, time: at(2), pm25: 5 },
      { sensor_id: 11, time: at(200), pm25: 5 },
      { sensor_id: 11, time: at(260), pm25: 5 },
      { sensor_id: 999, time: at(2), pm25: 5 },
    ];
    const sent = request(ingest).post('/v1/readings').set('Authorization', `Bearer ${token}`);
    await sent.send(readings).expect(200);
    await refresh(target, () => NOW);
    await makeDigest(target, NOW);
    await audit(target, { clock: () => NOW, from: new Date('2026-10-01T00:00:00Z'), timeZone });
    const first = await request(app).get('/en/air-quality-app/v1/stations.json').expect(200);
    await request(app)
      .get('/en/air-quality-app/v1/stations.json')
      .set('If-None-Match', first.headers.etag as string)
      .expect(304);
  });
  afterAll(() => close());

  const scrape = async () => (await request(admin).get('/metrics').expect(200)).text;
  const samples = (text: string) =>
    text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('the metrics count readings, requests, queries and stations, and have the newest times', async () => {
    const text = await scrape();
    for (const line of [
      'airseries_readings_total{provider="provider-0",outcome="accepted"} 3',
      'airseries_readings_total{provider="provider-0",outcome="quarantined"} 1',
      'airseries_quarantined_readings_total{reason="unknown_sensor"} 1',
      'airseries_quarantine_lines{reason="unknown_sensor"} 1',
      'airseries_late_buckets_total 3',
      'airseries_reading_delay_seconds_bucket{le="300"} 1',
      'airseries_reading_delay_seconds_bucket{le="86400"} 3',
      `airseries_newest_reading_timestamp_seconds{provider="provider-0"} ${NOW.getTime() / 1_000 - 120}`,
      `airseries_newest_digest_timestamp_seconds ${NOW.getTime() / 1_000}`,
      'airseries_disk_free_bytes Nan',
      'airseries_stations{provider="provider-0",status="online"} 1',
      'airseries_stations{provider="provider-0",status="offline"} 19',
      'airseries_stations{provider="provider-9",status="offline"} 20',
      `airseries_refresh_last_success_timestamp_seconds ${NOW.getTime() / 1_000}`,
      'airseries_audit_differing_buckets 0',
      'airseries_conditional_requests_total{outcome="none"} 1',
      'airseries_conditional_requests_total{outcome="same"} 1',
      'airseries_http_requests_total{route="/{locale}/air-quality-app/v1/stations.json",method="GET",status="304"} 1',
      'airseries_http_request_duration_seconds_count{route="/v1/readings",method="POST",status_class="2xx"} 1',
      'airseries_database_history_changes_total{change="set_back"} 0',
      'airseries_database_pool_size{pool="read"} 10',
      'airseries_database_pool_size{pool="write"} 4',
      'airseries_database_collector_success{collector="audit"} 1',
      'airseries_database_query_duration_seconds_count{query="logic.store_readings"} 1',
    ]) {
      expect(text).toContain(line);
    }
    const hourBefore = NOW.getTime() / 1_000 - 3_600;
    expect(text).toContain(
      `airseries_newest_bucket_timestamp_seconds{subject="region",resolution="hour"} ${hourBefore}`,
    );
    expect(text).toMatch(
      /airseries_database_pool_wait_duration_seconds_count\{pool="read"\} [1-9]/,
    );
    expect(text).toMatch(/airseries_database_size_bytes\{schema="raw"\} \d{5,}/);
    expect(text).toMatch(/process_cpu_seconds_total/);
  });

  it('a second scrape counts nothing twice', async () => {
    await scrape();
    expect(await scrape()).toContain('airseries_conditional_requests_total{outcome="none"} 1');
  });

  it('the counters of every provider, reason and outcome begin at 0, so that the first event is an increase', async () => {
    const text = await scrape();
    for (const line of [
      'airseries_readings_total{provider="provider-9",outcome="accepted"} 0',
      'airseries_pulls_total{provider="provider-9",outcome="failure"} 0',
      'airseries_quarantine_left_out_total{provider="provider-0"} 0',
      'airseries_quarantined_readings_total{reason="in_the_future"} 0',
      'airseries_conditional_requests_total{outcome="other"} 0',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('the newest bucket ignores buckets in the future, which a clock that was ahead may have left', async () => {
    const hourAgo = new Date(NOW.getTime() - 3_600_000 - 60_000);
    const rows = await reads
      .selectFrom(apiRows('newest_bucket', { at: hourAgo }).as('b'))
      .selectAll()
      .execute();
    for (const { timestamp } of rows)
      expect(Date.parse(timestamp ?? '')).not.toBeGreaterThan(hourAgo.getTime());
    expect(rows.some(({ timestamp }) => timestamp !== null)).toBe(true);
  });

  it('every defined metric is exposed', async () => {
    const text = await scrape();
    for (const { name, type } of DEFINITIONS) expect(text).toContain(`# TYPE ${name} ${type}`);
  });

  it('the metrics pass promtool', needs('promtool'), async () => {
    execFileSync('promtool', ['check', 'metrics'], {
      input: await scrape(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  });

  if (engine !== engines[0]) return; // the test below does not depend on the engine

  it('the metrics stay below 900 series, and 1,500 random paths add no route', async () => {
    const random = seeded(7);
    const piece = () =>
      random.pick([
        'en',
        'de',
        'station',
        'region',
        'v1',
        '%00',
        '..',
        'a b',
        'history.json',
        `${random.below(1e9)}`,
        '{id}',
      ]);
    const address = () =>
      random.next() < 0.3
        ? `/en/air-quality-app/v1/station/${random.below(1_000)}.json?x=${random.below(1e9)}`
        : `/${Array.from({ length: 1 + random.below(6) }, piece).join('/')}`;
    const server = createServer(app).listen(0);
    const { port } = server.address() as { port: number };
    const send = async (method: string) => {
      const answer = await fetch(`http://localhost:${port}${encodeURI(address())}`, { method });
      await answer.arrayBuffer();
    };
    const methods = ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'PATCH'];
    // each kind of answer first, so that only unknown paths could add series later
    for (let n = 0; n < 300; n += 1) await send(methods[n % 6] as string);
    // Node's own series depend on when it collects garbage
    const ours = async () =>
      samples(await scrape()).filter((line) => line.startsWith('airseries_'));
    const routes = (lines: string[]) =>
      new Set(lines.map((line) => /route="([^"]*)"/.exec(line)?.[1]));
    const before = await ours();
    for (let n = 0; n < 1_500; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          send(index % 10 === 0 ? (methods[(n + index) % 6] as string) : 'GET'),
        ),
      );
    }
    const made = await ours();
    expect(routes(made)).toEqual(routes(before));
    // at most a few methods and statuses not seen before
    expect(made.length).toBeLessThanOrEqual(before.length + 30);
    expect(made.length).toBeLessThan(900); // database failures would add about 90
    server.close();
  });
});

it('grafana/README.md has the table of all metrics', () => {
  expect(readFileSync('grafana/README.md', 'utf8')).toContain(metricsTable());
});
