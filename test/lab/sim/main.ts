/**
 * `npm run sim -- --steps N --seed S [--from N] [--zone Z] [--engine E]`: plays the steps of a seed
 * on every engine of this machine, in chapters of 500, each with a zone and a fresh database. So a
 * run that was stopped at step N is continued by `--from N`, which begins with the chapter of that
 * step: nothing of the chapters before reaches it. A failure is shrunk to a few steps and added to
 * the corpus, which `npm test` plays from then on.
 */
import { parseArgs } from 'node:util';
import type { Engine } from '../../../src/schema/aggregates.ts';
import { makeDatabase } from '../../support/makeDatabase.ts';
import { openServers, type Targets } from '../../support/run/servers.ts';
import { ZONES } from './axes.ts';
import { writeCase } from './corpus.ts';
import { type Failure, playSteps } from './run.ts';
import { shrink } from './shrink.ts';
import { chapterSeed, describeStep, makeSteps, type Step } from './steps.ts';

const CHAPTER = 500;

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '2000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    zone: { type: 'string' },
    engine: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
const total = Number(values.steps);
const first = Math.floor(Number(values.from) / CHAPTER) * CHAPTER;
const zones = values.zone === undefined ? ZONES : [values.zone];
const command = ['npm run sim --', `--seed ${seed} --steps ${total}`]
  .concat(values.zone === undefined ? [] : `--zone ${values.zone}`)
  .concat(values.engine === undefined ? [] : `--engine ${values.engine}`)
  .join(' ');

const servers = await openServers();
let failed = 0;
try {
  const engines = (Object.keys(servers.targets) as Engine[]).filter(
    (name) => (values.engine ?? name) === name,
  );
  if (engines.length === 0) throw new Error(`no server for the engine ${values.engine}`);
  const startedAt = performance.now();
  for (let from = first; from < total; from += CHAPTER) {
    const count = Math.min(CHAPTER, total - from);
    const show = (done: number) =>
      progress(`${from + done} of ${total}`, from + done - first, startedAt);
    for (const engine of engines)
      await playChapter(servers.targets, engine, from / CHAPTER, count, show);
    const rate = progress('', from + count - first, startedAt);
    process.stdout.write(
      `steps ${from} to ${from + count} on ${engines.join(' and ')}, ${failed} failed; ${rate}; resume with ${command} --from ${from + count}\n`,
    );
  }
} finally {
  await servers.close();
}

async function playChapter(
  targets: Targets,
  engine: Engine,
  chapter: number,
  count: number,
  show: (done: number) => unknown,
): Promise<void> {
  const zone = zones[chapter % zones.length] as string;
  const steps = makeSteps(zone, chapterSeed(seed, chapter), count);
  const failure = await playFresh(
    targets,
    engine,
    zone,
    steps,
    (step) => step % 10 === 0 && show(step),
  );
  if (failure === undefined) return;
  failed += 1;
  process.exitCode = 1;
  process.stdout.write(
    `seed ${seed}, ${zone}, ${engine}: FAILED after step ${chapter * CHAPTER + failure.step}\n${failure.what}\n`,
  );
  const fails = async (some: readonly Step[]) =>
    (await playFresh(targets, engine, zone, some)) !== undefined;
  const until = steps.slice(0, failure.step + 1);
  const again = await playFresh(targets, engine, zone, until);
  if (again?.step !== failure.step) {
    process.stdout.write(
      'played once more, that step does not fail: a race, or a machine that was too slow\n',
    );
    return;
  }
  const short = await shrink(until, fails);
  const why = `the steps of seed ${seed} on ${engine}`;
  const file = writeCase(`${engine}-seed-${seed}-${chapter}`, { zone, why, steps: short });
  process.stdout.write(
    `${short.map((step) => describeStep(step, zone)).join('\n')}\nkept in ${file}\n`,
  );
}

async function playFresh(
  targets: Targets,
  engine: Engine,
  zone: string,
  steps: readonly Step[],
  onStep?: (step: number) => void,
): Promise<Failure | undefined> {
  const database = await makeDatabase(targets, engine, zone);
  try {
    return await playSteps(database, steps, onStep);
  } finally {
    await database.drop();
  }
}

/**
 * Shows how far the run is where a person watches; returns its rate and the time that is left, in
 * words.
 */
function progress(where: string, done: number, startedAt: number): string {
  const rate = done / ((performance.now() - startedAt) / 1000);
  const minutes = Math.ceil((total - first - done) / rate / 60);
  const words = `${rate.toFixed(1)} steps a second, ${minutes} min left`;
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[K${where === '' ? '' : `${where}, ${words}`}`);
  return words;
}
