/** Commands for imported files: list them, and take one back. */
import { Command } from 'commander';
import { refreshAndDigest } from '../aggregate/digest.ts';
import { listImports, undoImport } from '../ingest/store/imports.ts';
import { type Context, type Outcome, type Run, wholeNumber } from './context.ts';
import { type Column, resultTable, tableOf } from './table.ts';

/** `imports`, and `imports undo N`. */
export function importsCommand(run: Run): Command {
  return new Command('imports')
    .description('list imported files, newest first, or undo one')
    .option('--limit <n>', 'number of files to show', wholeNumber(999_999), 20)
    .action(({ limit }: { limit: number }) => run((context) => list(context, limit)))
    .addCommand(
      new Command('undo')
        .description(
          'withdraw the values that a file added, and put back those that it replaced or withdrew; values changed since by another source stay',
        )
        .argument('<number>', 'number of the import', wholeNumber(2_147_483_647))
        .action((number: number) => run((context) => undo(context, number))),
    );
}

type Listed = Awaited<ReturnType<typeof listImports>>[number];

const COLUMNS: readonly Column<Listed>[] = [
  ['no.', ({ number }) => number],
  ['imported', ({ imported_at }) => `${imported_at.slice(0, 10)} ${imported_at.slice(11, 16)}`],
  ['file', ({ source }) => source],
  ['source', ({ source_name }) => source_name],
  ['accepted', ({ accepted }) => accepted],
  ['replaced', ({ replaced }) => replaced],
  ['withdrawn', ({ withdrawn }) => withdrawn],
  ['from', ({ oldest }) => oldest?.slice(0, 10) ?? null],
  ['to', ({ newest }) => newest?.slice(0, 10) ?? null],
  ['state', ({ state }) => state],
];

async function list({ as }: Context, limit: number): Promise<Outcome> {
  const imports = await as('airseries_owner', (sql) => listImports(sql, limit));
  const text = (width: number) =>
    imports.length === 0 ? 'No file has been imported.' : tableOf(imports, COLUMNS, width);
  return { result: imports, ok: true, table: text };
}

async function undo(context: Context, number: number): Promise<Outcome> {
  const { database, as, clock } = context;
  const undone = await as('airseries_ingest', (sql) => undoImport(sql, number, clock()));
  await refreshAndDigest(database.target, clock, context);
  return { result: undone, ok: true, table: (width) => resultTable(undone, width) };
}
