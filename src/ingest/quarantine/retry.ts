/**
 * Another try for readings in quarantine, after what kept them out has changed: the network knows the sensor now, or the future has
 * come. What is stored already came later and stays; of two in quarantine for one time the later wins, so the newest are tried first.
 * What came in leaves the quarantine afterwards, so an interruption loses nothing, and running it again changes nothing.
 */
import { arrayLiteral, type Sql } from '../../database/client.ts';
import type { Log } from '../../log.ts';
import { makeProgress } from '../../progress.ts';
import { type Filter, matches } from './list.ts';
import { type Line, makeRound, parseQuarantined, type Round, submit } from './submit.ts';

/** Of readings: retried = accepted + unchanged + still_quarantined. Of lines: not_retryable. */
export type Retried = {
  retried: number;
  accepted: number;
  unchanged: number;
  still_quarantined: number;
  /** Single values, and lines of which too little was understood. */
  not_retryable: number;
};

type Options = Filter & { now: Date; log: Log; terminal: boolean };

/** `sql` is a pool of the owner. Aggregates follow at the next refresh. */
export async function retryQuarantined(sql: Sql, { now, log, terminal, ...filter }: Options): Promise<Retried> {
  const [extent] = await sql<[{ last: string | null; readings: number; others: number }]>`
    select max(id) as last, count(*) filter (where kind = 'reading')::int as readings, count(*) filter (where kind <> 'reading')::int as others
    from raw.quarantine where ${matches(sql, filter)}`;
  const result = { retried: 0, accepted: 0, unchanged: 0, still_quarantined: 0, not_retryable: extent.others };
  const progress = makeProgress('retrying', log, terminal);
  let seen = 0;
  const send = async (round: Round) => {
    const { left, ...outcome } = await submit(sql, round, now);
    await sql`delete from raw.quarantine where id = any (${arrayLiteral(left)}::text::bigint[])`;
    for (const key of ['retried', 'accepted', 'unchanged', 'still_quarantined'] as const) result[key] += outcome[key];
    progress.show(seen, seen / extent.readings);
  };
  // lines that come back for another reason have higher numbers than the last, and are not tried twice
  for await (const lines of pagesDown(sql, extent.last, filter)) {
    let round = makeRound();
    for (const line of lines) {
      const readings = await parseQuarantined(sql, line);
      if (readings === undefined) {
        result.not_retryable += 1;
      } else if (!round.add(line, readings)) {
        await send(round);
        round = makeRound();
        round.add(line, readings);
      }
      seen += 1;
    }
    await send(round);
  }
  progress.hide();
  return result;
}

const PAGE = 5_000;
/** Long lines make a page full earlier. In bytes. */
const PAGE_TEXT = 4_000_000;

async function* pagesDown(sql: Sql, last: string | null, filter: Filter): AsyncGenerator<Line[]> {
  for (let upTo = last ?? undefined, first = true; upTo !== undefined; first = false) {
    const lines: Line[] = await sql<Line[]>`
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
