/**
 * Every metric is moved by something that happens to a started service. A metric of the table
 * without a row here fails, and so does a service that does not pass it on.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { openProvider, type Provider } from '../extras/feeds/server.ts';
import { engines } from '../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { type Launched, launchForSuite, LAUNCHED_AT as NOW } from '../support/launch.ts';
import { makeAllMetrics } from '../support/metrics.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { beginBatch, httpGet, until } from '../support/service.ts';
import { DEFINITIONS } from './metricsTable.ts';

/** TimescaleDB where there is one: it alone counts the hours of deleted readings at any time. */
const engine = engines.at(-1) ?? 'plain';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const MINUTE = 60_000;

/** More stations than the pool of the public API has connections. */
const STATIONS = [...'abcdefghijkl'];

let here: Installation;
let feed: Provider;
let superuser: Sql;
let token: string;
/** Undefined before the first row. */
let service: Launched;
/** The metrics of the service once it had started. */
let atStart: Samples;

beforeAll(async () => {
  feed = await openProvider();
  const network = citiesOfOneStation(STATIONS);
  const pull = { kind: 'sensor-community', url: feed.url() };
  here = await install(engine, {
    ...network,
    providers: network.providers.map((one) => ({ ...one, pull })),
  });
  superuser = here.database.superuser();
  ({ token } = await createToken(here.database.as(), {
    name: 'feed',
    provider: 'us',
    stations: null,
    now: NOW,
  }));
  return async () => {
    await feed.close();
    await here.close();
  };
});
afterAll(() => service?.stop());

/** Every series, as Prometheus reads it, with its value. */
type Samples = ReadonlyMap<string, string>;

const samplesOf = (text: string): Samples =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, string] => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), line.slice(end + 1)];
      }),
  );

/** Before the service starts, the metrics of a process in which nothing has happened. */
const scrape = async () =>
  samplesOf(
    service === undefined
      ? await makeAllMetrics().scrape()
      : (await httpGet(service.port.admin, '/metrics')).body,
  );

const get = (path: string, headers = {}) =>
  httpGet(service.port.public, `/en/air-quality-app/v1/${path}`, headers);

const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE).toISOString();

const send = (readings: object[]) =>
  beginBatch({ port: service.port, token }, readings).finish(']');

type Row = {
  happens: string;
  /** Makes it happen; the result ends what must last until the service is scraped. */
  act: () => Promise<unknown>;
  moves: string[];
  /** Compares with what the first service showed when it had started; default: with the row before. */
  sinceStart?: true;
};

const STATION = '/{locale}/air-quality-app/v1/station/{id}.json';

