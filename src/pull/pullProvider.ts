/**
 * Polls one provider and accepts its readings, from a day before the last stored one on: older ones were seen before or carry a wrong
 * time, and a day is enough for corrections.
 */
import type { Clock } from '../clock.ts';
import type { QueryPool } from '../database/queryPool.ts';
import type { Accepted, WriteStats } from '../ingest/accept.ts';
import { acceptAuthorized } from '../ingest/acceptAuthorized.ts';
import { type ReadingInput, readInstant } from '../ingest/validate.ts';
import { InputError } from '../inputError.ts';
import type { PULL_KINDS } from '../network/schema.ts';
import { type FetchLimits, fetchDocument, shownAddress } from './fetchDocument.ts';
import { MOST_IN_ALL, MOST_READINGS, readSensorCommunity } from './sensorCommunity.ts';

/** A feed as the network file describes it. */
export type Pull = { provider: string; kind: string; url: string };

/** What became of a document: received = accepted + unchanged + quarantined + ignored. */
export type Pulled = {
  received: number;
  accepted: number;
  unchanged: number;
  quarantined: number;
  /** Of sensors of other providers, from indoors, twice in the document, or too old. */
  ignored: number;
};

type Reader = typeof readSensorCommunity;
const READERS: Readonly<Record<(typeof PULL_KINDS)[number], Reader>> = { 'sensor-community': readSensorCommunity };

const BATCH = 5_000;
const DAY_US = 86_400_000_000;

type Options = {
  clock: Clock;
  hosts: readonly string[];
  limits?: FetchLimits | undefined;
  /** Rejects if this process may no longer write; called before each batch, because a document can take long to arrive. */
  confirm?: (() => Promise<void>) | undefined;
  /** Called with the outcome of each batch. */
  onBatch?: (outcome: Accepted) => void;
  onWrite?: (written: WriteStats) => void;
};

/** `pool` is one in the role airseries_ingest. Rejects with InputError for a fault of the feed, and with Unavailable as the pool does. */
export async function pullProvider(
  pool: QueryPool,
  { provider, kind, url }: Pull,
  { clock, hosts, limits, confirm, onBatch, onWrite }: Options,
): Promise<Pulled> {
  const refuse = (what: string, remedy: string) =>
    new InputError(`provider ${provider}, ${shownAddress(url)}`, what, remedy);
  const reader: Reader | undefined = Object.hasOwn(READERS, kind) ? READERS[kind as keyof typeof READERS] : undefined;
  if (reader === undefined) throw refuse(`this version knows no kind ${kind}`, 'Update airseries.');

  const { sensors, newest } = await findSensors(pool, provider);
  const document = await fetchDocument(url, { provider, hosts, limits }, (chunks) =>
    reader(chunks, (sensor) => sensors.has(sensor)),
  );
  if (document === undefined) throw refuse('this is no JSON array of readings', 'Check the address and its kind.');
  if (document.tooMany) {
    const most = `more than ${MOST_READINGS} readings of its sensors, or ${MOST_IN_ALL} in all`;
    throw refuse(`it holds ${most}`, 'Check the address, and ask the provider.');
  }
  const readings = document.readings.filter((reading) => !isOlder(reading, newest - DAY_US));

  const pulled = { received: document.received, accepted: 0, unchanged: 0, quarantined: 0, ignored: 0 };
  for (let start = 0; start < readings.length; start += BATCH) {
    const batch = readings.slice(start, start + BATCH);
    await confirm?.();
    const outcome = await acceptAuthorized(pool, batch, {
      now: clock(),
      source: provider,
      scope: { provider, stations: null },
      onWrite,
    });
    onBatch?.(outcome);
    pulled.accepted += outcome.accepted;
    pulled.unchanged += outcome.unchanged;
    pulled.quarantined += outcome.quarantined.length;
    pulled.ignored += outcome.unauthorized.size;
  }
  pulled.ignored += document.received - readings.length;
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
async function findSensors(pool: QueryPool, provider: string): Promise<{ sensors: Set<number>; newest: number }> {
  const rows = (await pool.query(SENSORS, [provider])) as { id: number; newest: number | null }[];
  const newest = rows.reduce((latest, row) => Math.max(latest, row.newest ?? latest), Number.NEGATIVE_INFINITY);
  return { sensors: new Set(rows.map(({ id }) => id)), newest };
}

/** A reading without a readable time is not older: it is quarantined when it is accepted. */
function isOlder({ measuredAt }: ReadingInput, since: number): boolean {
  const time = typeof measuredAt === 'string' ? readInstant(measuredAt) : undefined;
  return time !== undefined && time.microseconds < since;
}
