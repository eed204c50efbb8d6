/**
 * The rules of the installation's zone (Z5): those recorded, which each refresh compares with the
 * server's (logic.follow_zone_rules), and Node's.
 */
import type { Log } from '../base/log.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { asOwner, type Sql } from '../database/client.ts';
import { zoneConflict } from '../ingest/store/zoneConflict.ts';

export type ZoneRules = {
  /** Days and months were computed by rules that are known until then; null: before a refresh. */
  recorded_until: string | null;
  /** When the server's rules last changed and were followed, and the first instant they changed. */
  changed_at: string | null;
  changed_from: string | null;
  /** The first instant of a change that is refused, and why; null: none is. */
  refused_from: string | null;
  refused: string | null;
  /** Where Node and the server differ first, and what to do about it; null: they agree. */
  node_differs_from: string | null;
  node_differs: string | null;
};

/** `sql` works as the owner. */
export async function readZoneRules(sql: Sql, timeZone: string, now: Date): Promise<ZoneRules> {
  const [row] = await sql<[Omit<ZoneRules, 'node_differs_from' | 'node_differs'>]>`
    select (select max(until) from raw.zone_offset) as recorded_until, zone_changed_at as changed_at,
      zone_changed_from as changed_from, zone_refused_from as refused_from, zone_refused as refused
    from raw.installation`;
  const conflict = await zoneConflict(sql, timeZone, now);
  return {
    ...row,
    node_differs_from: conflict?.from ?? null,
    node_differs: conflict?.message ?? null,
  };
}

/** Learns whether a change of the server's rules is refused, and whether Node has other rules. */
export type ZoneObserver = (rules: { refused: boolean; node: boolean }) => void;

/** Logs what an operator has to settle. */
export async function checkZoneRules(
  target: DatabaseAddress,
  {
    timeZone,
    now,
    log,
    observer,
  }: {
    timeZone: string;
    now: Date;
    log: Log;
    observer?: ZoneObserver | undefined;
  },
): Promise<void> {
  const session = { name: 'airseries zone', timeZone };
  const rules = await asOwner(target, session, (sql) => readZoneRules(sql, timeZone, now));
  const { refused, refused_from, node_differs } = rules;
  if (refused !== null) {
    log.error(
      { zone: timeZone, from: refused_from, why: refused },
      "the server's rules of the time zone are refused: days and months from then on are not computed",
    );
  }
  if (node_differs !== null) {
    log.error(
      { zone: timeZone },
      `times without an offset are refused from then on: ${node_differs}`,
    );
  }
  observer?.({ refused: refused !== null, node: node_differs !== null });
}
