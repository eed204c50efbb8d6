/**
 * What airseries costs, next to the least that could be done instead, and next to other ways of doing it:
 *
 *   npm run bench [-- [--quick] [B1 B4 …]]
 *
 * One run, one machine: variants are measured in turn, and ratios are taken within a round, so a busy machine widens the intervals rather
 * than favours anyone. Prints a table, and writes it to dist/bench.md. Peers are optional: npm ci --prefix test/bench,
 * and the programs influxd, victoria-metrics and nginx where they are installed.
 */
import { writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { openServers } from '../support/servers.ts';
import { startGenerator } from './load/generator.ts';
import { bytes } from './measures/bytes.ts';
import { cached } from './measures/cached.ts';
import { cold } from './measures/cold.ts';
import { density } from './measures/density.ts';
import { imported } from './measures/import.ts';
import { late } from './measures/late.ts';
import { minute } from './measures/minute.ts';
import { peers } from './measures/peers.ts';
import { polling } from './measures/polling.ts';
import { proxied } from './measures/proxied.ts';
import { start } from './measures/start.ts';
import type { Context, Measure, Row } from './run/measure.ts';
import { markdown, terminalTable } from './run/report.ts';
import { versionsOf } from './run/versions.ts';
import { daysAgo, makeWorld, NOW, type World } from './run/world.ts';

/** In the order of running. */
const MEASURES: readonly Measure[] = [
  cached,
  ...cold,
  polling,
  minute,
  start,
  density,
  imported,
  late,
  bytes,
  proxied,
  peers,
];

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const known = MEASURES.flatMap(({ ids }) => ids);
const unknown = positionals.filter((id) => !known.includes(id));
if (unknown.length > 0) throw new Error(`no measure ${unknown.join(', ')}; there are ${known.join(', ')}`);
const wants = (id: string) => positionals.length === 0 || positionals.includes(id);
const progress = (text: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

const { targets, close } = await openServers();
const engine = targets.timescale === undefined ? 'plain' : 'timescale';
const generator = startGenerator();
let town: Promise<World> | undefined;
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
};

const rows: Row[] = [];
const failed: string[] = [];
const begun = { at: performance.now(), load: loadavg()[0] as number };
try {
  for (const { ids, title, run } of MEASURES) {
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
  await (await town?.catch(() => undefined))?.database.drop();
  const heading = [
    ...(await versionsOf(targets)),
    `${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${Math.round((performance.now() - begun.at) / 1_000)} s; load average ${begun.load.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`,
    `the load generator was busy at most ${Math.round(generator.busiest() * 100)} % of the time`,
    ...(values.quick ? ['QUICK: small sizes and few rounds, nothing to be judged by'] : []),
    ...failed,
  ];
  await close();
  writeFileSync(new URL('../../dist/bench.md', import.meta.url), markdown(rows, heading));
  process.stdout.write(`${heading.join('\n')}\n\n${terminalTable(rows)}\n`);
}
process.exit(failed.length === 0 ? 0 : 1); // what a failed measure left open must not keep it running
