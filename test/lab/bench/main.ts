/**
 * The cost of airseries, next to the least that could be done instead, and next to other ways of
 * doing it:
 *
 *   npm run bench [-- [--quick] [--plain] [B1 B4 …]]
 *   npm run bench -- --stations 1000|10000|50000 [--quick] [--plain] [S1 S3 …]
 *
 * One run, one machine: variants are measured in turn, and ratios are taken within a round, so a
 * busy machine widens the intervals rather than favours anyone. Beside the ratio of medians stands
 * the ratio of the least times of a request, which tell of the code: a machine can only add to
 * them. Where the medians are too noisy for a verdict, the least times judge. Prints a table, and
 * writes it to dist/bench.md. Peers are optional: npm ci --prefix test/lab/bench. With --plain, on
 * PostgreSQL without TimescaleDB.
 *
 * With --stations, the cost of one network of that size instead, in dist/bench-<stations>.md and
 * .json. Bounds are for a quiet machine of two cores. growth.ts draws such runs side by side.
 * 50,000 stations need 30 GB of disk and about an hour.
 */
import { writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { openServers } from '../../support/run/servers.ts';
import { startGenerator } from './load/generator.ts';
import { archive } from './measures/archive.ts';
import { backfilled } from './measures/backfill.ts';
import { cached } from './measures/cached.ts';
import { cold } from './measures/cold.ts';
import { build } from './measures/country/build.ts';
import { documents } from './measures/country/documents.ts';
import { late as lateOfCountry } from './measures/country/late.ts';
import { memory } from './measures/country/memory.ts';
import { metrics } from './measures/country/metrics.ts';
import { minute as minuteOfCountry } from './measures/country/minute.ts';
import { screening } from './measures/country/screening.ts';
import { imported } from './measures/import.ts';
import { kept } from './measures/kept.ts';
import { late } from './measures/late.ts';
import { minute } from './measures/minute.ts';
import { peers } from './measures/peers.ts';
import { type Country, makeCountry } from './run/country.ts';
import type { Context, Measure, Row } from './run/measure.ts';
import { markdown, terminalTable } from './run/report.ts';
import { peerVersions, versionsOf } from './run/versions.ts';
import { daysAgo, makeWorld, NOW, type World } from './run/world.ts';

/** In the order of running. */
const MEASURES: readonly Measure[] = [
  cached,
  kept,
  ...cold,
  minute,
  imported,
  backfilled,
  late,
  archive,
  peers,
];

/** Measures of a country. Late readings come last, because they change the data of the others. */
const OF_COUNTRY: readonly Measure[] = [
  ...build,
  ...documents,
  metrics,
  memory,
  minuteOfCountry,
  lateOfCountry,
  screening,
];
const FEWEST_STATIONS = 100; // so that a hundredth of them is one

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    stations: { type: 'string' },
  },
  allowPositionals: true,
});
const stations = values.stations === undefined ? undefined : Number(values.stations);
if (stations !== undefined && !(Number.isInteger(stations) && stations >= FEWEST_STATIONS)) {
  throw new Error(`--stations must be a number such as 1000, and at least ${FEWEST_STATIONS}`);
}
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
const generator = startGenerator();
let town: Promise<World> | undefined;
let country: Promise<Country> | undefined;
const context: Context = {
  targets,
  engine,
  quick: values.quick,
  generator,
  wants,
  progress,
  town() {
    progress('setting up a town of 20 stations');
    const pace = { from: daysAgo(values.quick ? 60 : 730), to: NOW, every: '20 minutes' };
    town ??= makeWorld(targets, engine, { stations: 20 }, [pace]);
    return town;
  },
  country() {
    if (stations === undefined) throw new Error('measures of a country need --stations');
    country ??= makeCountry(context, stations);
    return country;
  },
};

function sizeOf({ stations, regions, readings, database }: Country): string {
  const [of, sensors] = [stations, 2 * stations].map((count) => count.toLocaleString('en'));
  return `${of} stations with ${sensors} sensors, ${regions} regions, ${(readings / 1e6).toFixed(1)} M readings, ${database.engine}`;
}

const rows: Row[] = [];
const failed: string[] = [];
const processor = cpus()[0]?.model ?? 'an unknown processor';
const machine = `${platform()} ${arch()}, ${cpus().length} × ${processor}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
const begun = { at: performance.now(), load: loadavg()[0] as number };
try {
  for (const { ids, title, run } of measures) {
    if (!ids.some(wants)) continue;
    progress(`${ids.filter(wants).join(', ')}: ${title}`);
    try {
      rows.push(...(await run(context)));
    } catch (error) {
      failed.push(`${ids.join(', ')} failed: ${(error as Error).message}`);
      progress(`${(error as Error).stack}`);
    }
  }
} finally {
  generator.close();
  const made = await country?.catch(() => undefined);
  for (const world of [await town?.catch(() => undefined), made]) await world?.database.drop();
  const heading = [
    ...(made === undefined ? [] : [sizeOf(made)]),
    ...(await versionsOf(targets)),
    ...(stations === undefined
      ? [
          peerVersions(),
          `the load generator was busy at most ${Math.round(generator.busiest() * 100)} % of the time`,
        ]
      : []),
    machine,
    `${Math.round((performance.now() - begun.at) / 1_000)} s; load average ${begun.load.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`,
    ...(values.quick ? ['QUICK: small sizes and few rounds, nothing to be judged by'] : []),
    ...failed,
  ];
  await close();
  const name = stations === undefined ? 'bench' : `bench-${stations}`;
  const file = (extension: string) =>
    new URL(`../../../dist/${name}.${extension}`, import.meta.url);
  writeFileSync(file('md'), markdown(rows, heading, processor));
  if (stations !== undefined)
    writeFileSync(
      file('json'),
      JSON.stringify({ quick: values.quick, machine, heading, rows }, null, 1),
    );
  process.stdout.write(`${heading.join('\n')}\n\n${terminalTable(rows, processor)}\n`);
}

// handles that a failed measure left open must not keep the process running
process.exit(failed.length === 0 ? 0 : 1);
