/** The archive: the whole history as Parquet files, and as CSV in the layout of airquality.am. */
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { VARIABLE } from '../../base/variable.ts';
import { defineExtra, type Opened } from '../extra.ts';
import { archiveCommand } from './command.ts';
import type { ArchiveRuns } from './job.ts';

/** Where the archive is: as configured, else in the folder of the bundled database. */
function archiveFolder(
  { archiveDirectory }: { archiveDirectory?: string | undefined },
  dataFolder: string | undefined,
): string | undefined {
  if (archiveDirectory !== undefined) return resolve(archiveDirectory);
  return dataFolder === undefined ? undefined : join(dataFolder, 'archive');
}

export const archive = defineExtra({
  name: 'archive',
  variables: {
    archiveDirectory: z.string().optional().register(VARIABLE, {
      name: 'ARCHIVE_DIR',
      meaning:
        'where the worker makes the archive; unset: `archive` in `DATA_DIR` with the bundled database, else there is none',
    }),
    openDataLicense: z.string().optional().register(VARIABLE, {
      name: 'OPEN_DATA_LICENSE',
      meaning:
        'the text of the file `LICENSE` of the archive, such as `CC-BY-4.0`; unset: there is none',
    }),
  },
  commands({ program, run, settings, dataFolder }) {
    program.addCommand(
      archiveCommand(run, () => ({
        folder: archiveFolder(settings(), dataFolder()),
        license: settings().openDataLicense,
      })),
    );
  },
  async open({ settings, clock, log, dataFolder }) {
    const folder = archiveFolder(settings, dataFolder);
    const { addArchive, LINKS } = await import('./serve.ts');
    const routes: Opened['routes'] = (app, parts) => addArchive(app, folder, { parts, clock, log });
    if (folder === undefined) return { routes };
    const { DESCRIBED } = await import('./openapi.ts');
    let runs: ArchiveRuns | undefined;
    return {
      routes,
      offers: () => ({ links: LINKS, described: [DESCRIBED] }),
      async jobs({ target, timeZone, terminal }) {
        const { archiveRuns } = await import('./job.ts');
        const license = settings.openDataLicense;
        runs = archiveRuns({ target, folder, timeZone, clock, log, terminal, license });
        return runs.jobs;
      },
      begin: () => runs?.begin(),
      close: async () => await runs?.stop(),
    };
  },
});
