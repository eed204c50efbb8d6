/**
 * The rules of the installation's zone (Z5): each refresh compares those recorded with the server's
 * (logic.follow_zone_rules), and follows or refuses a change.
 */
import type { Log } from '../base/log.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { asOwner, type Sql } from '../database/client.ts';

export type ZoneRules = {
  /** Days and months were computed by rules that are known until then; null: before a refresh. */
  recorded_until: string | null;
  /** When the server's rules last changed and were followed, and the first instant they changed. */
  changed_at: string | null;
  changed_from: string | null;
  /** The first instant of a change that is refused, and why; null: none is. */
  refused_from: string | null;
  refused: string | null;
};

/** `sql` works as the owner. */
export async function readZoneRules(sql: Sql): Promise<ZoneRules> {
  const [row] = await sql<[ZoneRules]>`
    select (select max(until) from raw.zone_offset) as recorded_until, zone_changed_at as changed_at,
      zone_changed_from as changed_from, zone_refused_from as refused_from, zone_refused as refused
    from raw.installation`;
  return row;
}

/** Learns whether a change of the server's rules is refused. */
export type ZoneObserver = (isRefused: boolean) => void;

/** Logs what an operator has to settle. */
export async function checkZoneRules({
  target,
  timeZone,
  log,
  zoneObserver,
}: {
  target: DatabaseAddress;
  timeZone: string;
  log: Log;
  zoneObserver?: ZoneObserver | undefined;
}): Promise<void> {
  const session = { name: 'airseries zone', timeZone };
  const { refused, refused_from } = await asOwner(target, session, readZoneRules);
  if (refused !== null)
    log.error(
      { zone: timeZone, from: refused_from, why: refused },
      "the server's rules of the time zone are refused: days and months from then on are not computed",
    );
  zoneObserver?.(refused !== null);
}
