/** Which lines of the quarantine are meant. */
import type { Sql } from '../../database/client.ts';

export type Filter = {
  reason?: string | undefined;
  source?: string | undefined;
  /** Empty: what was imported by hand. */
  provider?: string | undefined;
  /** Recorded before it. */
  before?: Date | undefined;
};

/** A condition on raw.quarantine, to be put into a query; what is not given is of no account. */
export function matches(sql: Sql, { reason = null, source = null, provider = null, before = null }: Nullable<Filter>) {
  return sql`(${reason}::text is null or reason = ${reason}) and (${source}::text is null or source = ${source})
    and (${provider}::text is null or coalesce(provider_id, '') = ${provider})
    and (${before}::timestamptz is null or recorded_at < ${before})`;
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null };
