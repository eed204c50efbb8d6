/**
 * Answers an operator's question "does my device arrive?" from the newest readings and the
 * quarantine.
 */
import type { Sql } from '../../database/client.ts';
import { deviceNamedIn } from '../reading/devices.ts';

export type ProviderArrivals = {
  id: string;
  online: number;
  offline: number;
  newest_reading: string | null;
  tokens: { name: string; last_used_at: string | null }[];
  /** Lines in quarantine. */
  quarantined: number;
};

/** Every provider, by id. `sql` is a pool of the owner in the network's time zone. */
export async function providerArrivals(sql: Sql, now: Date): Promise<ProviderArrivals[]> {
  return await sql<ProviderArrivals[]>`
      select p.id, state.online, state.offline, state.measurement_time as newest_reading,
        (select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'last_used_at', t.last_used_at) order by t.name), '[]')
          from raw.token t where t.provider_id = p.id and t.revoked_at is null) as tokens,
        (select count(*)::int from raw.quarantine q where q.provider_id = p.id) as quarantined
      from raw.provider p
      left join api.provider_state(${now}) state on state.provider = p.id
      order by p.id`;
}

export type SensorArrivals = {
  sensor: number;
  kind: string | null;
  device: string | null;
  /** Where it is now; null: nowhere. */
  station: number | null;
  newest_reading: string | null;
  oldest_reading: string | null;
  /** True if more than a year without a reading follows its oldest: a clock that was reset? */
  has_gap: boolean;
  /**
   * True if it stands somewhere, but its newest reading is so old that the station would be offline
   * (C2), or there is none.
   */
  is_overdue: boolean;
  /** Lines of it in quarantine. */
  waiting: number;
};

/** A sender that the network does not know. `sensor` null: its device gives no number. */
export type UnknownSender = {
  sensor: number | null;
  device: string | null;
  waiting: number;
  newest: string;
};

/** Lines of devices that are looked at, the newest. */
const MOST_LINES = 10_000;

/**
 * Every sensor, by id, and unknown ones, those with the newest line first. `sql` is a pool of the
 * owner in the network's time zone.
 */
export async function sensorArrivals(
  sql: Sql,
  now: Date,
): Promise<{ sensors: SensorArrivals[]; unknown: UnknownSender[] }> {
  const sensors = await sql<SensorArrivals[]>`
    select s.id as sensor, s.kind, s.device, located.station_id as station, newest.measured_at as newest_reading,
      oldest.measured_at as oldest_reading, coalesce(following.measured_at > oldest.measured_at + interval '1 year', false) as has_gap,
      provider.id is not null and (newest.measured_at > ${now}::timestamptz - provider.stale_after) is not true as is_overdue,
      coalesce(w.n, 0) as waiting
    from raw.sensor s
    left join raw.sensor_station located on located.sensor_id = s.id and located.since <= ${now} and ${now} < located.until
    left join raw.station station on station.id = located.station_id
    left join raw.provider provider on provider.id = station.provider_id
    left join lateral (
      select r.measured_at from raw.readings r where r.sensor_id = s.id order by r.measured_at desc limit 1) newest on true
    left join lateral (
      select r.measured_at from raw.readings r where r.sensor_id = s.id order by r.measured_at limit 1) oldest on true
    left join lateral (
      select r.measured_at from raw.readings r where r.sensor_id = s.id and r.measured_at > oldest.measured_at + interval '1 month'
      order by r.measured_at limit 1) following on true
    left join (
      select (reading ->> 'sensor_id')::int as id, count(*)::int as n from raw.quarantine where kind = 'reading' group by 1) w on w.id = s.id
    order by s.id`;
  const unknown: UnknownSender[] = await sql<UnknownSender[]>`
    select (reading ->> 'sensor_id')::int as sensor, null as device, count(*)::int as waiting, max(recorded_at) as newest
    from raw.quarantine where kind = 'reading' and reading ->> 'sensor_id' is not null
      and (reading ->> 'sensor_id')::int not in (select id from raw.sensor) group by 1`;
  const lines = await sql<{ text: string; recorded_at: string }[]>`
    select text, recorded_at from raw.quarantine
    where kind = 'reading' and reason = 'unknown_sensor' and reading is null and text like '{"device":%' order by id desc limit ${MOST_LINES}`;
  const ofDevice = new Map<string, SensorArrivals[]>();
  for (const sensor of sensors)
    if (sensor.device !== null)
      ofDevice.set(sensor.device, [...(ofDevice.get(sensor.device) ?? []), sensor]);
  const byDevice = new Map<string, UnknownSender>();
  for (const { text, recorded_at } of lines) {
    const device = deviceNamedIn(text);
    if (device === undefined) continue;
    const own = ofDevice.get(device) ?? [];
    for (const sensor of own) sensor.waiting += 1; // which of them is meant, the quarantine says
    const sender = byDevice.get(device) ?? {
      sensor: null,
      device,
      waiting: 0,
      newest: recorded_at,
    };
    sender.waiting += 1;
    if (own.length === 0) byDevice.set(device, sender);
  }
  const all = [...unknown, ...byDevice.values()].sort(
    (a, b) => Date.parse(b.newest) - Date.parse(a.newest),
  );
  return { sensors, unknown: all };
}

/** True if it needs attention: it is silent, or its readings cannot be used. */
const needsAttention = ({ is_overdue, waiting }: SensorArrivals) => is_overdue || waiting > 0;

const newestOf = ({ newest_reading }: SensorArrivals) =>
  Date.parse(newest_reading ?? '') || Number.NEGATIVE_INFINITY;

/**
 * The most urgent first: those with lines in quarantine, then those that fell silent, the last ones
 * first; those that need nothing by id.
 */
function byUrgency(a: SensorArrivals, b: SensorArrivals): number {
  if (needsAttention(a) !== needsAttention(b)) return needsAttention(a) ? -1 : 1;
  if (!needsAttention(a)) return a.sensor - b.sensor;
  return b.waiting - a.waiting || compare(newestOf(b), newestOf(a)) || a.sensor - b.sensor;
}

/** Unlike a difference, also of infinities. */
const compare = (a: number, b: number) => Number(a > b) - Number(a < b);

/** How many there are besides those that are given. */
export type OtherArrivals = { need_attention: number; fine: number; unknown: number };

/** The `most` sensors and unknown senders that need attention most. */
export function mostUrgent(
  { sensors, unknown }: { sensors: readonly SensorArrivals[]; unknown: readonly UnknownSender[] },
  most: number,
) {
  const all = [...sensors].sort(byUrgency);
  const rest = all.slice(most);
  const needy = rest.filter(needsAttention).length;
  const others = {
    need_attention: needy,
    fine: rest.length - needy,
    unknown: Math.max(0, unknown.length - most),
  } satisfies OtherArrivals;
  return { sensors: all.slice(0, most), unknown: unknown.slice(0, most), others };
}
