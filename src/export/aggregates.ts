/** Asks for the published buckets of a layout, a bounded number at a time: on the server, which sorts them, as well as here. */
import { arrayLiteral } from '../database/arrayLiteral.ts';
import type { Sql } from '../database/client.ts';
import type { Layout } from './layouts.ts';

/** A bucket of a place; `stamp` is its start as the zone's clocks show it. */
export type Bucket = { stamp: string; place: string | number } & Record<string, string | number | null>;

export type Piece = { since: string; until: string };

const BATCH = 2_000;
/** How many buckets of each place one question is about. */
const PIECE_BUCKETS = 750;

/** Closed buckets only, as in the history windows (H1): what begins before the running hour or local day. */
export async function planPieces(
  sql: Sql,
  { view, unit }: Layout,
  { now, from, to }: { now: Date; from?: Date | undefined; to?: Date | undefined },
): Promise<Piece[]> {
  const closed = await sql<Piece[]>`
    select piece::text as since, least(piece + ${PIECE_BUCKETS}::int * ${`1 ${unit}`}::text::interval, extent.until)::text as until
    from (
      select
        greatest(min(b.timestamp), ${from?.toISOString() ?? '-infinity'}::text::timestamptz) as since,
        least(max(b.timestamp) + interval '1 second', ${to?.toISOString() ?? 'infinity'}::text::timestamptz,
          date_trunc(${unit}::text, ${now.toISOString()}::text::timestamptz)) as until
      from ${sql(`api.${view}`)} b
      having min(b.timestamp) is not null -- else the periods would be infinite
    ) extent
    cross join lateral generate_series(extent.since, extent.until, ${PIECE_BUCKETS}::int * ${`1 ${unit}`}::text::interval) piece
    where piece < extent.until
    order by piece`;
  return [...closed];
}

/** In order of time, then of place. */
export function askRows(
  sql: Sql,
  { view, place, columns }: Layout,
  { since, until }: Piece,
  places: readonly (number | string)[],
): AsyncIterable<Bucket[]> {
  const type = place.source === 'station_id' ? 'int[]' : 'text[]';
  const text = `
    select to_char(b.timestamp, 'YYYY-MM-DD HH24:MI:SS') as stamp, b.${place.source} as place,
      ${columns.map(({ source }) => `b.${source}`).join(', ')}
    from api.${view} b
    where b.timestamp >= $1::text::timestamptz and b.timestamp < $2::text::timestamptz and b.${place.source} = any ($3::text::${type})
    order by b.timestamp, b.${place.source}${type === 'text[]' ? ' collate "C"' : ''}`;
  return sql.unsafe<Bucket[]>(text, [since, until, arrayLiteral(places)]).cursor(BATCH);
}