/** In this order, each after the one before. */
const ROWS: Row[] = [
  {
    happens: 'the service starts',
    act: async () => {
      service = await launchForSuite(here, { pullHosts: [feed.host] });
    },
    moves: [
      `airseries_build_info{version="${version}",node="${process.version}",engine="${engine}"}`,
      'airseries_worker',
      'airseries_time_zone_conflict{with="record"}',
      'airseries_database_pool_size{pool="read"}',
      'airseries_database_pool_size{pool="read_all"}',
      'airseries_database_pool_size{pool="write"}',
      'airseries_database_pool_wait_duration_seconds_count{pool="read_all"}',
      'airseries_database_collector_success{collector="providers"}',
    ],
  },
  {
    happens: 'a client reads a station',
    act: () => get('station/1.json'),
    moves: [
      `airseries_http_requests_total{route="${STATION}",method="GET",status="200"}`,
      `airseries_http_request_duration_seconds_count{route="${STATION}",method="GET",status_class="2xx"}`,
      `airseries_http_response_bytes_total{route="${STATION}"}`,
      'airseries_conditional_requests_total{outcome="none"}',
      'airseries_database_pool_wait_duration_seconds_count{pool="read"}',
      'airseries_database_query_duration_seconds_count{query="api.station_current"}',
    ],
  },
  {
    happens: 'a client that has the station asks whether it has changed',
    act: async () => {
      const { etag = '' } = (await get('station/1.json')).headers;
      await get('station/1.json', { 'If-None-Match': etag });
    },
    moves: ['airseries_conditional_requests_total{outcome="same"}'],
  },
  {
    happens: 'more clients read stations than the pool has connections, while the database hangs',
    act: async () => {
      const end = await openTransaction(
        superuser,
        'lock table api.station in access exclusive mode',
      );
      const answers = STATIONS.map((_, n) => get(`station/${n + 1}-history.json`));
      await until(
        async () => (await scrape()).get('airseries_database_pool_waiting{pool="read"}') !== '0',
        'a statement waits for a connection',
      );
      return async () => {
        await end('rollback');
        await Promise.all(answers);
      };
    },
    moves: [
      'airseries_http_requests_in_flight{server="public"}',
      'airseries_database_pool_in_use{pool="read"}',
      'airseries_database_pool_waiting{pool="read"}',
    ],
  },
  {
    happens: 'a batch of readings comes in: one that is new, one that is late, one of no sensor',
    act: () =>
      send([
        { sensor_id: 1, time: minutesAgo(2), pm25: 5 },
        { sensor_id: 2, time: minutesAgo(200), pm25: 5 },
        { sensor_id: 999, time: minutesAgo(2), pm25: 5 },
      ]),
    moves: [
      'airseries_readings_total{provider="us",outcome="accepted"}',
      'airseries_readings_total{provider="us",outcome="quarantined"}',
      'airseries_quarantined_readings_total{reason="unknown_sensor"}',
      'airseries_reading_delay_seconds_count',
      'airseries_late_buckets_total',
      'airseries_http_requests_total{route="/v1/readings",method="POST",status="200"}',
      'airseries_http_request_duration_seconds_count{route="/v1/readings",method="POST",status_class="2xx"}',
      'airseries_database_pool_wait_duration_seconds_count{pool="write"}',
      'airseries_database_query_duration_seconds_count{query="logic.store_readings"}',
    ],
  },
  {
    happens: 'a batch changes one value and repeats another',
    act: () =>
      send([
        { sensor_id: 1, time: minutesAgo(2), pm25: 6 },
        { sensor_id: 2, time: minutesAgo(200), pm25: 5 },
      ]),
    moves: [
      'airseries_replaced_values_total{provider="us"}',
      'airseries_readings_total{provider="us",outcome="unchanged"}',
    ],
  },
  {
    happens: 'a batch with a fault comes in while the quarantine of its provider is full',
    act: async () => {
      await superuser`update raw.quarantine_load set bytes = 128 * 1024 * 1024`;
      await send([{ sensor_id: 998, time: minutesAgo(2), pm25: 5 }]);
    },
    moves: ['airseries_quarantine_left_out_total{provider="us"}'],
  },
  {
    happens: 'half of a batch has come in',
    act: async () => {
      const batch = beginBatch({ port: service.port, token }, []);
      await until(
        async () =>
          (await scrape()).get('airseries_http_requests_in_flight{server="ingest"}') === '1',
        'the service has the first half',
      );
      return () => batch.finish(']');
    },
    moves: ['airseries_http_requests_in_flight{server="ingest"}'],
  },
  {
    happens: 'a provider is polled',
    act: async () => {
      feed.serve([]);
      await service.runJob('pull');
    },
    moves: ['airseries_pulls_total{provider="us",outcome="success"}'],
  },
  {
    happens: 'a reading is pulled',
    act: async () => {
      const location = { id: 1, indoor: 0 };
      const [value] = [{ value_type: 'P2', value: '7' }];
      const timestamp = minutesAgo(1).slice(0, 19).replace('T', ' ');
      feed.serve([{ id: 1, timestamp, location, sensor: { id: 3 }, sensordatavalues: [value] }]);
      await superuser`update raw.pull set started_at = '-infinity'`;
      await service.runJob('pull');
    },
    moves: ['airseries_readings_total{provider="us",outcome="accepted"}'],
  },
  {
    happens: 'a job runs',
    act: () => service.runJob('refresh'),
    moves: [
      'airseries_job_runs_total{task="refresh"}',
      'airseries_job_last_success_timestamp_seconds{task="refresh"}',
      'airseries_job_duration_seconds_count{task="refresh"}',
      'airseries_refresh_duration_seconds_count',
    ],
  },
  {
    happens: 'a job fails',
    act: async () => {
      await superuser`alter procedure logic.make_digest(timestamptz) rename to no_digest`;
      await service.runJob('digest');
      await superuser`alter procedure logic.no_digest(timestamptz) rename to make_digest`;
    },
    moves: [
      'airseries_job_failures_total{task="digest"}',
      'airseries_job_last_failure_timestamp_seconds{task="digest"}',
    ],
  },
  {
    happens: 'a change of the rules of the time zone is refused, which a job reports',
    act: async () => {
      await superuser`update raw.installation set zone_refused_from = ${NOW}, zone_refused = 'why'`;
      await service.runJob('zone_rules');
      await superuser`update raw.installation set zone_refused_from = null, zone_refused = null`;
    },
    moves: ['airseries_time_zone_conflict{with="record"}'],
  },
  {
    happens: 'the database knows less than it did',
    act: async () => {
      const changes = 'airseries_database_history_changes_total{change="set_back"}';
      await superuser`update rollup.freshness set data_version = data_version - 1`;
      await until(async () => (await scrape()).get(changes) === '1', 'the service has seen it');
    },
    moves: ['airseries_database_history_changes_total{change="set_back"}'],
  },
  {
    happens: 'the database has other contents, as a process finds them that starts afterwards',
    act: async () => {
      await here.digest(new Date(NOW.getTime() + 5 * MINUTE));
      await superuser`insert into rollup.audit (made_at, since, until, differing, first_differences)
        values (${NOW}, ${NOW}::timestamptz - interval '35 days', ${NOW}, 3, '[]')`;
      await superuser`insert into rollup.expired_month (month, until, hours, checksum)
        values ('2000-01-01', '2000-02-01', 5, 0)`;
      await superuser`update raw.installation set retained_from = '2000-03-01', ingest_cutoff = '2000-03-01'`;
      await service.stop();
      service = await launchForSuite(here, { role: 'api' });
    },
    sinceStart: true,
    moves: [
      'airseries_newest_reading_timestamp_seconds{provider="us"}',
      'airseries_stations{provider="us",status="online"}',
      'airseries_stations{provider="us",status="offline"}',
      'airseries_quarantine_lines{reason="unknown_sensor"}',
      'airseries_refresh_last_success_timestamp_seconds',
      'airseries_refresh_complete_timestamp_seconds',
      'airseries_newest_bucket_timestamp_seconds{subject="station",resolution="hour"}',
      'airseries_newest_digest_timestamp_seconds',
      'airseries_audit_differing_buckets',
      'airseries_audit_last_success_timestamp_seconds',
      'airseries_database_size_bytes{schema="raw"}',
      ...(engine === 'timescale' ? ['airseries_kept_buckets_missing'] : []),
    ],
  },
];

