/**
 * B13: the cost of a late reading, in milliseconds and bytes of write-ahead log, and how it depends
 * on the other stations.
 */
import { refresh } from '../../../../src/aggregate/refresh.ts';
import { type Context, figure, type Measure, type Row } from '../run/measure.ts';
import { interleave } from '../run/rounds.ts';
import { bootstrap, median } from '../run/statistics.ts';
import { daysAgo, makeWorld, NOW, type World } from '../run/world.ts';

const DAY = 86_400_000;

/**
 * One reading of station 1 changes, each time on another day of the past, and everything above it
 * is refreshed.
 */
function lateReadings({ database }: World) {
  const sql = database.superuser();
  let turn = 0;
  return async () => {
    const at = new Date(daysAgo(40).getTime() - 3 * turn * DAY);
    turn += 1;
    const [before] = await sql`select pg_current_wal_insert_lsn()::text as lsn`;
    const begun = performance.now();
    await sql`update raw.readings set pm25 = pm25 + 1 where sensor_id = 1 and measured_at = ${at}`;
    await refresh(database.target, () => NOW);
    const ms = performance.now() - begun;
    const [after] =
      await sql`select (pg_current_wal_insert_lsn() - ${before?.lsn}::text::pg_lsn)::float8 as bytes`;
    return { ms, bytes: Number(after?.bytes) };
  };
}

async function run(context: Context): Promise<Row[]> {
  const { targets, engine, quick } = context;
  const pace = { from: daysAgo(quick ? 90 : 365), to: NOW, every: '1 hour' };
  const worlds: World[] = [];
  const bytes: Record<'few' | 'many', number[]> = { few: [], many: [] };
  try {
    for (const stations of quick ? [5, 50] : [20, 200]) {
      context.progress(`B13 setting up ${stations} stations`);
      worlds.push(await makeWorld(targets, engine, { stations }, [pace]));
    }
    const [few, many] = worlds.map(lateReadings) as [
      ReturnType<typeof lateReadings>,
      ReturnType<typeof lateReadings>,
    ];
    const variant = (name: keyof typeof bytes, late: typeof few) => async () => {
      const { ms, bytes: written } = await late();
      bytes[name].push(written);
      return ms;
    };
    const took = await interleave(
      { few: variant('few', few), many: variant('many', many) },
      quick ? 4 : 15,
    );
    const ratio = ({ few, many }: typeof bytes) =>
      bootstrap(many.map((value, round) => value / (few[round] ?? Number.NaN)));
    const sides = (of: typeof bytes, unit: string) =>
      `${figure(median(of.many))} : ${figure(median(of.few))} ${unit}`;
    const kib = {
      few: bytes.few.map((one) => one / 1_024),
      many: bytes.many.map((one) => one / 1_024),
    };
    const grown = { id: 'B13', unit: '', better: 'lower', must: 1.5, goal: 1.1 } as const;
    const alone = { id: 'B13', better: 'lower' } as const;
    return [
      {
        ...alone,
        title: 'a late reading until it shows',
        value: bootstrap(took.few),
        unit: 'ms',
        detail: 'report',
      },
      {
        ...alone,
        title: 'a late reading, write-ahead log',
        value: bootstrap(kib.few),
        unit: 'KiB',
        detail: 'report',
      },
      {
        ...grown,
        title: 'a late reading, 10 times the stations: time',
        value: ratio(took),
        detail: sides(took, 'ms'),
      },
      {
        ...grown,
        title: 'a late reading, 10 times the stations: log',
        value: ratio(kib),
        detail: sides(kib, 'KiB'),
      },
    ];
  } finally {
    for (const { database } of worlds) await database.drop();
  }
}

export const late: Measure = { ids: ['B13'], title: 'late readings', run };
