/**
 * `npm run sim -- --steps N --seed S [--zone Z]`: runs the simulation with N steps on every engine of this machine; a seed always gives the
 * same steps. A failure is shrunk to a few steps and added to the corpus, which `npm test` plays from then on.
 */
import { parseArgs } from 'node:util';
import type { Engine } from '../../src/schema/aggregates.ts';
import { makeDatabase } from '../support/makeDatabase.ts';
import { openServers, type Targets } from '../support/servers.ts';
import { ZONES } from './axes.ts';
import { writeCase } from './corpus.ts';
import { type Failure, playSteps } from './run.ts';
import { shrink } from './shrink.ts';
import { describeStep, makeSteps, type Step } from './steps.ts';

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '2000' }, seed: { type: 'string' }, zone: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const zones = values.zone === undefined ? ZONES : [values.zone];
const stepsPerZone = Math.ceil(Number(values.steps) / zones.length);

const servers = await openServers();
try {
  for (const zone of zones) {
    for (const engine of Object.keys(servers.targets) as Engine[]) await runOne(servers.targets, engine, zone);
  }
} finally {
  await servers.close();
}

async function runOne(targets: Targets, engine: Engine, zone: string): Promise<void> {
  const steps = makeSteps(zone, seed, stepsPerZone);
  const name = `seed ${seed}, ${zone}, ${engine}`;
  const failure = await playFresh(targets, engine, zone, steps, (step) =>
    progress(`${name}: step ${step} of ${steps.length}`),
  );
  progress('');
  if (failure === undefined) {
    process.stdout.write(`${name}: ${steps.length} steps, all buckets correct\n`);
    return;
  }
  process.stdout.write(`${name}: FAILED after step ${failure.step}\n${failure.what}\nshrinking …\n`);
  const fails = async (some: readonly Step[]) => (await playFresh(targets, engine, zone, some)) !== undefined;
  const short = await shrink(steps.slice(0, failure.step + 1), fails);
  const file = writeCase(`${engine}-seed-${seed}`, { zone, why: `found by seed ${seed} on ${engine}`, steps: short });
  process.stdout.write(`${short.map((step) => describeStep(step, zone)).join('\n')}\nkept in ${file}\n`);
  process.exitCode = 1;
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

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
