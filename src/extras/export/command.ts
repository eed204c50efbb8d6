/** The command that exports the published data as files. */
import { Command } from 'commander';
import { refresh } from '../../aggregate/refresh.ts';
import {
  type Context,
  type Outcome,
  type PeriodOptions,
  type Run,
  readPeriod,
  timeOption,
} from '../../commands/context.ts';
import { exportOpenData } from './exportOpenData.ts';
import { makeFolder } from './publishedFile.ts';

/**
 * Prints the number of lines by file, and which files changed. `license`: the text of
 * OPEN_DATA_LICENSE.
 */
export function exportCommand(run: Run, license: () => string | undefined): Command {
  return new Command('export')
    .description('export sensors, hours and days as open data (CSV)')
    .argument('<folder>', 'folder for the files; those whose content changed are replaced')
    .addOption(
      timeOption('--from <time>', 'leave files of earlier years as they are; no file is shortened'),
    )
    .addOption(timeOption('--to <time>', 'only hours and days that begin before this time'))
    .action((folder: string, options: PeriodOptions) =>
      run(
        (context) => exportFiles(context, folder, { ...options, license: license() }),
        // before the database is opened, which may take a while
        { check: () => makeFolder(folder) },
      ),
    );
}

async function exportFiles(
  context: Context,
  folder: string,
  { license, ...options }: PeriodOptions & { license: string | undefined },
): Promise<Outcome> {
  const { database, clock, installation, log, terminal } = context;
  const period = await readPeriod(context, options);
  await refresh(database.target, clock, context);
  const { timeZone } = installation;
  const result = await exportOpenData(database.target, folder, {
    timeZone,
    now: clock(),
    log,
    terminal,
    license,
    ...period,
  });
  return { result, ok: true };
}
