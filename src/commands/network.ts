/** Commands for the network: import it, export it, remove parts of it, screen its stations. */
import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { Argument, Command } from 'commander';
import { hasDemo } from '../demo/lifecycle.ts';
import { InputError } from '../inputError.ts';
import { exportNetwork } from '../network/exportNetwork.ts';
import { importNetwork } from '../network/importNetwork.ts';
import { importSensorList } from '../network/importSensorList.ts';
import { REMOVABLE, type Removable, removeElement } from '../network/removeElement.ts';
import { screen, screenedPeriods } from '../network/screening.ts';
import { refreshAndDigest } from '../rollups/digest.ts';
import { refresh } from '../rollups/refresh.ts';
import { AIRSERIES } from '../shell.ts';
import { type Context, checkBegun, type Outcome, type Run, timeOption, UsageError } from './context.ts';

type ImportOptions = { dryRun?: true; fromSensors?: true };

/** Prints how many providers, regions, stations and sensors were added, changed, unchanged or not listed. Refuses a demo database. */
export function importNetworkCommand(run: Run): Command {
  return new Command('network')
    .description('import stations, sensors, regions and their periods; what the file does not list stays as it is')
    .argument('<file>', 'the network as JSON; - for standard input')
    .option('--from-sensors', 'the file is sensors.csv of open data instead: one line per sensor')
    .option('--dry-run', 'show what would change, and how many hours would be recomputed; changes nothing')
    .action((file: string, options: ImportOptions) =>
      run((context) => importFile(context, file, options), {
        makesDatabase: !options.dryRun,
        check: () => void (file === '-' || readNetworkFile(file)), // before a database is made for it
      }),
    );
}

/** Throws InputError if it cannot be read. */
function readNetworkFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(file, (error as Error).message, 'Check its name and permissions.');
  }
}

async function importFile(context: Context, file: string, options: ImportOptions): Promise<Outcome> {
  const { database, as, clock, log, installation } = context;
  const { fromSensors, dryRun = false } = options;
  const text = file === '-' ? await textOf(process.stdin) : readNetworkFile(file);
  await refuseDemo(context);
  const name = file === '-' ? 'standard input' : file;
  const { timeZone } = installation;
  const result = await as('airseries_owner', (sql) =>
    fromSensors
      ? importSensorList(sql, text, { name, timeZone, log, dryRun })
      : importNetwork(sql, text, { log, file: name, dryRun }),
  );
  if (dryRun) return { result: { dry_run: true, ...result }, ok: true };
  await refreshAndDigest(database.target, clock, context);
  return { result, ok: true };
}

async function refuseDemo({ database }: Context): Promise<void> {
  if (await hasDemo(database.target)) {
    throw new Error(`This database contains the demo network. Remove it first: ${AIRSERIES} demo --remove`);
  }
}

/** `network export` and `network remove`. */
export function networkCommand(run: Run): Command {
  return new Command('network')
    .description('export the network as a file, or remove parts of it')
    .addCommand(
      new Command('export')
        .description('print the network as a file; importing it changes nothing')
        .action(() =>
          run(async ({ as }) => ({ result: await as('airseries_owner', exportNetwork), ok: true, table: null })),
        ),
    )
    .addCommand(
      new Command('remove')
        .description('remove a station, sensor, region or provider for good; refused while other records depend on it')
        .addArgument(new Argument('<kind>', 'what to remove').choices(REMOVABLE))
        .argument('<id>', 'its id, or the slug of a region')
        .option('--with-readings', 'delete its sensors, their readings and, of a provider, its stations and tokens too')
        .action((kind: Removable, id: string, { withReadings = false }: { withReadings?: boolean }) => {
          if (kind === 'region' && withReadings) throw new UsageError('a region has no readings of its own');
          run((context) => remove(context, kind, id, withReadings));
        }),
    );
}

async function remove(context: Context, kind: Removable, id: string, withReadings: boolean): Promise<Outcome> {
  const { database, as, clock } = context;
  await refuseDemo(context);
  const removed = await as('airseries_owner', (sql) => removeElement(sql, kind, id, withReadings));
  await refreshAndDigest(database.target, clock, context);
  return { result: { removed }, ok: true };
}

/** Prints how many flags were raised and lifted, and all flagged periods. */
export function screenCommand(run: Run): Command {
  return new Command('screen')
    .description('flag stations with implausible temperature, humidity or pressure, and list the flags')
    .addOption(timeOption('--from <time>', 'screen readings from here on (default: 8 days ago)'))
    .action(({ from }: { from?: string }) => run((context) => screenStations(context, from)));
}

async function screenStations(context: Context, from?: string): Promise<Outcome> {
  const { database, installation, clock, instant } = context;
  const since = await instant(from);
  checkBegun(since, clock());
  await refresh(database.target, clock(), context);
  const screened = await screen(database.target, clock(), since);
  await refresh(database.target, clock(), context);
  return { result: { ...screened, flagged: await screenedPeriods(database.target, installation.timeZone) }, ok: true };
}
