/**
 * The cost of airseries, next to the least that could be done instead:
 *
 *   npm run bench [-- [--quick] [--plain] [B1 B4 …]]
 *   npm run bench -- --stations 1000|10000|50000 [--quick] [--plain] [S1 S3 …]
 *
 * One run, one machine: variants are measured in turn, and ratios are taken within a round, so a
 * busy machine widens the intervals rather than favours anyone; where the reference does not agree
 * with itself, there is no verdict. Prints a table, and writes it to dist/bench.md. With --plain, on
 * PostgreSQL without TimescaleDB.
 *
 * With --stations, the cost of one network of that size instead, in dist/bench-<stations>.md.
 * Bounds are for a quiet machine of two cores. 50,000 stations need 30 GB of disk and about an hour.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { openServers } from '../../support/run/servers.ts';
import { busiestLoad } from './load/load.ts';
import { backfilled } from './measures/backfill.ts';
import { cold } from './measures/cold.ts';
import { country as ofCountry } from './measures/country.ts';
import { countryReadings } from './measures/countryReadings.ts';
import { imported } from './measures/import.ts';
import { kept } from './measures/kept.ts';
import { late } from './measures/late.ts';
import { minute } from './measures/minute.ts';
import { type Country, makeCountry } from './run/country.ts';
import type { Context, Measure, Row } from './run/measure.ts';
import { report } from './run/report.ts';
import { processor, versionsOf } from './run/versions.ts';
import { daysAgo, makeWorld, NOW, type World } from './run/world.ts';

/** In the order of running. */
const MEASURES: readonly Measure[] = [...kept, cold, minute, imported, backfilled, late];

/** Measures of a country. Readings come last, because they change the data of the others. */
const OF_COUNTRY: readonly Measure[] = [...ofCountry, ...countryReadings];

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    stations: { type: 'string' },
  },
  allowPositionals: true,
});
const stations = values.stations === undefined ? undefined : Number(values.stations);
// so that a hundredth of them is one
if (stations !== undefined && !(Number.isInteger(stations) && stations >= 100))
  throw new Error('--stations must be a number such as 1000, and at least 100');
const measures = stations === undefined ? MEASURES : OF_COUNTRY;
const known = measures.flatMap(({ ids }) => ids);
const unknown = positionals.filter((id) => !known.includes(id));
if (unknown.length > 0)
  throw new Error(`no measure ${unknown.join(', ')}; there are ${known.join(', ')}`);
const wants = (id: string) => positionals.length === 0 || positionals.includes(id);
const progress = (text: string) =>
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

const { targets, close } = await openServers();
const engine = values.plain || targets.timescale === undefined ? 'plain' : 'timescale';
const undo = { afterMeasure: [] as (() => unknown)[], atEnd: [] as (() => unknown)[] };
async function run(tasks: (() => unknown)[]): Promise<void> {
  for (const task of tasks.splice(0).reverse()) await task();
}
let town: Promise<World> | undefined;
let country: Promise<Country> | undefined;
const context: Context = {
  targets,
  engine,
  quick: values.quick,
  wants,
  after: (task) => undo.afterMeasure.push(task),
  progress,
  town() {
    progress('setting up a town of 20 stations');
    const pace = { from: daysAgo(values.quick ? 60 : 730), to: NOW, every: '20 minutes' };
    town ??= makeWorld(lasting, { stations: 20 }, pace);
    return town;
  },
  country() {
    country ??= makeCountry(lasting, stations ?? 0);
    return country;
  },
};
/** Of what stays until the end. */
const lasting: Context = { ...context, after: (task) => undo.atEnd.push(task) };

const rows: Row[] = [];
const failed: string[] = [];
const begun = performance.now();
try {
  for (const { ids, title, run: measure } of measures) {
    if (!ids.some(wants)) continue;
    progress(`${ids.filter(wants).join(', ')}: ${title}`);
    try {
      rows.push(...(await measure(context)));
    } catch (error) {
      failed.push(`${ids.join(', ')} failed: ${(error as Error).message}`);
      progress(`${(error as Error).stack}`);
    }
    await run(undo.afterMeasure);
  }
} finally {
  const made = await country?.catch(() => undefined);
  await run(undo.atEnd);
  const took = `${Math.round((performance.now() - begun) / 1_000)} s`;
  const averages = loadavg().map((average) => average.toFixed(1));
  const busy = `load generator busy at most ${Math.round(busiestLoad() * 100)} % of the time`;
  const heading = [
    ...(made === undefined ? [] : [`${made.size}, ${engine}`]),
    ...(await versionsOf(targets)),
    `${took}; load averages ${averages.join(', ')}; ${busy}`,
    ...(values.quick ? ['QUICK: small sizes and few rounds, nothing to be judged by'] : []),
    ...failed,
  ];
  await close();
  const text = report(rows, heading, processor);
  const name = stations === undefined ? 'bench' : `bench-${stations}`;
  writeFileSync(new URL(`../../../dist/${name}.md`, import.meta.url), text);
  process.stdout.write(text);
}

// handles that a failed measure left open must not keep the process running
process.exit(failed.length === 0 ? 0 : 1);
