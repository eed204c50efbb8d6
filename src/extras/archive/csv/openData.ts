/**
 * Writes the history as CSV in the layout of airquality.am: sensors, and the hours and days of
 * sensors, stations and cities. The server writes the lines of each file by COPY.
 */
import { join } from 'node:path';
import type { Sql } from '../../../database/client.ts';
import { copyCsv } from '../copyOut.ts';
import { publishFile } from '../publishedFile.ts';
import { filesOf } from './aggregates.ts';
import { describeFolder } from './contents.ts';
import { keptLines } from './keptLines.ts';
import { LAYOUTS } from './layouts.ts';
import { SENSORS, selectSensors } from './sensors.ts';

type Options = {
  timeZone: string;
  now: Date;
  /** The text of LICENSE; undefined: there is none. */
  license: string | undefined;
  /**
   * A local time such as `2026-11-01 00:00:00`: files of earlier years are left alone, and earlier
   * lines of the others are kept. undefined: everything is written.
   */
  from: string | undefined;
  /** True if a file has all that the last run wrote. */
  isWhole(name: string): Promise<boolean>;
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
  const { from, now, signal } = options;
  const files = [];
  for (const layout of LAYOUTS) files.push(...(await filesOf(connection, layout, options)));
  // last, when everything that refers to it is there
  files.push({ name: SENSORS, since: '', select: () => selectSensors(now) });
  let lines = 0;
  for (const [done, { name, since, select }] of files.entries()) {
    const isLater = from !== undefined && name !== SENSORS && since < from;
    const kept = isLater && (await options.isWhole(name)) ? from : undefined;
    await publishFile(folder, name, async (write) => {
      const writeUnlessAborted = async (chunk: Buffer) => {
        signal?.throwIfAborted();
        await write(chunk);
      };
      if (kept !== undefined)
        for await (const chunk of keptLines(join(folder, name), kept))
          await writeUnlessAborted(chunk);
      lines += await copyCsv(connection, select(kept ?? since), writeUnlessAborted, {
        hasHeader: kept === undefined,
        onLines: (written) => options.onLines(lines + written, done / files.length),
      });
    });
  }
  await describeFolder(folder, options);
}
