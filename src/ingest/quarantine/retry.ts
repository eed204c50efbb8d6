/**
 * Retries readings in quarantine after their cause was removed: the sensor is in the network now, or the time is no longer in the future.
 * Stored readings came later and stay; of two quarantined for one time the later wins, so the newest are tried first. Lines are deleted
 * only after their readings are stored, so an interruption loses nothing, and repeating a retry changes nothing.
 */
import { arrayLiteral, type Sql } from '../../database/client.ts';
import type { Log } from '../../log.ts';
import { makeProgress } from '../../progress.ts';
import { type Filter, matches } from './list.ts';
import { makeRetryBatch, parseQuarantined, type RetryBatch, type RetryLine, submit } from './submit.ts';

/** Readings: retried = accepted + unchanged + still_quarantined. Lines: not_retryable. */
type Retried = {
  retried: number;
  accepted: number;
  unchanged: number;
  still_quarantined: number;
  /** Single values, and lines too little of which could be parsed. */
  not_retryable: number;
};

type Options = Filter & { now: Date; log: Log; terminal: boolean };

/** Retries what matches the filter. `sql` is a pool of the owner. Aggregates follow at the next refresh. */
export async function retryQuarantined(sql: Sql, { now, log, terminal, ...filter }: Options): Promise<Retried> {
  const [extent] = await sql<[{ last: string | null; readings: number; others: number }]>`
    select max(id) as last, count(*) filter (where kind = 'reading')::int as readings, count(*) filter (where kind <> 'reading')::int as others
    from raw.quarantine where ${matches(sql, filter)}`;
  const result = { retried: 0, accepted: 0, unchanged: 0, still_quarantined: 0, not_retryable: extent.others };
  const progress = makeProgress('retrying', log, terminal);
  let seen = 0;
  const submitAndDelete = async (batch: RetryBatch) => {
    const { resolved, ...outcome } = await submit(sql, batch, now);
    await sql`delete from raw.quarantine where id = any (${arrayLiteral(resolved)}::text::bigint[])`;
    for (const key of ['retried', 'accepted', 'unchanged', 'still_quarantined'] as const) result[key] += outcome[key];
    progress.show(seen, seen / extent.readings);
  };
  // lines that are recorded again for another reason have higher ids than the last, and are not tried twice
  for await (const lines of pagesNewestFirst(sql, extent.last, filter)) {
    let batch = makeRetryBatch();
    for (const line of lines) {
      const readings = await parseQuarantined(sql, line);
      if (readings === undefined) {
        result.not_retryable += 1;
      } else if (!batch.add(line, readings)) {
        await submitAndDelete(batch);
        batch = makeRetryBatch();
        batch.add(line, readings);
      }
      seen += 1;
    }
    await submitAndDelete(batch);
  }
  progress.hide();
  return result;
}

const PAGE = 5_000;
/** In bytes: long lines fill a page earlier. */
const PAGE_TEXT = 4_000_000;

async function* pagesNewestFirst(sql: Sql, last: string | null, filter: Filter): AsyncGenerator<RetryLine[]> {
  for (let upTo = last ?? undefined, first = true; upTo !== undefined; first = false) {
    const lines: RetryLine[] = await sql<RetryLine[]>`
      select id, source, provider_id as provider, stations, line, reason, text, reading
      from (
        select *, sum(octet_length(text)) over (order by id desc) - octet_length(text) as text_before
        from (
          select * from raw.quarantine
          where (id < ${upTo} or ${first} and id = ${upTo}) and kind = 'reading' and ${matches(sql, filter)}
          order by id desc
          limit ${PAGE}
        ) page
      ) next
      where text_before < ${PAGE_TEXT}
      order by id desc`;
    if (lines.length > 0) yield lines;
    upTo = lines.at(-1)?.id;
  }
}
