/**
 * B13: the cost of a late reading, in milliseconds and bytes of write-ahead log, and how it depends
 * on the other stations.
 */
import { refresh } from '../../../../src/aggregate/refresh.ts';
import { type Context, figureRow, type Measure, type Row, ratioRow } from '../run/measure.ts';
import { compare } from '../run/rounds.ts';
import { seconds } from '../run/statistics.ts';
import { daysAgo, makeWorld, NOW, type World } from '../run/world.ts';

/**
 * One reading of station 1 changes, each time on another day of the past, and everything above it
 * is refreshed.
 */
function lateReadings({ database }: World) {
  const sql = database.superuser();
  let days = 40;
  return async () => {
    const at = daysAgo(days);
    days += 3;
    const [before] = await sql`select pg_current_wal_insert_lsn()::text as lsn`;
    const took = await seconds(async () => {
      await sql`update raw.readings set pm25 = pm25 + 1 where sensor_id = 1 and measured_at = ${at}`;
      await refresh(database.target, () => NOW);
    });
    const [after] =
      await sql`select (pg_current_wal_insert_lsn() - ${before?.lsn}::text::pg_lsn)::float8 as bytes`;
    return { ms: took * 1_000, kib: Number(after?.bytes) / 1_024 };
  };
}

async function run(context: Context): Promise<Row[]> {
  const { quick } = context;
  const pace = { from: daysAgo(quick ? 90 : 365), to: NOW, every: '1 hour' };
  const few = await makeWorld(context, { stations: quick ? 5 : 20 }, pace);
  const many = await makeWorld(context, { stations: quick ? 50 : 200 }, pace);
  const variants = { ours: lateReadings(many), reference: lateReadings(few) };
  const { ms, kib } = await compare(variants, quick ? 4 : 15);
  // the log of each varies tenfold with the last checkpoint, so its median is judged without it
  const { control: _, ...log } = kib;
  const title = 'a late reading, 10 times the stations';
  const grown = { id: 'B13', better: 'lower', must: 1.5, goal: 1.1 } as const;
  return [
    figureRow([ms.reference], { id: 'B13', title: 'a late reading until it shows', unit: 'ms' }),
    ratioRow(ms, { ...grown, title: `${title}: time`, unit: 'ms' }),
    ratioRow(log, { ...grown, title: `${title}: write-ahead log`, unit: 'KiB' }),
  ];
}

export const late: Measure = { ids: ['B13'], title: 'late readings', run };
