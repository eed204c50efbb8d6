/**
 * Exports the network's history as open data: sensors, and the hours and days of sensors, stations and cities, in airquality.am's CSV
 * layout. Each file is complete or absent, and all of them come from one snapshot of the database.
 */

import type { Log } from '../../base/log.ts';
import { makeProgress } from '../../base/progress.ts';
import { type DatabaseAddress, onConnection, type Sql } from '../../database/client.ts';
import { type Api, readsOn } from '../../database/pools.ts';
import { apiRows } from '../../database/queryPool.ts';
import { ahead, bucketRow, readBuckets, type Subjects, splitPeriod } from './aggregates.ts';
import { describeFolder } from './contents.ts';
import { csvLine } from './csv.ts';
import { fieldsOf, fileOf, LAYOUTS } from './layouts.ts';
import { makeFolder, publishFile } from './publishedFile.ts';
import { querySensors, SENSOR_FIELDS, SENSORS } from './sensors.ts';

/** Lines written by file name, without headers; and the names of the files whose content changed. */
type Exported = { files: Record<string, number>; rewritten: string[] };

type Options = {
  timeZone: string;
  now: Date;
  log: Log;
  terminal: boolean;
  /** The text of LICENSE; undefined: there is none. */
  license: string | undefined;
  /** Leaves files of earlier years alone; every file that is written is written from its beginning. */
  from?: Date | undefined;
  /** Only buckets that begin before. */
  to?: Date | undefined;
};

/**
 * Leaves out hidden stations, as all lists do (C6), and the current hour and day. Creates the folder if there is none, replaces files of
 * the same names where their content changed, and leaves others alone. Rejects with InputError if the folder cannot be written to.
 */
export async function exportOpenData(
  target: DatabaseAddress,
  folder: string,
  options: Options,
): Promise<Exported> {
  makeFolder(folder);
  const exported = await onConnection(
    target,
    { timeZone: options.timeZone, name: 'airseries export', role: 'airseries_reader' },
    async (connection) => {
      await connection`begin isolation level repeatable read read only`; // refreshes meanwhile do not show
      return exportTables(connection, folder, options);
    },
  );
  exported.rewritten.push(...(await describeFolder(folder, options)));
  return exported;
}

async function exportTables(connection: Sql, folder: string, options: Options): Promise<Exported> {
  const db = readsOn<Api>(connection);
  const current = apiRows('station_current', { at: options.now });
  const stations = await db
    .selectFrom(current.as('station'))
    .select('id')
    .where('is_listed', '=', true)
    .execute();
  const cities = await db
    .selectFrom('api.region')
    .select('slug')
    .where('kind', '=', 'city')
    .execute();
  const sensors = await querySensors(db, options.now);
  const subjects = {
    station_id: stations.map(({ id }) => id),
    region_slug: cities.map(({ slug }) => slug),
  };
  const exported = await exportAggregates(connection, folder, subjects, options);
  // last, when everything that refers to it is there
  exported.files[SENSORS] = sensors.length;
  const lines = [SENSOR_FIELDS.map(({ name }) => name), ...sensors].map(csvLine);
  if (await publishFile(folder, SENSORS, (write) => write(lines.join(''))))
    exported.rewritten.push(SENSORS);
  return exported;
}

async function exportAggregates(
  connection: Sql,
  folder: string,
  subjects: Subjects,
  options: Options,
): Promise<Exported> {
  const db = readsOn<Api>(connection);
  const tables = [];
  for (const layout of LAYOUTS)
    tables.push({ layout, parts: await splitPeriod(db, layout, options) });

  const exported: Exported = { files: {}, rewritten: [] };
  const progress = makeProgress('exporting', options.log, options.terminal);
  const total = tables.reduce((sum, { parts }) => sum + parts.length, 0);
  let [rows, done] = [0, 0];
  for (const { layout, parts } of tables) {
    // without buckets there is no year to name a file after, but the table of days is written, if empty
    const files = new Set(
      layout.unit === 'day' ? [fileOf(layout, '')] : parts.map(({ file }) => file),
    );
    for (const file of files) {
      const before = rows;
      const isChanged = await publishFile(folder, file, async (write) => {
        await write(csvLine(fieldsOf(layout).map(({ name }) => name)));
        for (const part of parts.filter((each) => each.file === file)) {
          for await (const buckets of ahead(
            readBuckets(connection, layout, part, { now: options.now, subjects }),
          )) {
            await write(buckets.map((bucket) => csvLine(bucketRow(layout, bucket))).join(''));
            rows += buckets.length;
            progress.show(rows, done / total);
          }
          done += 1;
        }
      });
      exported.files[file] = rows - before;
      if (isChanged) exported.rewritten.push(file);
    }
  }
  progress.hide();
  return exported;
}
