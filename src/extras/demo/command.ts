/** The command that loads the demo network and removes it, and the guard that keeps an operator's network out of a demo database. */
import { Command } from 'commander';
import { refreshAndDigest } from '../../aggregate/digest.ts';
import { refresh } from '../../aggregate/refresh.ts';
import { AIRSERIES } from '../../base/shell.ts';
import type { Context, Outcome, Run } from '../../commands/context.ts';
import { type DemoSetting, hasDemo, loadDemo, loadDemoHistory, removeDemo } from './lifecycle.ts';

/** Rejects, with the remedy, if the database contains the demo network. */
export async function refuseDemo({ database }: Context): Promise<void> {
  if (await hasDemo(database.target)) {
    throw new Error(
      `This database contains the demo network. Remove it first: ${AIRSERIES} demo --remove`,
    );
  }
}

/** Loads into the embedded server, or into any empty database with DEMO=on. */
export function demoCommand(run: Run, setting: () => DemoSetting): Command {
  return new Command('demo')
    .description('load the demo network into an empty database')
    .option('--remove', 'remove the demo network instead; it is not loaded again')
    .action(({ remove }: { remove?: true }) =>
      remove
        ? run(runRemove)
        : run((context) => runLoad(context, setting()), { makesDatabase: true }),
    );
}

async function runLoad(
  { database, installation, clock, log, terminal }: Context,
  setting: DemoSetting,
): Promise<Outcome> {
  if (!database.embedded && setting !== 'on') {
    throw new Error(
      'This is not the embedded server. To load the demo network into this database, set DEMO=on.',
    );
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
