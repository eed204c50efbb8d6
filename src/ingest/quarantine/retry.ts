/**
 * Retries readings in quarantine after their cause was removed: the sensor is in the network now,
 * or the time is no longer in the future. Stored readings came later and stay; of two quarantined
 * for one time the later wins, so the newest are tried first. Lines are deleted only after their
 * readings are stored, so an interruption loses nothing, and repeating a retry changes nothing.
 */

import type { Log } from '../../base/log.ts';
import { makeProgress } from '../../base/progress.ts';
import { arrayLiteral } from '../../database/arrays.ts';
import type { Sql } from '../../database/client.ts';
import type { ReadingFormats } from '../formats.ts';
import type { ReadingInput } from '../reading/reading.ts';
import { acceptAuthorized } from '../store/accept.ts';
import { type Filter, matches } from './list.ts';
import { parseQuarantined, type RetryLine } from './parse.ts';

/** Readings: retried = accepted + unchanged + still_quarantined. Lines: not_retryable. */
type Retried = {
  retried: number;
  accepted: number;
  unchanged: number;
  still_quarantined: number;
  /** Single values, and lines that could hardly be parsed. */
  not_retryable: number;
};

type Options = Filter & { now: Date; log: Log; terminal: boolean; formats: ReadingFormats };

/** A reading and the line it is from; a line of a device may have several. */
type Attempt = { reading: ReadingInput; line: RetryLine };

/**
 * Retries what matches the filter. `sql` is a pool of the owner. Aggregates follow at the next
 * refresh.
 */
export async function retryQuarantined(
  sql: Sql,
  { now, log, terminal, formats, ...filter }: Options,
): Promise<Retried> {
  const [extent] = await sql<[{ end: string; readings: number; others: number }]>`
    select coalesce(max(id), 0) + 1 as end, count(*) filter (where kind = 'reading')::int as readings,
      count(*) filter (where kind <> 'reading')::int as others
    from raw.quarantine where ${matches(sql, filter)}`;
  const result = {
    retried: 0,
    accepted: 0,
    unchanged: 0,
    still_quarantined: 0,
    not_retryable: extent.others,
  };
  const progress = makeProgress('retrying', log, terminal);
  let seen = 0;
  // lines that are recorded again for another reason have ids beyond the end, and are not tried
  // twice
  for await (const lines of pagesNewestFirst(sql, extent.end, filter)) {
    const senders = new Map<string, Attempt[]>();
    const takenBy = new Map<string, string>(); // the sender, by sensor and time
    const submitAll = async () => {
      for (const attempts of senders.values()) await submit(sql, attempts, now, result);
      senders.clear();
      takenBy.clear();
    };
    for (const line of lines) {
      const readings = await parseQuarantined(sql, line, formats.devicePushes);
      if (readings.length === 0) {
        result.not_retryable += 1;
        continue;
      }
      const sender = JSON.stringify([line.source, line.scope]);
      const slots = readings.map(({ sensorId, measuredAt }) => `${sensorId} ${measuredAt}`);
      // a newer reading of another sender for the same sensor and time has to be stored first
      if (slots.some((slot) => (takenBy.get(slot) ?? sender) !== sender)) await submitAll();
      for (const slot of slots) takenBy.set(slot, sender);
      const attempts = senders.get(sender) ?? [];
      senders.set(sender, attempts);
      attempts.push(...readings.map((reading) => ({ reading, line })));
    }
    await submitAll();
    seen += lines.length;
    progress.show(seen, seen / extent.readings);
  }
  progress.hide();
  return result;
}

/** So few that their texts, of up to 64 KiB each, fit into memory. */
const PAGE = 1_000;

async function* pagesNewestFirst(
  sql: Sql,
  end: string,
  filter: Filter,
): AsyncGenerator<RetryLine[]> {
  for (let before: string | undefined = end; before !== undefined; ) {
    const lines: RetryLine[] = await sql<RetryLine[]>`
      select id, source, line, reason, text, reading,
        case when provider_id is not null then jsonb_build_object('provider', provider_id, 'stations', stations) end as scope
      from raw.quarantine
      where id < ${before} and kind = 'reading' and ${matches(sql, filter)}
      order by id desc limit ${PAGE}`;
    if (lines.length > 0) yield lines;
    before = lines.at(-1)?.id;
  }
}

/**
 * Accepts what one sender is authorized for, deletes the lines that it has used up, and adds to
 * the result.
 */
async function submit(sql: Sql, newestFirst: Attempt[], now: Date, result: Retried): Promise<void> {
  const attempts = newestFirst.toReversed(); // the last reading of a batch wins
  const { source, scope } = (attempts[0] as Attempt).line;
  const readings = attempts.map(({ reading }) => reading);
  const outcome = await acceptAuthorized(sql, readings, {
    now,
    source,
    scope: scope ?? undefined,
    onlyNew: true,
  });
  result.retried += outcome.received;
  result.accepted += outcome.accepted;
  result.unchanged += outcome.unchanged;
  result.still_quarantined += outcome.quarantined.length + outcome.unauthorized.size;

  const staying = new Set([...outcome.unauthorized].map((index) => attempts[index]?.line));
  for (const { index, reason } of outcome.quarantined) {
    // it was recorded, if there was room; with the same reason and text, that is this line
    const { reading, line } = attempts[index] as Attempt;
    const isSame = reason === line.reason && reading.text === line.text;
    if (isSame || outcome.overflowed > 0) staying.add(line);
  }
  const resolved = new Set(attempts.flatMap(({ line }) => (staying.has(line) ? [] : line.id)));
  await sql`delete from raw.quarantine where id = any (${arrayLiteral([...resolved])}::text::bigint[])`;
}