/** Metrics that need another service than this one, and the test with it. */
const ELSEWHERE: Record<string, string> = {
  airseries_disk_free_bytes: 'test/whole/startAndStop/embedded.test.ts',
  ...(engine === 'timescale'
    ? {}
    : { airseries_kept_buckets_missing: 'test/aggregate/keptHours.test.ts' }),
};

describe('moves its metrics:', () => {
  it.each(ROWS)('$happens', async ({ act, moves, sinceStart }) => {
    const before = sinceStart ? atStart : await scrape();
    const end = await act();
    const after = await scrape();
    if (typeof end === 'function') await end();
    atStart ??= after;
    for (const series of moves) {
      expect(after.get(series), series).toBeDefined();
      expect(after.get(series), series).not.toBe(before.get(series));
    }
  });
});

it('every metric of the table has a row', () => {
  const moved = ROWS.flatMap(({ moves }) => moves).map((series) =>
    series.replace(/\{.*/, '').replace(/_count$/, ''),
  );
  expect([...new Set([...moved, ...Object.keys(ELSEWHERE)])].toSorted()).toEqual(
    DEFINITIONS.map(({ name }) => name).toSorted(),
  );
});

it.each(Object.entries(ELSEWHERE))('%s moves in %s', (name, file) => {
  expect(readFileSync(file, 'utf8')).toContain(name);
});
