/**
 * Bounds on the quarantine: 90 days, and so many lines and bytes of each provider that one who sends nonsense without end fills nobody's
 * disk. The oldest go, which makes room for new ones: beyond 128 MiB none is recorded (logic.quarantine_readings). What is let go of, or
 * found no room, is counted.
 */
import type { Sql } from '../../database/client.ts';

/** How many lines were let go of, or not recorded, by provider; '' is what was imported by hand. */
export type Trimmed = { expired: Record<string, number>; surplus: Record<string, number> };

/** Of each provider. Bytes as logic.quarantine_bytes counts them. */
export type Cap = { lines: number; bytes: number };

const KEPT_DAYS = 90;
const CAP: Cap = { lines: 100_000, bytes: 96 * 1_048_576 };
/** So many in one transaction. */
const PIECE = 20_000;

/** `sql` is a pool of the owner. May be cut off anywhere: lines go and are counted in one step. */
export async function trimQuarantine(sql: Sql, now: Date, cap: Partial<Cap> = {}): Promise<Trimmed> {
  const { lines, bytes } = { ...CAP, ...cap };
  const trimmed: Trimmed = { expired: {}, surplus: {} };
  const since = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  await letGo(sql, 'expired', trimmed, () => sql`recorded_at < ${since} order by recorded_at`);
  for (const provider of await providersOf(sql)) {
    const own = () => (provider === null ? sql`provider_id is null` : sql`provider_id = ${provider}`);
    // fewer numbers than that from the first to the last are fewer lines: then nothing is counted
    const [byLines] = await sql<{ id: string }[]>`
      select id from raw.quarantine
      where ${own()} and (select max(id) - min(id) from raw.quarantine where ${own()}) >= ${lines}
      order by id desc offset ${lines} limit 1`;
    if (byLines !== undefined)
      await letGo(sql, 'surplus', trimmed, () => sql`${own()} and id <= ${byLines.id} order by id`);
    const key = provider ?? '';
    const [byBytes] = await sql<{ id: string }[]>`
      select id from (
        select id, sum(logic.quarantine_bytes(text)) over (order by id desc) as bytes_so_far from raw.quarantine where ${own()}
      ) line
      where bytes_so_far > ${bytes} and (select load.bytes from raw.quarantine_load load where load.provider_id = ${key}) > ${bytes}
      order by id desc limit 1`;
    if (byBytes !== undefined)
      await letGo(sql, 'surplus', trimmed, () => sql`${own()} and id <= ${byBytes.id} order by id`);
    const [counted] = await sql<{ left_out: number | null }[]>`select * from logic.recount_quarantine(${key})`;
    if (counted?.left_out) trimmed.surplus[key] = (trimmed.surplus[key] ?? 0) + counted.left_out;
  }
  return trimmed;
}

/** Null is what was imported by hand: that has a bound like everybody's. */
async function providersOf(sql: Sql): Promise<(string | null)[]> {
  const rows = await sql<{ id: string }[]>`select id from raw.provider order by id`;
  return [null, ...rows.map(({ id }) => id)];
}

async function letGo(
  sql: Sql,
  why: 'expired' | 'surplus',
  trimmed: Trimmed,
  which: () => ReturnType<typeof sql>,
): Promise<void> {
  const counts = trimmed[why];
  for (let gone = PIECE; gone >= PIECE; ) {
    const rows = await sql<{ provider: string; n: number }[]>`
      with gone as (
        delete from raw.quarantine where id = any (array(select id from raw.quarantine where ${which()} limit ${PIECE}))
        returning coalesce(provider_id, '') as provider
      ),
      counted as (
        select provider, count(*)::int as n from gone group by 1
      ),
      noted as (
        insert into raw.quarantine_dropped as before (provider_id, ${sql(why)}) select provider, n from counted
        on conflict (provider_id) do update set expired = before.expired + excluded.expired, surplus = before.surplus + excluded.surplus
      )
      select * from counted`;
    for (const { provider, n } of rows) counts[provider] = (counts[provider] ?? 0) + n;
    gone = rows.reduce((sum, { n }) => sum + n, 0);
  }
}
