/** The command that makes or completes the archive. */
import { Command } from 'commander';
import { refresh } from '../../aggregate/refresh.ts';
import { InputError } from '../../base/inputError.ts';
import { type Context, type Outcome, type Run, UsageError } from '../../commands/context.ts';
import { makeFolder } from './publishedFile.ts';

/** `settings`: the folder and the licence, as configured. */
export function archiveCommand(
  run: Run,
  settings: () => { folder: string | undefined; license: string | undefined },
): Command {
  return new Command('archive')
    .description('make or complete the archive: the whole history as Parquet files')
    .argument('[folder]', 'folder for the files (default: ARCHIVE_DIR)')
    .action((given: string | undefined) => {
      const folderOf = () => {
        const folder = given ?? settings().folder;
        if (folder === undefined) throw new UsageError('name a folder, or set ARCHIVE_DIR');
        return folder;
      };
      run((context) => archive(context, folderOf(), settings().license), {
        // before the database is opened, which may take a while
        check: () => makeFolder(folderOf()),
      });
    });
}

/** Prints which files changed or are new, and which went. */
async function archive(
  context: Context,
  folder: string,
  license: string | undefined,
): Promise<Outcome> {
  const { database, clock, installation, log, terminal } = context;
  await refresh(database.target, clock, context);
  const { timeZone } = installation;
  const { makeArchive } = await import('./makeArchive.ts'); // 27 ms of each command's start
  const options = { folder, timeZone, now: clock(), log, terminal, license };
  const result = await makeArchive(database.target, options);
  if (result === undefined)
    throw new InputError(
      'archive',
      'another session is making an archive from this database',
      'Wait until it has finished, and run it again.',
    );
  return { result, ok: true };
}
