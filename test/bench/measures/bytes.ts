/** B9: bytes a reading takes at rest, next to a plain table with the same key and columns. */
import type { Context, Measure, Row } from '../run/measure.ts';
import { daysAgo, makeWorld, NOW } from '../run/world.ts';

async function run(context: Context): Promise<Row[]> {
  const { targets, engine, quick } = context;
  const pace = { from: daysAgo(quick ? 90 : 365), to: NOW, every: '10 minutes' };
  const { database, readings } = await makeWorld(targets, engine, { stations: 10 }, [pace]);
  try {
    const sql = database.superuser();
    await sql`create table public.plain (like raw.readings)`;
    await sql`alter table public.plain add primary key (sensor_id, measured_at)`;
    await sql`insert into public.plain select * from raw.readings order by measured_at`;
    const size = engine === 'timescale' ? 'hypertable_size' : 'pg_total_relation_size';
    const [row] = await sql.unsafe<{ ours: number; plain: number }[]>(
      `select ${size}('raw.readings')::float8 as ours, pg_total_relation_size('public.plain')::float8 as plain`,
    );
    const [ours, plain] = [(row?.ours ?? Number.NaN) / readings, (row?.plain ?? Number.NaN) / readings];
    const share = ours / plain;
    const detail = `${ours.toFixed(1)} : ${plain.toFixed(1)} bytes, indexes included, ${readings.toLocaleString('en')} readings`;
    const value = { median: share, low: share, high: share };
    const title = 'bytes of a reading ÷ of a plain table with the same key';
    return [{ id: 'B9', title, value, unit: '', better: 'lower', must: 0.35, goal: 0.15, detail }];
  } finally {
    await database.drop();
  }
}

export const bytes: Measure = { ids: ['B9'], title: 'bytes of readings at rest', run };
