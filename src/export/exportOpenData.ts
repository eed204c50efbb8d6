/**
 * The history of the network as files for people who work with tables: the published hours and days of stations and cities, in the
 * layout of airquality.am. Each file is whole or not there, and all of them are of one moment.
 */

import { type DatabaseAddress, onConnection, type Sql } from '../database/client.ts';
import { type Api, type ApiDb, apiRows, readsOn } from '../database/pools.ts';
import type { Log } from '../log.ts';
import { makeProgress } from '../progress.ts';
import { type AggregateFiles, bucketsOf, inBatches, makeAggregateFiles, planPieces } from './aggregates.ts';
import { askSensors, openCsvFile } from './csvFile.ts';
import { LAYOUTS, type Layout, SENSOR_COLUMNS } from './layouts.ts';

type Options = {
  timeZone: string;
  now: Date;
  log: Log;
  terminal: boolean;
  /** Only buckets that begin at or after the one, and before the other. */
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Lines written by file, headers not counted. */
export type Exported = { files: Record<string, number> };

/**
 * Hidden stations are left out, as they are of every list (C6), and so are the running hour and day. The folder is made if there is
 * none; files of the same names are replaced, others left alone.
 */
export async function exportOpenData(target: DatabaseAddress, folder: string, options: Options): Promise<Exported> {
  const { timeZone, now } = options;
  const files: Record<string, number> = {};
  const sensors = await openCsvFile(folder, 'sensors.csv', SENSOR_COLUMNS); // first: it shows whether the folder will do
  try {
    return await onConnection(target, { timeZone, name: 'airseries export', role: 'airseries_reader' }, async (sql) => {
      await sql`begin isolation level repeatable read read only`; // what is computed meanwhile does not show
      const db = readsOn<Api>(sql);
      const stations = await exportAggregates(sql, db, folder, files, options);
      const rows = await askSensors(db, now, stations);
      await sensors.write(rows);
      await sensors.keep();
      return { files: { 'sensors.csv': rows.length, ...files } };
    });
  } catch (error) {
    await sensors.discard();
    throw error;
  }
}

/** Returns the stations that are in the files. */
async function exportAggregates(
  sql: Sql,
  db: ApiDb,
  folder: string,
  counts: Record<string, number>,
  options: Options,
): Promise<number[]> {
  const current = apiRows('station_current', { at: options.now });
  const stations = await db.selectFrom(current.as('station')).select('id').where('is_listed', '=', true).execute();
  const cities = await db.selectFrom('api.region').select('slug').where('kind', '=', 'city').execute();
  const ids = stations.map(({ id }) => id);
  const places = { station_id: ids, region_slug: cities.map(({ slug }) => slug) };
  const work = [];
  for (const layout of LAYOUTS) work.push({ layout, pieces: await planPieces(db, layout, options) });

  const sizeOf = ({ place }: Layout) => places[place.source].length;
  const all = work.reduce((sum, { layout, pieces }) => sum + sizeOf(layout) * pieces.length, 0);
  const progress = makeProgress('exporting', options.log, options.terminal);
  let [rows, done] = [0, 0];
  for (const { layout, pieces } of work) {
    await withFiles(makeAggregateFiles(folder, layout, counts), async (files) => {
      for (const piece of pieces) {
        const buckets = bucketsOf(db, layout, piece, places[layout.place.source]);
        for await (const batch of inBatches(sql, buckets)) {
          await files.write(batch);
          rows += batch.length;
          progress.show(rows, done / all);
        }
        done += sizeOf(layout);
      }
    });
  }
  progress.hide();
  return ids;
}

async function withFiles(files: AggregateFiles, work: (files: AggregateFiles) => Promise<void>): Promise<void> {
  try {
    await work(files);
    await files.keep();
  } catch (error) {
    await files.discard();
    throw error;
  }
}
