/**
 * Compares the rules of a time zone that Node has with the database server's (rule Z5): stamps
 * without an offset are read by Node's, days and months are computed by the server's.
 */
import { type Queryable, query } from '../../database/query.ts';
import type { ZoneConflict } from '../reading/declarations.ts';
import { localOffset } from '../reading/localTime.ts';

/** An offset such as `+01:00`, and its period. */
type ZoneOffset = { since: string; until: string; utc_offset: string };

/** The shortest period of any zone since 1990 is one of six days and 23 hours. */
const LOOK_EVERY_MS = 72 * 3_600_000;

/** The offsets between two instants that Node has; undefined for a zone that it does not know. */
function nodeOffsets(zone: string, first: Date, last: Date): ZoneOffset[] | undefined {
  let offsetAt: (instant: number) => string;
  try {
    offsetAt = localOffset(zone);
  } catch {
    return undefined;
  }
  const end = last.getTime();
  const found: ZoneOffset[] = [];
  let since = first.getTime();
  const add = (until: number) =>
    found.push({
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      utc_offset: offsetAt(since),
    });
  for (let at = since; at < end; ) {
    const next = Math.min(at + LOOK_EVERY_MS, end);
    if (offsetAt(next) !== offsetAt(since)) {
      const change = changeBetween(offsetAt, at, next);
      add(change);
      since = change;
    }
    at = next;
  }
  add(end);
  return found;
}

/** The first second at which the offset is no longer the one at `low`. */
function changeBetween(offsetAt: (instant: number) => string, low: number, high: number): number {
  const before = offsetAt(low);
  let [same, other] = [low, high];
  while (other - same > 1_000) {
    const middle = Math.floor((same + other) / 2_000) * 1_000;
    if (middle <= same) break;
    if (offsetAt(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}

const EXTENT = `select rollup.origin() as first, $1::text::timestamptz + interval '5 years' as last`;

/**
 * The server does not say which release of tzdata it has. Releases of which one zone tells whether
 * it has at least them: `has` the newest that it has, `lacks` the oldest that it lacks.
 */
const COMPARED = `
  select to_char(d.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at,
    extract(epoch from logic.utc_offset($1::text, d.at))::float8 as seconds, r.has, r.lacks
  from (select logic.zone_difference($1::text, $2::text::jsonb) as at) d
  cross join lateral (
    select max(release) filter (where is_there) as has, min(release) filter (where not is_there) as lacks
    from (
      select release, logic.utc_offset(zone, at::timestamptz) = utc_offset::interval as is_there
      from (values
        ('2025a', 'America/Asuncion', '2025-07-01 00:00+00', '-03:00'),
        ('2026b', 'America/Vancouver', '2026-12-01 00:00+00', '-07:00'),
        ('2026c', 'Africa/Casablanca', '2026-10-01 00:00+00', '00:00')
      ) told(release, zone, at, utc_offset)
    ) told
  ) r
  where d.at is not null`;

type Compared = { at: string; seconds: number; has: string | null; lacks: string | null };

/**
 * The first difference between Node's rules and the server's, from the epoch to five years after
 * `now`; undefined: there is none, or the server does not know the zone. `release`: of Node's
 * rules, such as `2025c`; empty: unknown.
 */
export async function zoneConflict(
  db: Queryable,
  zone: string,
  now: Date,
  release = process.versions.tz ?? '',
): Promise<ZoneConflict | undefined> {
  const [extent] = (await query(db, EXTENT, [now.toISOString()])) as {
    first: string;
    last: string;
  }[];
  const { first, last } = extent as { first: string; last: string };
  const own = nodeOffsets(zone, new Date(first), new Date(last));
  const name = `Node ${process.version}${release === '' ? '' : ` (tzdata ${release})`}`;
  if (own === undefined) {
    return {
      zone,
      from: new Date(first).toISOString(),
      localFrom: Number.NEGATIVE_INFINITY,
      message: `${name} does not know the time zone ${zone}, and the database server does. Update Node.`,
    };
  }
  const found = (await query(db, COMPARED, [zone, JSON.stringify(own)]).catch((error: unknown) => {
    if ((error as { code?: string }).code === UNKNOWN_ZONE) return [];
    throw error;
  })) as Compared[];
  const [difference] = found;
  if (difference === undefined) return undefined;
  const { at, seconds } = difference;
  const instant = Date.parse(at);
  const nodes = own.find(
    ({ since, until }) => Date.parse(since) <= instant && instant < Date.parse(until),
  );
  const nodeSeconds = secondsOf(nodes?.utc_offset ?? '+00:00');
  const both = `the database server has ${zone} at ${offsetText(seconds)}, ${name} at ${offsetText(nodeSeconds)}`;
  return {
    zone,
    from: at,
    localFrom: (instant / 1_000 + Math.min(seconds, nodeSeconds)) * 1_000_000,
    message: `From ${at} on ${both}. ${remedyFor(difference, release)}`,
  };
}

/** SQLSTATE of a zone that the server does not know. */
const UNKNOWN_ZONE = '22023';

/** Says which of the two is older, if a release tells. */
function remedyFor({ has, lacks }: Compared, release: string): string {
  if (release !== '' && has !== null && has > release)
    return `Node's rules are older than the server's (tzdata ${has} or newer): update Node.`;
  if (release !== '' && lacks !== null && lacks <= release)
    return `The server's rules are older (tzdata from before ${lacks}): update ${SERVERS_PACKAGE}.`;
  return `One of them is older: update Node, or ${SERVERS_PACKAGE}.`;
}

const SERVERS_PACKAGE =
  'the package tzdata of the database server (the bundled server: airseries), and restart it';

/** Seconds of an offset such as `-03:30` or `+01:00:15`. */
function secondsOf(offset: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60 + seconds);
}

function offsetText(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
