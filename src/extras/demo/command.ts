/**
 * The command that loads the demo network; and what keeps an operator's network out of a demo
 * database, or has the database made again.
 */
import { Command, Option } from 'commander';
import { refreshAndDigest } from '../../aggregate/digest.ts';
import { AIRSERIES } from '../../base/shell.ts';
import type { Context, Outcome, Precaution, Run, Settings } from '../../commands/context.ts';
import { type DemoSetting, fillDemo, hasDemo, installDemo } from './demo.ts';
import { clearDemo } from './replace.ts';

/** Rejects, with a remedy, where an operator's network would get into a demo database. */
export async function refuseDemo({ database }: Context): Promise<void> {
  if (!(await hasDemo(database.target))) return;
  throw new Error(
    'This database contains the demo network. To make the database again with your own, in its time zone: ' +
      `${AIRSERIES} import network FILE --replace-demo. Nothing of the demo is kept.`,
  );
}

/**
 * Adds the option to `import network`. Returns what drops a demo database for it, once the zone of
 * the new one is known.
 */
export function addReplaceOption(command: Command): Required<Precaution>['beforeMigrations'] {
  const option = new Option(
    '--replace-demo',
    'make a database with the demo network again, in the time zone of the file; nothing else that it contains is kept',
  ).conflicts('dryRun');
  command.addOption(option);
  return async (sql, zone) => {
    if (command.opts().replaceDemo === true) await clearDemo(sql, zone);
  };
}

/** Loads into the embedded server, or into any empty database with DEMO=on. */
export function demoCommand(run: Run, setting: () => DemoSetting): Command {
  return new Command('demo')
    .description('load the demo network into an empty database')
    .action(() => {
      // before the database is made: its time zone would be fixed
      const check = ({ databaseUrl }: Settings) => {
        if (databaseUrl === undefined || setting() === 'on') return;
        throw new Error(
          'This is not the embedded server. To load the demo network into this database, set DEMO=on.',
        );
      };
      run(load, { check, makesDatabase: true });
    });
}

async function load({ database, installation, clock, log, terminal }: Context): Promise<Outcome> {
  const options = { timeZone: installation.timeZone, clock, log, terminal };
  await installDemo(database.target, options);
  await fillDemo(database.target, options);
  await refreshAndDigest(database.target, clock, { log, terminal });
  return { result: { loaded: true }, ok: true };
}
