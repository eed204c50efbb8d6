/**
 * The command that loads the demo network, and the guard that keeps an operator's network out of a
 * demo database, or makes the database again.
 */
import { Command, Option } from 'commander';
import { refreshAndDigest } from '../../aggregate/digest.ts';
import { AIRSERIES } from '../../base/shell.ts';
import type { Context, Outcome, Run, Settings } from '../../commands/context.ts';
import type { Guard } from '../../commands/network.ts';
import { type DemoSetting, fillDemo, hasDemo, installDemo, isDemo } from './demo.ts';
import { clearDemo } from './replace.ts';

export const demoGuard: Guard = {
  async check({ database }) {
    if (!(await hasDemo(database.target))) return;
    throw new Error(
      'This database contains the demo network. To make the database again with your own, in its time zone: ' +
        `${AIRSERIES} import network FILE --replace-demo. Nothing of the demo is kept.`,
    );
  },
  option: new Option(
    '--replace-demo',
    'make a database with the demo network again, in the time zone of the file; nothing else that it contains is kept',
  ),
  holds: isDemo,
  clear: clearDemo,
};

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
