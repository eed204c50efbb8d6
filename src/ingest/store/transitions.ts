/**
 * The rules by which stamps without an offset are read (Z5): the database server's, and of the
 * installation's zone those by which its days and months were computed. Node's decide nothing.
 */
import { type Queryable, query } from '../../database/query.ts';
import type { Declarations } from '../reading/declarations.ts';
import type { Transitions } from '../reading/zone.ts';
import { isFixedZone } from '../reading/zone.ts';

const TRANSITIONS = `
  select extract(epoch from since)::float8 * 1e3 as since, extract(epoch from utc_offset)::float8 * 1e3 as offset
  from logic.zone_transitions($1::text, $2::text::timestamptz) order by since`;

/** Every name of a zone. The server need not be asked for other texts, and refuses NUL. */
const ZONE_NAME = /^[\w+\-/]+$/;

/** From the epoch to five years after `now`; empty for a zone that the server does not know. */
export async function readTransitions(
  db: Queryable,
  zone: string,
  now: Date,
): Promise<Transitions> {
  if (!ZONE_NAME.test(zone)) return [];
  return (await query(db, TRANSITIONS, [zone, now.toISOString()])) as {
    since: number;
    offset: number;
  }[];
}

/** The declarations of a source with the rules of the zone of its stamps without an offset. */
export async function withTransitions(
  db: Queryable,
  declared: Declarations,
  now: Date,
): Promise<Declarations> {
  const zone = declared.zone ?? declared.timeZone;
  if (zone === undefined || isFixedZone(zone)) return declared;
  return { ...declared, transitions: await readTransitions(db, zone, now) };
}
