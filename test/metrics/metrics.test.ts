/**
 * The core's metrics of a started service: each is moved by something that happens to it, and none
 * grows with what clients send. A metric without a row here fails, and so does a service that does
 * not pass it on. The metrics of an extra are moved by a test in its folder.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { EXTRAS } from '../../src/extras.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { NOW } from '../support/clock.ts';
import { engines, isAll } from '../support/database.ts';
import { beginBatch, httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { type Launched, launchForSuite } from '../support/launch.ts';
import { lockWaits } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { until } from '../support/patience.ts';
import { seeded } from '../support/random.ts';
import { needs } from '../support/tools.ts';
import { metricsTable, namesOf } from './metricsTable.ts';
import { type Samples, samplesOf } from './samples.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const seconds = (time: Date) => time.getTime() / 1_000;

/**
 * 200 stations of 10 providers in 8 cities. Sensors 1 and 11 belong to provider-0, and so does
 * station 191, which is hidden.
 */
function makeNetwork() {
  const cities = citiesOfOneStation([...'abcdefgh'].map((letter) => `city-${letter}`));
  return {
    ...cities,
    providers: Array.from({ length: 10 }, (_, n) => ({ id: `provider-${n}`, title: `P${n}` })),
    stations: Array.from({ length: 200 }, (_, n) => ({
      ...cities.stations[n % 8],
      id: n + 1,
      provider: `provider-${n % 10}`,
      hidden: n === 190,
      sensors: [{ id: n + 1 }],
    })),
  };
}

/** Another value than before, which depends on the machine. */
const ANOTHER = undefined;

type Row = {
  happens: string;
  /** Makes it happen. The result ends it, where it must last until the service is scraped. */
  act: () => Promise<unknown>;
  /** Series that have another value afterwards: this one. */
  moves: Record<string, number | typeof ANOTHER>;
  /** Compares with what the first service showed when it had started; default: with the row before. */
  sinceStart?: true;
};

