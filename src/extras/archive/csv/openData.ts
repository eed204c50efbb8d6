/**
 * Exports the network's history as open data: sensors, and the hours and days of sensors, stations
 * and cities, in airquality.am's CSV layout. The server writes the lines of each file by COPY. Each
 * file is complete or absent, and all of them come from one snapshot of the database.
 */

import type { Log } from '../../base/log.ts';
import { makeProgress } from '../../base/progress.ts';
import type { DatabaseAddress } from '../../database/address.ts';
import { onConnection, type Sql } from '../../database/client.ts';
import { type ExportedFile, filesOf } from './aggregates.ts';
import { describeFolder } from './contents.ts';
import { copyCsv } from './copyOut.ts';
import { LAYOUTS } from './layouts.ts';
import { makeFolder, publishFile } from './publishedFile.ts';
import { SENSORS, selectSensors } from './sensors.ts';

/**
 * Lines written by file name, without headers; and the names of the files whose content changed.
 */
type Exported = { files: Record<string, number>; rewritten: string[] };

type Options = {
  timeZone: string;
  now: Date;
  log: Log;
  terminal: boolean;
  /** The text of LICENSE; undefined: there is none. */
  license: string | undefined;
  /**
   * Leaves files of earlier years alone; every file that is written is written from its beginning.
   */
  from?: Date | undefined;
  /** Only buckets that begin before. */
  to?: Date | undefined;
};

/**
 * Leaves out hidden stations, as all lists do (C6), and the current hour and day. Creates the
 * folder if there is none, replaces files of the same names where their content changed, and leaves
 * others alone. Rejects with InputError if the folder cannot be written to.
 */
export async function exportOpenData(
  target: DatabaseAddress,
  folder: string,
  options: Options,
): Promise<Exported> {
  makeFolder(folder);
  return await onConnection(
    target,
    { timeZone: options.timeZone, name: 'airseries export', role: 'airseries_reader' },
    async (connection) => {
      // refreshes meanwhile do not show
      await connection`begin isolation level repeatable read read only`;
      return exportFrom(connection, folder, options);
    },
  );
}

/** As `exportOpenData`, on a connection with a snapshot of its own, in the zone of the network. */
export async function exportFrom(
  connection: Sql,
  folder: string,
  options: Options,
): Promise<Exported> {
  makeFolder(folder);
  const exported = await exportFiles(connection, folder, options);
  exported.rewritten.push(...(await describeFolder(folder, options)));
  return exported;
}

async function exportFiles(connection: Sql, folder: string, options: Options): Promise<Exported> {
  const files: ExportedFile[] = [];
  for (const layout of LAYOUTS) files.push(...(await filesOf(connection, layout, options)));
  // last, when everything that refers to it is there
  files.push({ name: SENSORS, select: selectSensors(options.now) });

  const exported: Exported = { files: {}, rewritten: [] };
  const progress = makeProgress('exporting', options.log, options.terminal);
  let rows = 0;
  for (const [done, { name, select }] of files.entries()) {
    let lines = 0;
    const { isChanged } = await publishFile(folder, name, async (write) => {
      lines = await copyCsv(connection, select, write, (written) =>
        progress.show(rows + written, done / files.length),
      );
    });
    rows += lines;
    exported.files[name] = lines;
    if (isChanged) exported.rewritten.push(name);
  }
  progress.hide();
  return exported;
}
