/** Commands for the network: import it, screen its stations, load or remove the demo. */
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { hasDemo, loadDemo, loadDemoHistory, removeDemo } from '../demo/lifecycle.ts';
import { importNetwork } from '../network/importNetwork.ts';
import { screen, screenedPeriods } from '../network/screening.ts';
import { makeDigest, refresh } from '../rollups/refresh.ts';
import { type Context, type Outcome, type Run, TIMES, timeOption } from './context.ts';

/** Prints how many providers, regions, stations and sensors were added, changed, unchanged or not listed. Refuses a demo database. */
export function importNetworkCommand(run: Run): Command {
  return new Command('network')
    .description('import stations, sensors, regions and their periods; what the file does not list stays as it is')
    .argument('<file>', 'the network as JSON')
    .action((file: string) => run((context) => importFile(context, file)));
}

async function importFile({ database, as, clock, log }: Context, file: string): Promise<Outcome> {
  const text = await readFile(file, 'utf8');
  if (await hasDemo(database.target)) {
    throw new Error('This database contains the demo network. Remove it first: npm run -s cli -- demo --remove');
  }
  const result = await as('airseries_owner', (sql) => importNetwork(sql, text, { log }));
  await refresh(database.target, clock());
  return { result, ok: true };
}

/** Prints how many flags were raised and lifted, and all flagged periods. */
export function screenCommand(run: Run): Command {
  return new Command('screen')
    .description('flag stations with implausible temperature, humidity or pressure, and list the flags')
    .addOption(timeOption('--from <time>', 'screen readings from here on (default: 8 days ago)'))
    .addHelpText('after', TIMES)
    .action(({ from }: { from?: string }) => run((context) => screenStations(context, from)));
}

async function screenStations({ database, installation, clock, instant }: Context, from?: string): Promise<Outcome> {
  await refresh(database.target, clock());
  const screened = await screen(database.target, clock(), await instant(from));
  await refresh(database.target, clock());
  return { result: { ...screened, flagged: await screenedPeriods(database.target, installation.timeZone) }, ok: true };
}

/** Loads into the embedded server, or into any empty database with DEMO=on. */
export function demoCommand(run: Run): Command {
  return new Command('demo')
    .description('load the demo network into an empty database')
    .option('--remove', 'remove the demo network instead; it is not loaded again')
    .action(({ remove }: { remove?: true }) => run(remove ? runRemove : runLoad));
}

async function runLoad({ database, config, installation, clock, log, terminal }: Context): Promise<Outcome> {
  if (!database.embedded && config.demo !== 'on') {
    throw new Error('This is not the embedded server. To load the demo network into this database, set DEMO=on.');
  }
  await loadDemo(database.target, { timeZone: installation.timeZone, now: clock(), log, terminal });
  await loadDemoHistory(database.target, { now: clock(), log, terminal });
  await refresh(database.target, clock());
  await makeDigest(database.target, clock());
  return { result: { loaded: true }, ok: true };
}

async function runRemove({ database, clock }: Context): Promise<Outcome> {
  const removed = await removeDemo(database.target);
  await refresh(database.target, clock());
  return { result: { removed }, ok: true };
}
