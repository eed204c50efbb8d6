/**
 * Polls one provider and accepts its readings: of each sensor those from a day before its newest
 * stored one on, which is enough for corrections. Older ones that are not stored may carry a wrong
 * time, and wait in quarantine for the operator.
 */
import type { Clock } from '../../base/clock.ts';
import { InputError } from '../../base/inputError.ts';
import { arrayLiteral } from '../../database/arrays.ts';
import type { QueryPool } from '../../database/queryPool.ts';
import { hintsOf } from '../../ingest/explain.ts';
import type { ReadingFormats } from '../../ingest/formats.ts';
import type { Declarations } from '../../ingest/reading/declarations.ts';
import { asRefusal, type Doubt } from '../../ingest/reading/doubt.ts';
import type { Doubts } from '../../ingest/reading/facts.ts';
import { readInstant } from '../../ingest/reading/instants.ts';
import type { ReadingInput } from '../../ingest/reading/reading.ts';
import { NETWORK_FILE } from '../../ingest/reading/vocabulary.ts';
import { acceptAuthorized, BatchInDoubt } from '../../ingest/store/accept.ts';
import { assignSensors } from '../../ingest/store/deviceSensors.ts';
import { findMoved } from '../../ingest/store/movedSensors.ts';
import { describeReplaced, type ReplacedValues } from '../../ingest/store/replaced.ts';
import { sourceNamed } from '../../ingest/store/sources.ts';
import { withTransitions } from '../../ingest/store/transitions.ts';
import { readSensorId } from '../../ingest/store/validate.ts';
import type { Metrics } from '../../metrics/definitions.ts';
import { observeIngest } from '../../metrics/recorders.ts';
import { type FetchLimits, feedName, fetchDocument } from './fetchDocument.ts';
import { declaredOfFeed, type FeedDeclarations } from './pullKey.ts';
import { readFeed } from './readFeed.ts';
import { WithoutReadings, whyWithout } from './withoutReadings.ts';

/** A feed as the network file describes it. */
export type Pull = {
  provider: string;
  url: string;
  declared: FeedDeclarations & { sensor?: number | null | undefined };
};

/** The counts of a document: received = accepted + unchanged + quarantined + ignored. */
type Pulled = {
  received: number;
  accepted: number;
  unchanged: number;
  quarantined: number;
  /** Readings of sensors of other providers, and old ones that are stored already. */
  ignored: number;
  /** Absent: no stored value was. */
  replaced?: ReplacedValues;
  /** Sentences about what was stored and is perhaps not meant so. */
  hints: string[];
  /** When its newest reading that is stored was measured; absent: none is. */
  newest?: Date;
};

const DAY_US = 86_400_000_000;

export type PullOptions = {
  clock: Clock;
  formats: ReadingFormats;
  /** PULL_HOSTS: `host` or `host:port`. */
  hosts: readonly string[];
  /** Absent: nothing is counted. */
  metrics?: Metrics | undefined;
  /** Smaller ones for tests. */
  limits?: FetchLimits | undefined;
};

/**
 * `pool` is one in the role airseries_ingest. Rejects with InputError for a fault of the feed, a
 * document without a reading of the provider among them, and with Unavailable as the pool does.
 */
export async function pullProvider(
  pool: QueryPool,
  { provider, url, declared: { sensor, ...given } }: Pull,
  { clock, formats, hosts, metrics, limits }: PullOptions,
): Promise<Pulled> {
  const said = await declarationsOf(pool, provider, { ...given, sensor }, formats);
  const newest = await findNewest(pool, provider);
  const now = clock();
  const declarations = { ...said, now };
  const declared = await withTransitions(pool, declarations, now);
  const {
    received,
    readings,
    others,
    found: about,
    doubts,
  } = await fetchDocument(url, { provider, hosts, limits }, (chunks, refuse) =>
    readFeed(chunks, declared, (id) => newest.has(id), refuse, formats),
  );
  const scope = { provider, stations: null };
  const found = await assignSensors(pool, readings, scope, now);
  const moved = await findMoved(pool, placesOf(about.doubts, newest), { scope, now }, NETWORK_FILE);
  // only these: one sensor that moved must not stop a city's feed
  const hasMoved = ({ sensorId }: ReadingInput) => moved.sensors.has(readSensorId(sensorId) ?? 0);
  const assigned = found.filter((reading) => !hasMoved(reading));
  const refusal = (doubt: Doubt) =>
    new InputError(feedName(provider, url), asRefusal(doubt), doubt.remedy);
  const [movedAll] = assigned.length === 0 ? moved.doubts : [];
  if (movedAll !== undefined) throw refusal(movedAll);
  const outdated = await findUnstored(
    pool,
    assigned.filter((reading) => isOld(reading, newest)),
  );
  const wanted = assigned.flatMap((reading): ReadingInput | [] => {
    if (outdated.has(reading)) return { ...reading, isOutdated: true };
    return isOld(reading, newest) ? [] : reading;
  });

  const pulled: Pulled = {
    received,
    accepted: 0,
    unchanged: 0,
    quarantined: 0,
    ignored: received - wanted.length,
    hints: [],
  };
  const observer = metrics && observeIngest(metrics);
  const listed = assigned.filter((reading) => isOld(reading, newest));
  const outcome = await acceptAuthorized(pool, wanted, {
    now: clock(),
    source: provider,
    scope,
    looking: { found: about, say: NETWORK_FILE, formats },
    onWrite: observer?.onWrite,
  }).catch((error: unknown) => {
    throw error instanceof BatchInDoubt ? refusal(error.doubt) : error;
  });
  observer?.onBatch(provider, outcome);
  const { looked } = outcome;
  pulled.hints.push(
    ...hintsOf(about, [...doubts, ...looked.doubts], looked.corrections),
    ...moved.doubts.map(leftOutOf),
  );
  pulled.accepted = outcome.accepted;
  pulled.unchanged = outcome.unchanged;
  pulled.quarantined = outcome.quarantined.length;
  pulled.ignored += outcome.unauthorized.size;
  const refused = new Set(outcome.quarantined.map(({ index }) => index));
  const isListed = (index: number) => !refused.has(index) && !outcome.unauthorized.has(index);
  listed.push(...wanted.filter((_, index) => isListed(index)));
  // only now: readings of devices that the network does not know yet wait in quarantine
  const why = whyWithout(received, assigned, others, new Set(newest.keys()));
  if (why !== undefined) throw new WithoutReadings(feedName(provider, url), ...why);
  const values = describeReplaced(outcome.replaced);
  const last = newestOf(listed.map(timeOf)) ?? newestOf(newest.values());
  return {
    ...pulled,
    ...(values !== undefined && { replaced: values }),
    ...(last !== undefined && { newest: new Date(last / 1_000) }),
  };
}

