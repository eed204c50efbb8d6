/** The command for the demo network: load or remove it. */
import { Command } from 'commander';
import { loadDemo, loadDemoHistory, removeDemo } from '../demo/lifecycle.ts';
import { refreshAndDigest } from '../rollups/digest.ts';
import { refresh } from '../rollups/refresh.ts';
import type { Context, Outcome, Run } from './context.ts';

/** Loads into the embedded server, or into any empty database with DEMO=on. */
export function demoCommand(run: Run): Command {
  return new Command('demo')
    .description('load the demo network into an empty database')
    .option('--remove', 'remove the demo network instead; it is not loaded again')
    .action(({ remove }: { remove?: true }) => (remove ? run(runRemove) : run(runLoad, { makesDatabase: true })));
}

async function runLoad({ database, config, installation, clock, log, terminal }: Context): Promise<Outcome> {
  if (!database.embedded && config.demo !== 'on') {
    throw new Error('This is not the embedded server. To load the demo network into this database, set DEMO=on.');
  }
  const options = { timeZone: installation.timeZone, clock, log, terminal };
  await loadDemo(database.target, options);
  await loadDemoHistory(database.target, options);
  await refreshAndDigest(database.target, clock, { log, terminal });
  return { result: { loaded: true }, ok: true };
}

async function runRemove({ database, clock, log, terminal }: Context): Promise<Outcome> {
  const removed = await removeDemo(database.target);
  await refresh(database.target, clock(), { log, terminal });
  return { result: { removed }, ok: true };
}
