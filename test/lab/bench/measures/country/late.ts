/** S9: late readings, until they show: one, a day of a share of the sensors, and an hour of all. */
import { refresh } from '../../../../../src/aggregate/refresh.ts';
import { watchServer } from '../../load/memory.ts';
import { type Context, figure, type Measure, type Row } from '../../run/measure.ts';
import { daysAgo, NOW } from '../../run/world.ts';
import { partsOf, reading, sensorsOf, type Taken, take } from './readings.ts';
import { countryRow } from './row.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** After the minutes that are measured before. */
const LATER = new Date(NOW.getTime() + 20 * MINUTE);
/** No reading that is there already has it. */
const ODD_MS = 500;

/** The next full hour after a number of days ago, and that many steps of 35 minutes later. */
const instantOf = (days: number, step = 0) =>
  daysAgo(days).getTime() + HOUR + step * 35 * MINUTE + ODD_MS;
const STEPS_OF_A_DAY = Math.floor((24 * HOUR) / (35 * MINUTE));

type Case = {
  title: string;
  rounds: number;
  bounds?: Parameters<typeof countryRow>[1]['bounds'];
  /** Every round has readings of its own. */
  lines(round: number): string[];
};

function casesOf(stations: number, quick: boolean): Case[] {
  const one = (days: number) => (round: number) => [
    reading(2 * Math.floor((round * stations) / 12) + 1, instantOf(days) + round),
  ];
  const share = (every: number) => (round: number) =>
    sensorsOf(stations, (station) => station % every === round).flatMap((sensor) =>
      Array.from({ length: STEPS_OF_A_DAY }, (_, step) =>
        reading(sensor, instantOf(2, step) + every + round),
      ),
    );
  return [
    {
      title: 'a late reading of yesterday',
      rounds: quick ? 3 : 9,
      // it shows with the next refresh, which begins every minute
      bounds: { 10000: { must: 60, goal: 2 } },
      lines: one(1),
    },
    {
      title: 'a late reading of last month',
      rounds: quick ? 3 : 9,
      bounds: { 10000: { must: 60, goal: 2 } },
      lines: one(quick ? 20.5 : 25),
    },
    {
      title: 'late readings of 1 % over 24 hours',
      rounds: quick ? 1 : 3,
      bounds: { 10000: { must: 3, goal: 1 }, 50000: { must: 120 } },
      lines: share(100),
    },
    { title: 'late readings of 10 % over 24 hours', rounds: 1, lines: share(10) },
    {
      title: 'late readings of all in one hour',
      rounds: 1,
      lines: () => sensorsOf(stations).map((id) => reading(id, instantOf(1.5))),
    },
  ];
}

async function run(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  await refresh(database.target, () => LATER); // the running month too, so that it is not due meanwhile
  const watch = watchServer(database.target);
  const rows: Row[] = [];
  for (const { title, rounds, bounds, lines } of casesOf(stations, context.quick)) {
    const taken: Taken[] = [];
    let count = 0;
    for (let round = 0; round < rounds; round++) {
      const late = lines(round);
      count = late.length;
      taken.push(await take(database, late, LATER));
      context.progress(`S9 ${title}: ${partsOf(taken.slice(-1))}`);
    }
    const values = taken.map((parts) => parts.import + parts.refresh);
    const detail = `${figure(count)} reading${count === 1 ? '' : 's'}: ${partsOf(taken)}`;
    rows.push(
      countryRow(stations, {
        id: 'S9',
        title,
        unit: 's',
        values,
        detail,
        ...(bounds && { bounds }),
      }),
    );
  }
  const { largest } = await watch.end();
  const memory = {
    title: 'late readings, memory',
    unit: 'MiB',
    detail: "the database's largest process",
  };
  return [...rows, countryRow(stations, { id: 'S9', ...memory, values: [largest] })];
}

export const late: Measure = { ids: ['S9'], title: 'late readings', run };
