/**
 * Polls one provider and accepts its readings, from a day before the last stored one on: older ones were seen before or carry a wrong
 * time, and a day is enough for corrections.
 */
import type { Clock } from '../../base/clock.ts';
import { InputError } from '../../base/inputError.ts';
import type { QueryPool } from '../../database/queryPool.ts';
import type { Format } from '../../ingest/formats/fields.ts';
import { readInstant } from '../../ingest/formats/instants.ts';
import { FORMATS } from '../../ingest/formats/profiles.ts';
import type { ReadingInput } from '../../ingest/formats/reading.ts';
import { acceptAuthorized, type WriteStats } from '../../ingest/store/accept.ts';
import { assignSensors } from '../../ingest/store/deviceSensors.ts';
import type { Metrics } from '../../metrics/definitions.ts';
import { recordIngest, recordWrite } from '../../metrics/recorders.ts';
import { type FetchLimits, fetchDocument } from './fetchDocument.ts';
import { readFeed } from './readFeed.ts';

/** A feed as the network file describes it. */
export type Pull = { provider: string; kind: string; url: string; sensor: number | null };

/** The counts of a document: received = accepted + unchanged + quarantined + ignored. */
type Pulled = {
  received: number;
  accepted: number;
  unchanged: number;
  quarantined: number;
  /** Readings of sensors of other providers, or too old. */
  ignored: number;
};

const BATCH = 5_000;
const DAY_US = 86_400_000_000;

export type PullOptions = {
  clock: Clock;
  /** PULL_HOSTS: `host` or `host:port`. */
  hosts: readonly string[];
  /** Absent: nothing is counted. */
  metrics?: Metrics | undefined;
  /** Smaller ones for tests. */
  limits?: FetchLimits | undefined;
};

/** `pool` is one in the role airseries_ingest. Rejects with InputError for a fault of the feed, and with Unavailable as the pool does. */
export async function pullProvider(
  pool: QueryPool,
  { provider, kind, url, sensor }: Pull,
  { clock, hosts, metrics, limits }: PullOptions,
): Promise<Pulled> {
  if (!FORMATS.includes(kind)) {
    throw new InputError(
      `provider ${provider}`,
      `this version knows no kind ${kind} of feed`,
      'Update airseries.',
    );
  }
  const { sensors, newest } = await findSensors(pool, provider);
  const now = clock();
  const format: Format = { name: kind, sensor: sensor ?? undefined, now };
  const { received, readings } = await fetchDocument(
    url,
    { provider, hosts, limits },
    (chunks, refuse) => readFeed(chunks, format, (id) => sensors.has(id), refuse),
  );
  const assigned = await assignSensors(pool, readings, { provider, stations: null }, now);
  const recent = assigned.filter((reading) => !isOlder(reading, newest - DAY_US));

  const pulled = {
    received,
    accepted: 0,
    unchanged: 0,
    quarantined: 0,
    ignored: received - recent.length,
  };
  const scope = { provider, stations: null };
  const onWrite = metrics && ((written: WriteStats) => recordWrite(metrics, written));
  for (let start = 0; start < recent.length; start += BATCH) {
    const batch = recent.slice(start, start + BATCH);
    const outcome = await acceptAuthorized(pool, batch, {
      now: clock(),
      source: provider,
      scope,
      onWrite,
    });
    if (metrics !== undefined) recordIngest(metrics, provider, outcome);
    pulled.accepted += outcome.accepted;
    pulled.unchanged += outcome.unchanged;
    pulled.quarantined += outcome.quarantined.length;
    pulled.ignored += outcome.unauthorized.size;
  }
  return pulled;
}

/** Every sensor that was ever at a station of the provider, and its newest reading there: one index probe for each placement. */
const SENSORS = `
  select placed.sensor_id as id, max(extract(epoch from last.measured_at)::float8 * 1e6) as newest
  from raw.sensor_station placed
  join raw.station on station.id = placed.station_id
  left join lateral (
    select r.measured_at from raw.readings r
    where r.sensor_id = placed.sensor_id and r.measured_at >= placed.since and r.measured_at < placed.until
    order by r.measured_at desc limit 1
  ) last on true
  where station.provider_id = $1::text
  group by 1`;

/** `newest` in microseconds since 1970; -Infinity if nothing is stored. */
async function findSensors(
  pool: QueryPool,
  provider: string,
): Promise<{ sensors: Set<number>; newest: number }> {
  const rows = (await pool.query(SENSORS, [provider])) as { id: number; newest: number | null }[];
  const newest = rows.reduce(
    (latest, row) => Math.max(latest, row.newest ?? latest),
    Number.NEGATIVE_INFINITY,
  );
  return { sensors: new Set(rows.map(({ id }) => id)), newest };
}

/** A reading without a readable time is not older: it is quarantined when it is accepted. */
function isOlder({ measuredAt }: ReadingInput, since: number): boolean {
  const time = typeof measuredAt === 'string' ? readInstant(measuredAt) : undefined;
  return time !== undefined && time.microseconds < since;
}
