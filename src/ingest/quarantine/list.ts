/** What is in quarantine, and why, in words. */
import type { Sql } from '../../database/client.ts';
import { READING_REASONS, VALUE_REASONS } from '../reasons.ts';
import { type Filter, matches } from './filter.ts';

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

/** That of a value is `reason:metric`. */
function explain({ kind, reason }: { kind: string; reason: string }): string | null {
  const sentences: Readonly<Record<string, string>> = kind === 'value' ? VALUE_REASONS : READING_REASONS;
  return sentences[reason.split(':')[0] as string] ?? null;
}
