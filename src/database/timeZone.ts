/** Rule Z1: which time zones a database can have. */
import type { Sql } from './connect.ts';
import { MigrationRefused } from './migrations.ts';

/**
 * Refuses a zone that is unknown to the server, or in which from 2000 to five years after `now` an offset is not whole hours (an hour
 * bucket would differ between zones) or a local midnight occurs twice (a day would have two beginnings).
 */
export async function checkTimeZone(sql: Sql, zone: string, now: Date): Promise<void> {
  const [known] = await sql`select from pg_timezone_names where name = ${zone}`;
  if (known === undefined) {
    throw new MigrationRefused(
      `TIME_ZONE ${zone}: the server knows no such zone. Give an IANA name such as Asia/Yerevan.`,
    );
  }
  const [found] = await sql<{ uneven: string | null; twice: string | null }[]>`
    with hours as (
      select hour, hour at time zone ${zone}::text as local
      from generate_series(timestamptz '2000-01-01 00:00+00', ${now}::timestamptz + interval '5 years', interval '1 hour') hour
    )
    select
      (select min(local)::text from hours where extract(minute from local) <> 0 or extract(second from local) <> 0) as uneven,
      (select min(local)::text from (
        select local from hours where local::time = '00:00' group by local having count(*) > 1) midnight) as twice`;
  if (found?.uneven != null) {
    throw new MigrationRefused(
      `TIME_ZONE ${zone}: at ${found.uneven} its offset was not whole hours; such zones are not supported.`,
    );
  }
  if (found?.twice != null) {
    throw new MigrationRefused(
      `TIME_ZONE ${zone}: the local midnight ${found.twice} occurred twice; such zones are not supported.`,
    );
  }
}
