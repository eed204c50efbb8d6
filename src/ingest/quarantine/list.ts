/** Lists what is in quarantine, with the reasons in words, and drops lines from it. */
import type { Sql } from '../../database/client.ts';
import { READING_REASONS, VALUE_REASONS } from '../validate.ts';

/** Which lines; what is not given is not filtered by. */
export type Filter = {
  reason?: string | undefined;
  source?: string | undefined;
  /** Empty: imported by hand. */
  provider?: string | undefined;
  /** Recorded before this instant. */
  before?: Date | undefined;
};

/** The filter as a condition on raw.quarantine, for use in a query. */
export function matches(sql: Sql, { reason = null, source = null, provider = null, before = null }: Nullable<Filter>) {
  return sql`(${reason}::text is null or reason = ${reason}) and (${source}::text is null or source = ${source})
    and (${provider}::text is null or coalesce(provider_id, '') = ${provider})
    and (${before}::timestamptz is null or recorded_at < ${before})`;
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null };

export type QuarantinedLine = {
  id: number;
  recorded_at: string;
  source: string;
  /** Null: imported by hand. */
  provider: string | null;
  /** Its number in the source. */
  line: number | null;
  kind: 'reading' | 'value';
  reason: string;
  /** Null: a reason that this version does not have. */
  explanation: string | null;
  /** Its first 300 characters. */
  text: string;
};

/** `total` and `by_reason` count everything that matches, `lines` has at most the limit. */
export type Quarantined = { total: number; by_reason: Record<string, number>; lines: QuarantinedLine[] };

const SHOWN_CHARACTERS = 300;

/** What matches the filter, newest first, at most `limit` lines of it. `sql` is a pool of the owner. */
export async function listQuarantine(sql: Sql, filter: Filter, limit: number): Promise<Quarantined> {
  const reasons = await sql<{ reason: string; n: number }[]>`
    select reason, count(*)::int as n from raw.quarantine where ${matches(sql, filter)} group by 1 order by 2 desc, 1`;
  const lines = await sql<Omit<QuarantinedLine, 'explanation'>[]>`
    select id::float8, recorded_at, source, provider_id as provider, line::float8, kind, reason, left(text, ${SHOWN_CHARACTERS}) as text
    from raw.quarantine where ${matches(sql, filter)}
    order by raw.quarantine.id desc limit ${limit}`;
  return {
    total: reasons.reduce((sum, { n }) => sum + n, 0),
    by_reason: Object.fromEntries(reasons.map(({ reason, n }) => [reason, n])),
    lines: lines.map(({ text, ...line }) => ({ ...line, explanation: explain(line), text })),
  };
}

/** The reason of a value is `reason:parameter`. */
function explain({ kind, reason }: { kind: string; reason: string }): string | null {
  const sentences: Readonly<Record<string, string>> = kind === 'value' ? VALUE_REASONS : READING_REASONS;
  return sentences[reason.split(':')[0] as string] ?? null;
}

/** Deletes what matches the filter, and returns how many lines that were. `sql` is a pool of the owner. */
export async function dropQuarantined(sql: Sql, filter: Filter): Promise<number> {
  const deleted = await sql`delete from raw.quarantine where ${matches(sql, filter)}`;
  await sql`select logic.recount_quarantine(provider_id) from raw.quarantine_load`; // frees what they took up
  return deleted.count;
}