// TimescaleDB where there is one: it alone counts the hours of deleted readings at any time
describe.each(isAll ? engines : engines.slice(-1))('the metrics of a service (%s)', (engine) => {
  let here: Installation;
  let superuser: Sql;
  let token: string;
  let otherToken: string;
  /** Undefined before the first row. */
  let service: Launched;
  /** The metrics of the service once it had started. */
  let atStart: Samples;

  beforeAll(async () => {
    here = await install(engine, makeNetwork());
    superuser = here.database.superuser();
    const about = { provider: 'provider-0', stations: null, now: NOW };
    const owner = here.database.as();
    ({ token } = await createToken(owner, { name: 'feed', ...about }));
    ({ token: otherToken } = await createToken(owner, { name: 'other feed', ...about }));
    return async () => {
      await service?.stop();
      await here.close();
    };
  });

  /** Before the service starts, the metrics of a process in which nothing has happened. */
  const text = async () =>
    service === undefined
      ? await makeMetrics().scrape()
      : (await httpGet(service.port.admin, '/metrics')).body;
  const scrape = async () => samplesOf(await text());

  const read = (path: string, headers = {}) =>
    httpGet(service.port.public, `/en/air-quality-app/v1/${path}`, headers);
  const send = (readings: object[]) =>
    beginBatch({ port: service.port, token }, readings).finish(']');

  /** Sends requests while nobody may use the table; resolves, once they hang, to what ends that. */
  async function whileLocked(
    table: string,
    requests: (() => Promise<unknown>)[],
    doHang: () => Promise<boolean>,
  ) {
    const end = await openTransaction(superuser, `lock table ${table} in access exclusive mode`);
    const answers = requests.map((request) => request());
    await until(doHang, 'the requests hang');
    return async () => {
      await end('rollback');
      await Promise.all(answers);
    };
  }
  const waitForLock = async (application: string) =>
    (await lockWaits(superuser, { of: application })).length;

  const route = '/{locale}/air-quality-app/v1/station/{id}.json';

  /** In this order, each after the one before. */
  const ROWS: Row[] = [
    {
      happens: 'the service starts',
      act: async () => {
        service = await launchForSuite(here);
      },
      moves: {
        [`airseries_build_info{version="${version}",node="${process.version}",engine="${engine}"}`]: 1,
        airseries_worker: 1,
        'airseries_time_zone_conflict{with="record"}': 0,
        'airseries_database_pool_size{pool="read"}': 10,
        'airseries_database_pool_size{pool="read_all"}': 5,
        'airseries_database_pool_size{pool="write"}': 4,
        'airseries_database_pool_wait_duration_seconds_count{pool="read_all"}': ANOTHER,
        'airseries_database_collector_success{collector="providers"}': 1,
        'airseries_database_collector_success{collector="audit"}': 1,
        process_cpu_seconds_total: ANOTHER,
      },
    },
    {
      happens: 'a client reads a station',
      act: () => read('station/1.json'),
      moves: {
        [`airseries_http_requests_total{route="${route}",method="GET",status="200"}`]: 1,
        [`airseries_http_request_duration_seconds_count{route="${route}",method="GET",status_class="2xx"}`]: 1,
        [`airseries_http_response_bytes_total{route="${route}"}`]: ANOTHER,
        'airseries_conditional_requests_total{outcome="none"}': 1,
        'airseries_database_pool_wait_duration_seconds_count{pool="read"}': ANOTHER,
        'airseries_database_query_duration_seconds_count{query="api.station_current"}': 1,
      },
    },
    {
      happens: 'a client that has the station asks whether it has changed',
      act: async () => {
        const { etag = '' } = (await read('station/1.json')).headers;
        await read('station/1.json', { 'If-None-Match': etag });
      },
      moves: {
        [`airseries_http_requests_total{route="${route}",method="GET",status="304"}`]: 1,
        'airseries_conditional_requests_total{outcome="same"}': 1,
      },
    },
    {
      happens: 'a client reads the list of stations while the database hangs',
      act: async () => {
        const list = () => read('stations.json');
        const doesHang = async () => (await waitForLock('airseries read all')) > 0;
        return await whileLocked('raw.station', [list], doesHang);
      },
      moves: { 'airseries_http_requests_in_flight{server="public"}': 1 },
    },
    {
      happens: 'a batch has three readings, two of them late, and one of an unknown sensor',
      act: () =>
        send([
          { sensor_id: 1, time: ago(2), pm25: 5 },
          { sensor_id: 11, time: ago(200), pm25: 5 },
          { sensor_id: 11, time: ago(260), pm25: 5 },
          { sensor_id: 999, time: ago(2), pm25: 5 },
        ]),
      moves: {
        'airseries_readings_total{provider="provider-0",outcome="accepted"}': 3,
        'airseries_readings_total{provider="provider-0",outcome="quarantined"}': 1,
        'airseries_quarantined_readings_total{reason="unknown_sensor"}': 1,
        airseries_late_buckets_total: 3,
        'airseries_reading_delay_seconds_bucket{le="300"}': 1,
        'airseries_reading_delay_seconds_bucket{le="86400"}': 3,
        'airseries_http_requests_total{route="/v1/readings",method="POST",status="200"}': 1,
        'airseries_http_request_duration_seconds_count{route="/v1/readings",method="POST",status_class="2xx"}': 1,
        'airseries_database_pool_wait_duration_seconds_count{pool="write"}': ANOTHER,
        'airseries_database_query_duration_seconds_count{query="logic.store_readings"}': 1,
      },
    },
    {
      happens: 'a batch changes one value and repeats another',
      act: () =>
        send([
          { sensor_id: 1, time: ago(2), pm25: 6 },
          { sensor_id: 11, time: ago(200), pm25: 5 },
        ]),
      moves: {
        'airseries_replaced_values_total{provider="provider-0"}': 1,
        'airseries_readings_total{provider="provider-0",outcome="unchanged"}': 1,
      },
    },
    {
      happens: 'a batch with a fault comes in while the quarantine of its provider is full',
      act: async () => {
        await superuser`update raw.quarantine_load set bytes = 128 * 1024 * 1024`;
        await send([{ sensor_id: 998, time: ago(2), pm25: 5 }]);
      },
      moves: { 'airseries_quarantine_left_out_total{provider="provider-0"}': 1 },
    },
    {
      happens: 'five batches come in while the database hangs',
      act: async () => {
        const batch = (token: string) => () =>
          beginBatch({ port: service.port, token }, [
            { sensor_id: 1, time: ago(2), pm25: 6 },
          ]).finish(']');
        // a token may send four at once
        const batches = [...Array(4).fill(batch(token)), batch(otherToken)];
        const waiting = 'airseries_database_pool_waiting{pool="write"}';
        const doHang = async () =>
          (await waitForLock('airseries ingest')) === 4 && (await scrape()).get(waiting) === 1;
        return await whileLocked('raw.readings', batches, doHang);
      },
      moves: {
        'airseries_http_requests_in_flight{server="ingest"}': 5,
        'airseries_database_pool_in_use{pool="write"}': 4,
        'airseries_database_pool_waiting{pool="write"}': 1,
      },
    },
    {
      happens: 'a job runs',
      act: () => service.runJob('refresh'),
      moves: {
        'airseries_job_runs_total{task="refresh"}': 1,
        'airseries_job_last_success_timestamp_seconds{task="refresh"}': seconds(NOW),
        'airseries_job_duration_seconds_count{task="refresh"}': 1,
        airseries_refresh_duration_seconds_count: 1,
      },
    },
    {
      happens: 'a job fails',
      act: async () => {
        await superuser`alter procedure logic.make_digest(timestamptz) rename to no_digest`;
        await service.runJob('digest');
        await superuser`alter procedure logic.no_digest(timestamptz) rename to make_digest`;
      },
      moves: {
        'airseries_job_failures_total{task="digest"}': 1,
        'airseries_job_last_failure_timestamp_seconds{task="digest"}': seconds(NOW),
      },
    },
    {
      happens: 'a job finds that a change of the rules of the time zone is refused',
      act: async () => {
        await superuser`
          update raw.installation set zone_refused_from = ${NOW}, zone_refused = 'a reason'`;
        await service.runJob('zone_rules');
        await superuser`
          update raw.installation set zone_refused_from = null, zone_refused = null`;
      },
      moves: { 'airseries_time_zone_conflict{with="record"}': 1 },
    },
    {
      happens: 'the database knows less than it did',
      act: async () => {
        await superuser`update rollup.freshness set data_version = data_version - 1`;
        const changes = 'airseries_database_history_changes_total{change="set_back"}';
        await until(async () => (await scrape()).get(changes) === 1, 'the service has seen it');
      },
      moves: { 'airseries_database_history_changes_total{change="set_back"}': 1 },
    },
    {
      happens: 'the database has other contents, as a process finds them that starts afterwards',
      act: async () => {
        await here.digest(ago(-5));
        await superuser`
          insert into rollup.audit (made_at, since, until, differing, first_differences)
          values (${NOW}, ${NOW}::timestamptz - interval '35 days', ${NOW}, 3, '[]')`;
        await superuser`
          insert into rollup.expired_month (month, until, hours, checksum)
          values ('2000-01-01', '2000-02-01', 7, 0)`;
        await superuser`
          update raw.installation set retained_from = '2000-03-01', ingest_cutoff = '2000-03-01'`;
        await service.stop();
        service = await launchForSuite(here, { role: 'api' });
      },
      sinceStart: true,
      moves: {
        'airseries_newest_reading_timestamp_seconds{provider="provider-0"}': seconds(ago(2)),
        // 20 with the hidden station, which has never measured anything
        'airseries_stations{provider="provider-0",status="online"}': 1,
        'airseries_stations{provider="provider-0",status="offline"}': 18,
        'airseries_quarantine_lines{reason="unknown_sensor"}': 1,
        airseries_refresh_last_success_timestamp_seconds: seconds(ago(-5)),
        airseries_refresh_complete_timestamp_seconds: seconds(ago(-5)),
        'airseries_newest_bucket_timestamp_seconds{subject="region",resolution="hour"}': seconds(
          ago(60),
        ),
        airseries_newest_digest_timestamp_seconds: seconds(ago(-5)),
        airseries_audit_differing_buckets: 3,
        airseries_audit_last_success_timestamp_seconds: seconds(NOW),
        'airseries_database_size_bytes{schema="raw"}': ANOTHER,
        ...(engine === 'timescale' && { airseries_kept_buckets_missing: 7 }),
      },
    },
  ];

  /** Metrics that move in another test, because they need another service than this one. */
  const ELSEWHERE: Record<string, string> = {
    ...(engine === 'plain' && {
      airseries_kept_buckets_missing: 'test/aggregate/keptHours.test.ts',
    }),
  };

  const cases = ROWS.map((row) => [row.happens, row] as const);
  it.each(cases)(
    'the metrics of a service change when %s',
    async (_, { act, moves, sinceStart }) => {
      const before = sinceStart ? atStart : await scrape();
      const end = await act();
      const after = await scrape();
      if (typeof end === 'function') await end();
      atStart ??= after;
      for (const [series, value] of Object.entries(moves)) {
        expect(after.get(series), series).toBeDefined();
        expect(after.get(series), series).not.toBe(before.get(series));
        if (value !== ANOTHER) expect(after.get(series), series).toBe(value);
      }
    },
  );

  it('every metric changes in a row of this file, or in the test that it names', () => {
    const series = ROWS.flatMap(({ moves }) => Object.keys(moves));
    const names = series.map((one) => one.replace(/\{.*/, '').replace(/_(count|bucket)$/, ''));
    const ours = [...names, ...Object.keys(ELSEWHERE)].filter((name) => name.startsWith('air'));
    expect([...new Set(ours)].toSorted()).toEqual(namesOf(makeMetrics()).toSorted());
    for (const [name, file] of Object.entries(ELSEWHERE))
      expect(readFileSync(file, 'utf8'), file).toContain(name);
  });

  it.each([
    'airseries_readings_total{provider="provider-9",outcome="accepted"}',
    'airseries_replaced_values_total{provider="provider-9"}',
    'airseries_quarantine_left_out_total{provider="provider-0"}',
    'airseries_quarantined_readings_total{reason="in_the_future"}',
    'airseries_conditional_requests_total{outcome="other"}',
    'airseries_database_history_changes_total{change="promoted"}',
  ])('a counter begins at 0, so that the first event is an increase: %s', (series) => {
    expect(atStart.get(series)).toBe(0);
  });

  it('metrics ignore buckets in the future, which a clock that was ahead may have left', async () => {
    const at = ago(61);
    const [newest] =
      await here.published`select max(timestamp) as at from api.newest_bucket(${at})`;
    expect(Date.parse(newest?.at)).toBeLessThanOrEqual(at.getTime());
  });

  it('promtool accepts the metrics', needs('promtool'), async () => {
    execFileSync('promtool', ['check', 'metrics'], {
      input: await text(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  });

  it('the metrics stay below 900 series, and random paths add no routes', async () => {
    const random = seeded(7);
    const pieces = ['en', 'de', 'station', 'v1', '%00', '..', 'a b', '{id}', 'history.json'];
    const path = () =>
      random.next() < 0.3
        ? `/en/air-quality-app/v1/station/${random.below(1_000)}.json?x=${random.below(1e9)}`
        : `/${Array.from({ length: 1 + random.below(6) }, () => random.pick([...pieces, `${random.below(1e9)}`])).join('/')}`;
    // some of Node's own series come and go with its garbage collection
    const series = async () =>
      [...(await scrape()).keys()].filter((name) => name.startsWith('airseries_'));
    const routes = (names: string[]) =>
      new Set(names.map((name) => /route="([^"]*)"/.exec(name)?.[1]));
    const methods = ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'PATCH'];
    const ask = async (times: number) => {
      for (let n = 0; n < times; n += 1)
        for (const method of methods) {
          const url = `http://localhost:${service.port.public}${encodeURI(path())}`;
          await (await fetch(url, { method })).arrayBuffer();
        }
    };
    await ask(20); // each kind of answer, so that only unknown paths could add series afterwards
    const before = await series();
    await ask(isAll ? 30 : 10);
    const after = await series();
    expect(routes(after)).toEqual(routes(before));
    // at most a few methods and statuses not seen before
    expect(after.length).toBeLessThanOrEqual(before.length + 30);
    expect(after.length).toBeLessThan(900); // failures of the database would add about 90
  });
});

it('the metrics of each extra are in a test in its folder', () => {
  const core = namesOf(makeMetrics());
  for (const extra of EXTRAS) {
    const metrics = makeMetrics();
    extra.metrics?.(metrics);
    const folder = `test/extras/${extra.name}`;
    const tests = readdirSync(folder).filter((file) => file.endsWith('.test.ts'));
    const text = tests.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join();
    for (const name of namesOf(metrics).filter((one) => !core.includes(one)))
      expect(text.includes(name), `${folder} ${name}`).toBe(true);
  }
});

it('grafana/README.md has the table of all metrics', () => {
  expect(readFileSync('grafana/README.md', 'utf8')).toContain(metricsTable());
});