/** Rejects with InputError for a kind or a source that there is not. */
async function declarationsOf(
  pool: QueryPool,
  provider: string,
  { sensor, ...given }: Pull['declared'],
  { names, sources }: ReadingFormats,
): Promise<Declarations> {
  const { kind = '', source } = given;
  const input = `provider ${provider}`;
  const declared = { ...declaredOfFeed(given), sensor: sensor ?? undefined };
  if (source !== undefined && sources !== undefined)
    return sources.declaredBy(await sourceNamed(pool, source, input), declared);
  if (names.includes(kind)) return declared;
  throw new InputError(input, `this version knows no kind ${kind} of feed`, 'Update airseries.');
}

/** Undefined: no time is known. */
function newestOf(times: Iterable<number | null | undefined>): number | undefined {
  let newest: number | undefined;
  for (const time of times)
    if (typeof time === 'number' && (newest === undefined || time > newest)) newest = time;
  return newest;
}

/**
 * Every sensor that was ever at a station of the provider, and its newest reading there: one index
 * probe for each placement.
 */
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

/** By sensor, in microseconds since 1970; null: nothing is stored of it. */
type Newest = ReadonlyMap<number, number | null>;

async function findNewest(pool: QueryPool, provider: string): Promise<Newest> {
  const rows = (await pool.query(SENSORS, [provider])) as { id: number; newest: number | null }[];
  return new Map(rows.map(({ id, newest }) => [id, newest]));
}

/**
 * A reading without a sensor of the provider or a readable time is not old: it is judged when it is
 * accepted.
 */
function isOld(reading: ReadingInput, newest: Newest): boolean {
  const last = newest.get(readSensorId(reading.sensorId) ?? 0) ?? Number.NEGATIVE_INFINITY;
  return (timeOf(reading) ?? last) < last - DAY_US;
}

/** In microseconds since 1970. */
const timeOf = ({ measuredAt }: ReadingInput) =>
  typeof measuredAt === 'string' ? readInstant(measuredAt)?.microseconds : undefined;

/**
 * Expired ones were stored once. The bounds of time keep chunks outside of them from being looked
 * at.
 */
const UNSTORED = `
  with given as materialized (
    select ordinal, sensor_id, to_timestamp(microseconds / 1e6) as measured_at
    from unnest($1::text::int[], $2::text::float8[]) with ordinality as g(sensor_id, microseconds, ordinal)
  )
  select ordinal::int - 1 as index from given
  cross join raw.installation
  where given.measured_at >= installation.ingest_cutoff and not exists (
    select from raw.readings r
    where r.sensor_id = given.sensor_id and r.measured_at = given.measured_at
      and r.measured_at between to_timestamp($3::text::float8 / 1e6) and to_timestamp($4::text::float8 / 1e6)
  )`;

/** The readings that are not stored and would still be. Each has a sensor and a time. */
async function findUnstored(
  pool: QueryPool,
  readings: readonly ReadingInput[],
): Promise<Set<ReadingInput>> {
  if (readings.length === 0) return new Set();
  const sensors = readings.map(({ sensorId }) => readSensorId(sensorId) as number);
  const times = readings.map((reading) => timeOf(reading) as number);
  const [first, last] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const rows = (await pool.query(UNSTORED, [
    arrayLiteral(sensors),
    arrayLiteral(times),
    String(first),
    String(last),
  ])) as { index: number }[];
  return new Set(rows.map(({ index }) => readings[index] as ReadingInput));
}

/** The places of the provider's own sensors and of devices: a feed may list all of the world. */
const placesOf = ({ places }: Doubts, own: ReadonlyMap<number, unknown>) => ({
  places: new Map(
    [...places].filter(([, { sensorId }]) => {
      const id = readSensorId(sensorId);
      return id === undefined || own.has(id);
    }),
  ),
});

const leftOutOf = ({ what, remedy }: Doubt): string =>
  `${what}; the readings of such sensors are left out. ${remedy}`;
