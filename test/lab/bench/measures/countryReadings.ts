/**
 * S8, S9: readings of a country as they come, in a file that is imported and refreshed as the
 * worker does each minute: a minute in which every sensor sends one, and late ones.
 */
import { makeDigest } from '../../../../src/aggregate/digest.ts';
import { refresh } from '../../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../../src/base/log.ts';
import { importReadings } from '../../../../src/ingest/importReadings.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { HEADER, writeTemporary } from '../run/files.ts';
import { type Context, figure, type Measure, type Row } from '../run/measure.ts';
import { median, seconds } from '../run/statistics.ts';
import { daysAgo, NOW } from '../run/world.ts';
import { countryRow } from './country.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Seconds. */
type Taken = Record<'imported' | 'refreshed' | 'digested', number>;

/** One line of a sensor: odd ones are for particles. */
function reading(sensor: number, at: number): string {
  const time = new Date(at).toISOString();
  const noise = (sensor * 7 + at / 1_000) % 50;
  return sensor % 2 === 1
    ? `${sensor},${time},${(5 + noise / 2).toFixed(1)},${(9 + noise).toFixed(1)},,,`
    : `${sensor},${time},,,${(noise / 3).toFixed(1)},${(40 + noise).toFixed(0)},${(90_000 + noise).toFixed(0)}`;
}

const sensorsOf = (stations: number) => Array.from({ length: 2 * stations }, (_, n) => n + 1);

/** Rejects unless all of them are new. */
async function take(context: Context, lines: readonly string[], now: Date): Promise<Taken> {
  const { as, target } = (await context.country()).database;
  const file = writeTemporary(context, 'readings.csv', [HEADER, ...lines].join('\n'));
  const sql = as('airseries_ingest');
  const options = { formats: READING_FORMATS, now, log: makeLog('error'), terminal: false };
  const imported = await seconds(async () => {
    const { accepted } = await importReadings(sql, [file], options);
    if (accepted !== lines.length)
      throw new Error(`${accepted} of ${lines.length} readings were accepted`);
  });
  await sql.end();
  const refreshed = await seconds(() => refresh(target, () => now, undefined, { lazily: true }));
  const digested = await seconds(() => makeDigest(target, now));
  return { imported, refreshed, digested };
}

/** The medians of the parts, for the last column. */
function partsOf(count: number, taken: readonly Taken[]): string {
  const parts = (['imported', 'refreshed', 'digested'] as const).map(
    (part) => `${part} in ${figure(median(taken.map((one) => one[part])))} s`,
  );
  return `readings ${figure(count)}: ${parts.join(', ')}`;
}

async function minute(context: Context): Promise<Row[]> {
  const { stations } = await context.country();
  const taken: Taken[] = [];
  // eleven: the running month, every ten minutes, is in one of them
  for (let minute = 1; minute <= (context.quick ? 3 : 11); minute++) {
    const at = new Date(NOW.getTime() + minute * MINUTE);
    const lines = sensorsOf(stations).map((sensor) =>
      reading(sensor, at.getTime() - 1_000 - ((sensor * 17) % 55) * 1_000),
    );
    taken.push(await take(context, lines, at));
  }
  const values = taken.map((parts) => parts.imported + parts.refreshed + parts.digested);
  const row = { id: 'S8', title: 'a minute of 2 readings a station', unit: 's' };
  return [countryRow(stations, values, { ...row, detail: partsOf(2 * stations, taken) })];
}

/** After the minutes that are measured before. */
const LATER = new Date(NOW.getTime() + 20 * MINUTE);
/** Steps of 35 minutes after a number of days ago, at half seconds, which no reading has yet. */
const instantOf = (days: number, step = 0) =>
  daysAgo(days).getTime() + HOUR + step * 35 * MINUTE + 500;
const STEPS_OF_A_DAY = Math.floor((24 * HOUR) / (35 * MINUTE));

/** Late readings until they show. Every round has readings of its own. */
async function late(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const { quick, progress } = context;
  await refresh(database.target, () => LATER); // or the running month would be due meanwhile
  const one = (days: number) => (round: number) => [
    reading(2 * Math.floor((round * stations) / 12) + 1, instantOf(days) + round),
  ];
  const share = (round: number) =>
    sensorsOf(stations)
      .filter((sensor) => Math.ceil(sensor / 2) % 100 === round)
      .flatMap((sensor) =>
        Array.from({ length: STEPS_OF_A_DAY }, (_, n) => reading(sensor, instantOf(2, n) + round)),
      );
  const cases = {
    'a late reading of yesterday': { rounds: quick ? 3 : 9, lines: one(1) },
    'a late reading of last month': { rounds: quick ? 3 : 9, lines: one(quick ? 20.5 : 25) },
    'late readings of 1 % over 24 hours': { rounds: quick ? 1 : 3, lines: share },
  };
  const rows: Row[] = [];
  for (const [title, { rounds, lines }] of Object.entries(cases)) {
    progress(`S9 ${title}`);
    const taken: Taken[] = [];
    for (let round = 0; round < rounds; round++)
      taken.push(await take(context, lines(round), LATER));
    const values = taken.map((parts) => parts.imported + parts.refreshed);
    const detail = partsOf(lines(0).length, taken);
    rows.push(countryRow(stations, values, { id: 'S9', title, unit: 's', detail }));
  }
  return rows;
}

export const countryReadings: readonly Measure[] = [
  { ids: ['S8'], title: 'a minute of everybody', run: minute },
  { ids: ['S9'], title: 'late readings', run: late },
];
