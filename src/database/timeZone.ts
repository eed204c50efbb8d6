/** Rule Z1: which time zones a database can have, and from when on. */
import type { Sql } from './client.ts';
import { MigrationRefused } from './migrations.ts';

/**
 * Refuses a zone that is unknown to the server, or in which, from the epoch (a local date such as `2000-01-01`) to five years after
 * `now`, the minutes of its offset past the full hour change (hours would begin at other minutes) or a local midnight occurs twice (a
 * day would have two beginnings). The message says from which epoch on the zone would do, if any.
 */
export async function checkTimeZone(sql: Sql, zone: string, epoch: string, now: Date): Promise<void> {
  const [known] = await sql`select from pg_timezone_names where name = ${zone}`;
  if (known === undefined) {
    throw new MigrationRefused(
      `TIME_ZONE ${zone}: the server knows no such zone. Give an IANA name such as Asia/Yerevan.`,
    );
  }
  const [found] = await sql<{ minutes: string | null; midnight: string | null; possible: string | null }[]>`
    with hours as (
      select hour, hour at time zone ${zone}::text as local
      from generate_series(${epoch}::text::timestamp at time zone ${zone}::text, ${now}::timestamptz + interval '5 years', interval '1 hour') hour
    ),
    changed as (
      select max(local) as at from (
        select local, extract(minute from local) * 60 + extract(second from local) is distinct from
          lag(extract(minute from local) * 60 + extract(second from local), 1, extract(minute from local) * 60 + extract(second from local)) over (order by hour) as is_change
        from hours
      ) h where is_change
    ),
    twice as (
      select max(local) as at from (
        select local from hours where local = date_trunc('day', local) group by local having count(*) > 1) midnight
    )
    select changed.at::text as minutes, twice.at::text as midnight,
      (select (date_trunc('month', greatest(changed.at, twice.at)) + interval '1 month')::date::text
       where greatest(changed.at, twice.at) < ${now}::timestamptz at time zone ${zone}::text) as possible
    from changed cross join twice`;
  const what =
    found?.minutes != null
      ? `until ${found.minutes} its offset from full hours changed`
      : found?.midnight != null
        ? `the local midnight ${found.midnight} occurred twice`
        : undefined;
  if (what === undefined) return;
  const remedy =
    found?.possible == null
      ? 'Such zones are not supported.'
      : `With EPOCH=${found.possible} or later it can be used; readings before the epoch are refused.`;
  throw new MigrationRefused(`TIME_ZONE ${zone}: ${what}. ${remedy}`);
}
