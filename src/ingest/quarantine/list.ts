/** What is in quarantine, and why, in words; and taking lines out of it for good. */
import type { Sql } from '../../database/client.ts';
import { READING_REASONS, VALUE_REASONS } from '../summary.ts';

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

export type QuarantinedLine = {
  id: number;
  recorded_at: string;
  source: string;
  /** Null: imported by hand. */
  provider: string | null;
  /** Where in the source. */
  line: number | null;
  kind: 'reading' | 'value';
  reason: string;
  /** Null: a reason of another version. */
  explanation: string | null;
  /** Its beginning. */
  text: string;
};

export type Quarantined = { total: number; by_reason: Record<string, number>; lines: QuarantinedLine[] };

const SHOWN_CHARACTERS = 300;

/** Newest first. `sql` is a pool of the owner. */
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

/** That of a value is `reason:parameter`. */
function explain({ kind, reason }: { kind: string; reason: string }): string | null {
  const sentences: Readonly<Record<string, string>> = kind === 'value' ? VALUE_REASONS : READING_REASONS;
  return sentences[reason.split(':')[0] as string] ?? null;
}

/** `sql` is a pool of the owner. Returns how many were deleted. */
export async function dropQuarantined(sql: Sql, filter: Filter): Promise<number> {
  const deleted = await sql`delete from raw.quarantine where ${matches(sql, filter)}`;
  await sql`select logic.recount_quarantine(provider_id) from raw.quarantine_load`; // what they took up is free
  return deleted.count;
}
