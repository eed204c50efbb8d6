/** Commands for the network: import it, export it, remove parts of it, and screen its stations. */
import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { Argument, Command } from 'commander';
import { refreshAndDigest } from '../aggregate/digest.ts';
import { refresh } from '../aggregate/refresh.ts';
import { whyUnreadable } from '../base/folder.ts';
import { InputError } from '../base/inputError.ts';
import { exportNetwork } from '../network/exportNetwork.ts';
import { checkNewNetwork, importNetwork } from '../network/importNetwork.ts';
import { REMOVABLE, type Removable, removeElement } from '../network/removeElement.ts';
import type { ProviderKeys, SourceForms } from '../network/schema.ts';
import { previewScreening, screen, screenedPeriods } from '../network/screening.ts';
import {
  type Context,
  checkBegun,
  type Outcome,
  type Run,
  timeOption,
  UsageError,
} from './context.ts';

type ImportOptions = { dryRun?: boolean };
/** Parts of the file that the core stores unread. */
type NetworkForms = { providerKeys: ProviderKeys; sources: SourceForms | undefined };

/**
 * Prints how many providers, regions, stations and sensors were added, changed, unchanged or not
 * listed.
 */
export function importNetworkCommand(
  run: Run,
  { providerKeys: keys, sources }: NetworkForms,
): Command {
  return new Command('network')
    .description(
      'import stations, sensors, regions and their periods; what the file does not list stays as it is',
    )
    .argument('<file>', 'the network as JSON; - for standard input')
    .option(
      '--dry-run',
      'show what would change, and how many hours would be recomputed; changes nothing',
    )
    .action((file: string, options: ImportOptions) => {
      const input = readOnce(file);
      run(
        async (context) =>
          await importFile(context, await input(), options, { providerKeys: keys, sources }),
        {
          makesDatabase: !options.dryRun,
          check: () => checkFile(file),
          zoneOfNew: async () => {
            const { text, name } = await input();
            return checkNewNetwork(text, name, keys, sources);
          },
        },
      );
    });
}

/** Throws InputError if it cannot be read. */
function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(file, whyUnreadable(error), 'Check its name and permissions.');
  }
}

/** Throws InputError if the file cannot be read, before a database is created. */
const checkFile = (file: string) => void (file === '-' || readFile(file));

type Input = { text: string; name: string };

/**
 * Returns a function that reads a file or standard input at its first call, with a name for
 * messages. Rejects with InputError.
 */
function readOnce(file: string): () => Promise<Input> {
  const read = async () =>
    file === '-'
      ? { text: await textOf(process.stdin), name: 'standard input' }
      : { text: readFile(file), name: file };
  let input: Promise<Input> | undefined;
  return () => (input ??= read());
}

async function importFile(
  context: Context,
  { text, name }: Input,
  { dryRun = false }: ImportOptions,
  forms: NetworkForms,
): Promise<Outcome> {
  const { database, as, clock, log } = context;
  const result = await as('airseries_owner', (sql) =>
    importNetwork(sql, text, { log, file: name, dryRun, ...forms }),
  );
  if (dryRun) return { result: { dry_run: true, ...result }, ok: true };
  await refreshAndDigest(database.target, clock, context);
  return { result, ok: true };
}

/** `network export` and `network remove`. */
export function networkCommand(run: Run): Command {
  return new Command('network')
    .description('export the network as a file, or remove parts of it')
    .addCommand(
      new Command('export')
        .description('print the network as a file; importing it changes nothing')
        .action(() =>
          run(async ({ as }) => ({
            result: await as('airseries_owner', exportNetwork),
            ok: true,
            table: null,
          })),
        ),
    )
    .addCommand(
      new Command('remove')
        .description(
          'remove a station, sensor, region or provider for good; refused while other records depend on it',
        )
        .addArgument(new Argument('<kind>', 'what to remove').choices(REMOVABLE))
        .argument('<id>', 'its id, or the slug of a region')
        .option(
          '--with-readings',
          'also delete its sensors and their readings, and for a provider its stations and tokens',
        )
        .action(
          (kind: Removable, id: string, { withReadings = false }: { withReadings?: boolean }) => {
            if (kind === 'region' && withReadings)
              throw new UsageError('a region has no readings of its own');
            run((context) => remove(context, kind, id, withReadings));
          },
        ),
    );
}

async function remove(
  context: Context,
  kind: Removable,
  id: string,
  withReadings: boolean,
): Promise<Outcome> {
  const { database, as, clock } = context;
  const removed = await as('airseries_owner', (sql) => removeElement(sql, kind, id, withReadings));
  await refreshAndDigest(database.target, clock, context);
  return { result: { removed }, ok: true };
}

/** Prints how many flags were raised and lifted, and all flagged periods. */
export function screenCommand(run: Run): Command {
  return new Command('screen')
    .description(
      'flag stations with implausible temperature, humidity or pressure, or suspect PM, and list the flags',
    )
    .addOption(timeOption('--from <time>', 'screen readings from here on (default: 8 days ago)'))
    .option('--dry-run', 'list the flags that there would be, and change nothing')
    .action((options: ScreenOptions) => run((context) => screenStations(context, options)));
}

type ScreenOptions = { from?: string; dryRun?: true };

async function screenStations(context: Context, { from, dryRun }: ScreenOptions): Promise<Outcome> {
  const { database, installation, clock, instant } = context;
  const since = await instant(from);
  checkBegun(since, clock());
  await refresh(database.target, clock, context);
  if (dryRun)
    return {
      result: await previewScreening(database.target, clock(), since, installation.timeZone),
      ok: true,
    };
  const screened = await screen(database.target, clock(), since);
  await refresh(database.target, clock, context);
  return {
    result: { ...screened, flagged: await screenedPeriods(database.target, installation.timeZone) },
    ok: true,
  };
}
