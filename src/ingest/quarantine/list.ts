/** Lists what is in quarantine, with the reasons in words, and deletes from it: what the operator names, and what exceeds its bounds. */
import type { Sql } from '../../database/client.ts';
import { type ExplainedLine, explainLines } from './explainLines.ts';

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

type QuarantinedLine = {
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
/** A device's whole body is looked at. */
const EXPLAINED_CHARACTERS = 10_000;

/** What matches the filter, newest first, at most `limit` lines of it. `sql` is a pool of the owner. */
export async function listQuarantine(sql: Sql, filter: Filter, limit: number): Promise<Quarantined> {
  const reasons = await sql<{ reason: string; n: number }[]>`
    select reason, count(*)::int as n from raw.quarantine where ${matches(sql, filter)} group by 1 order by 2 desc, 1`;
  const lines = await sql<(Omit<QuarantinedLine, 'explanation'> & ExplainedLine)[]>`
    select id::float8, recorded_at, source, provider_id as provider, line::float8, kind, reason, left(text, ${EXPLAINED_CHARACTERS}) as text, (reading ->> 'sensor_id')::int as sensor_id
    from raw.quarantine where ${matches(sql, filter)}
    order by raw.quarantine.id desc limit ${limit}`;
  const explanations = await explainLines(sql, lines);
  return {
    total: reasons.reduce((sum, { n }) => sum + n, 0),
    by_reason: Object.fromEntries(reasons.map(({ reason, n }) => [reason, n])),
    lines: lines.map(({ text, sensor_id: _, ...line }, index) => ({
      ...line,
      explanation: explanations[index] ?? null,
      text: text.slice(0, SHOWN_CHARACTERS),
    })),
  };
}

/** Deletes what matches the filter, and returns how many lines that were. `sql` is a pool of the owner. */
export async function dropQuarantined(sql: Sql, filter: Filter): Promise<number> {
  const deleted = await sql`delete from raw.quarantine where ${matches(sql, filter)}`;
  await sql`select logic.recount_quarantine(provider_id) from raw.quarantine_load`; // frees what they took up
  return deleted.count;
}

/** How many lines were deleted or not recorded, by provider; '' is what was imported by hand. */
type Trimmed = { expired: Record<string, number>; surplus: Record<string, number> };

/** The bounds of one provider. Bytes as logic.quarantine_bytes counts them. */
export type Cap = { lines: number; bytes: number };

const KEPT_DAYS = 90;
const CAP: Cap = { lines: 100_000, bytes: 96 * 1_048_576 };
/** Lines deleted in one transaction. */
const PIECE = 20_000;

/**
 * Keeps the quarantine within bounds, so that a sender of endless garbage cannot fill the disk: 90 days, and a number of lines and bytes
 * for each provider. The oldest lines are deleted; above 128 MiB none is recorded (logic.quarantine_readings). Both are counted.
 * `sql` is a pool of the owner. May be interrupted anywhere: lines are deleted and counted in one statement.
 */
export async function trimQuarantine(sql: Sql, now: Date, cap: Partial<Cap> = {}): Promise<Trimmed> {
  const { lines, bytes } = { ...CAP, ...cap };
  const trimmed: Trimmed = { expired: {}, surplus: {} };
  const since = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  await deleteLines(sql, 'expired', trimmed, () => sql`recorded_at < ${since} order by recorded_at`);
  for (const provider of await providersOf(sql)) {
    const own = () => (provider === null ? sql`provider_id is null` : sql`provider_id = ${provider}`);
    // as long as the first and last id are fewer than that apart, so are the lines, and none has to be counted
    const [byLines] = await sql<{ id: string }[]>`
      select id from raw.quarantine
      where ${own()} and (select max(id) - min(id) from raw.quarantine where ${own()}) >= ${lines}
      order by id desc offset ${lines} limit 1`;
    if (byLines !== undefined)
      await deleteLines(sql, 'surplus', trimmed, () => sql`${own()} and id <= ${byLines.id} order by id`);
    const key = provider ?? '';
    const [byBytes] = await sql<{ id: string }[]>`
      select id from (
        select id, sum(logic.quarantine_bytes(text)) over (order by id desc) as bytes_so_far from raw.quarantine where ${own()}
      ) line
      where bytes_so_far > ${bytes} and (select load.bytes from raw.quarantine_load load where load.provider_id = ${key}) > ${bytes}
      order by id desc limit 1`;
    if (byBytes !== undefined)
      await deleteLines(sql, 'surplus', trimmed, () => sql`${own()} and id <= ${byBytes.id} order by id`);
    const [counted] = await sql<{ left_out: number | null }[]>`select * from logic.recount_quarantine(${key})`;
    if (counted?.left_out) trimmed.surplus[key] = (trimmed.surplus[key] ?? 0) + counted.left_out;
  }
  return trimmed;
}

/** Null is what was imported by hand, which has the same bounds. */
async function providersOf(sql: Sql): Promise<(string | null)[]> {
  const rows = await sql<{ id: string }[]>`select id from raw.provider order by id`;
  return [null, ...rows.map(({ id }) => id)];
}

/** Deletes the lines that `which` selects, in transactions of at most PIECE lines, and adds them to `trimmed`. */
async function deleteLines(
  sql: Sql,
  why: 'expired' | 'surplus',
  trimmed: Trimmed,
  which: () => ReturnType<typeof sql>,
): Promise<void> {
  const counts = trimmed[why];
  for (let deleted = PIECE; deleted >= PIECE; ) {
    const rows = await sql<{ provider: string; n: number }[]>`
      with deleted as (
        delete from raw.quarantine where id = any (array(select id from raw.quarantine where ${which()} limit ${PIECE}))
        returning coalesce(provider_id, '') as provider
      ),
      counted as (
        select provider, count(*)::int as n from deleted group by 1
      ),
      recorded as (
        insert into raw.quarantine_dropped as before (provider_id, ${sql(why)}) select provider, n from counted
        on conflict (provider_id) do update set expired = before.expired + excluded.expired, surplus = before.surplus + excluded.surplus
      )
      select * from counted`;
    for (const { provider, n } of rows) counts[provider] = (counts[provider] ?? 0) + n;
    deleted = rows.reduce((sum, { n }) => sum + n, 0);
  }
}
