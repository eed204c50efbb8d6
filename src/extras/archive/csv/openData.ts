/**
 * Writes the history as CSV in the layout of airquality.am: sensors, and the hours and days of
 * sensors, stations and cities. The server writes the lines of each file by COPY.
 */
import type { Sql } from '../../../database/client.ts';
import { copyCsv } from '../copyOut.ts';
import { publishFile } from '../publishedFile.ts';
import { type CsvFile, filesOf } from './aggregates.ts';
import { describeFolder } from './contents.ts';
import { LAYOUTS } from './layouts.ts';
import { SENSORS, selectSensors } from './sensors.ts';

type Options = {
  timeZone: string;
  now: Date;
  /** The text of LICENSE; undefined: there is none. */
  license: string | undefined;
  /** Leaves files of earlier years alone; every file that is written is written from its beginning. */
  from: Date | undefined;
  /** Ends between two pieces of a file. */
  signal?: AbortSignal | undefined;
  /** Is told how many lines have been written, and which part of the files is there. */
  onLines(lines: number, done: number): void;
};

/**
 * Leaves out hidden stations, as all lists do (C6), and the current hour and day. Replaces files of
 * the same names where their content changed, and leaves others alone. `connection`: with a snapshot
 * of its own, in the zone of the network.
 */
export async function writeOpenData(
  connection: Sql,
  folder: string,
  options: Options,
): Promise<void> {
  const files: CsvFile[] = [];
  for (const layout of LAYOUTS) files.push(...(await filesOf(connection, layout, options)));
  // last, when everything that refers to it is there
  files.push({ name: SENSORS, select: selectSensors(options.now) });
  let lines = 0;
  for (const [done, { name, select }] of files.entries())
    await publishFile(folder, name, async (write) => {
      lines += await copyCsv(
        connection,
        select,
        async (chunk) => {
          options.signal?.throwIfAborted();
          await write(chunk);
        },
        (written) => options.onLines(lines + written, done / files.length),
      );
    });
  await describeFolder(folder, options);
}
