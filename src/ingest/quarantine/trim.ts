/** Keeps the quarantine within bounds, so that a sender of endless garbage cannot fill the disk. */
import type { Sql } from '../../database/client.ts';

/** How many lines were deleted or not recorded, by provider; '' is what was imported by hand. */
type Trimmed = { expired: Record<string, number>; surplus: Record<string, number> };

/** The bounds of one provider. Bytes as logic.quarantine_bytes counts them. */
export type Cap = { lines: number; bytes: number };

const KEPT_DAYS = 90;
const CAP: Cap = { lines: 100_000, bytes: 96 * 1_048_576 };
/** Lines deleted in one transaction. */
const PIECE = 20_000;

/**
 * Keeps each line for 90 days, and of each provider a number of lines and bytes: the oldest beyond
 * are deleted. Above 128 MiB none is recorded (logic.quarantine_readings). Both are counted. `sql`
 * is a pool of the owner. May be interrupted anywhere: lines are deleted and counted in one
 * statement.
 */
export async function trimQuarantine(
  sql: Sql,
  now: Date,
  cap: Partial<Cap> = {},
): Promise<Trimmed> {
  const { lines, bytes } = { ...CAP, ...cap };
  const trimmed: Trimmed = { expired: {}, surplus: {} };
  const since = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  await deleteLines(sql, 'expired', trimmed, sql`recorded_at < ${since} order by recorded_at`);
  const providers = await sql<
    { id: string | null }[]
  >`select null as id union all select id from raw.provider`;
  for (const { id: provider } of providers) {
    const key = provider ?? '';
    const own = provider === null ? sql`provider_id is null` : sql`provider_id = ${provider}`;
    const isHeavy = sql`(select load.bytes from raw.quarantine_load load where load.provider_id = ${key}) > ${bytes}`;
    const [newest] = await sql<{ id: string }[]>`
      select id from (
        select id, row_number() over newest_first as n, sum(logic.quarantine_bytes(text)) over newest_first as bytes_so_far
        from raw.quarantine where ${own} window newest_first as (order by id desc)
      ) line
      where (n > ${lines} or bytes_so_far > ${bytes} and ${isHeavy})
        -- which is known beforehand, nearly always, and then no line is read: as long as the first and last id are fewer than that apart, so are the lines
        and ((select max(id) - min(id) from raw.quarantine where ${own}) >= ${lines} or ${isHeavy})
      order by id desc limit 1`;
    if (newest !== undefined)
      await deleteLines(sql, 'surplus', trimmed, sql`${own} and id <= ${newest.id} order by id`);
    const [counted] = await sql<
      { left_out: number | null }[]
    >`select * from logic.recount_quarantine(${key})`;
    if (counted?.left_out) trimmed.surplus[key] = (trimmed.surplus[key] ?? 0) + counted.left_out;
  }
  return trimmed;
}

/**
 * Deletes the lines that `which` selects, in transactions of at most PIECE lines, and adds them to
 * `trimmed`.
 */
async function deleteLines(
  sql: Sql,
  why: keyof Trimmed,
  trimmed: Trimmed,
  which: ReturnType<typeof sql>,
): Promise<void> {
  const counts = trimmed[why];
  for (let deleted = PIECE; deleted >= PIECE; ) {
    const rows = await sql<{ provider: string; n: number }[]>`
      with deleted as (
        delete from raw.quarantine where id = any (array(select id from raw.quarantine where ${which} limit ${PIECE}))
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
