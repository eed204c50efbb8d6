/**
 * Exports the network's history as open data: sensors, and the hours and days of sensors, stations and cities, in airquality.am's CSV
 * layout. Each file is complete or absent, and all of them come from one snapshot of the database.
 */
import { type DatabaseAddress, onConnection, type Sql } from '../database/client.ts';
import { type Api, type ApiDb, readsOn } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';
import type { Log } from '../log.ts';
import { makeProgress } from '../progress.ts';
import {
  type AggregateFiles,
  bucketsQuery,
  type Exported,
  inBatches,
  makeAggregateFiles,
  type Subjects,
  splitPeriod,
} from './aggregates.ts';
import { describeFolder } from './contents.ts';
import { type CsvFile, openCsvFile } from './csvFile.ts';
import { LAYOUTS, type Layout } from './layouts.ts';
import { makeFolder } from './publishedFile.ts';
import { querySensors, SENSOR_FIELDS, SENSORS } from './sensors.ts';

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
export async function exportOpenData(target: DatabaseAddress, folder: string, options: Options): Promise<Exported> {
  const { timeZone } = options;
  makeFolder(folder);
  const sensors = await openCsvFile(
    folder,
    SENSORS,
    SENSOR_FIELDS.map(({ name }) => name),
  );
  try {
    const exported = await onConnection(
      target,
      { timeZone, name: 'airseries export', role: 'airseries_reader' },
      async (connection) => {
        await connection`begin isolation level repeatable read read only`; // refreshes meanwhile do not show
        return exportTables(connection, folder, sensors, options);
      },
    );
    exported.rewritten.push(...(await describeFolder(folder, options)));
    return exported;
  } catch (error) {
    await sensors.discard();
    throw error;
  }
}

/** `sensors` is committed last, when everything that refers to it is there. */
async function exportTables(connection: Sql, folder: string, sensors: CsvFile, options: Options): Promise<Exported> {
  const db = readsOn<Api>(connection);
  const current = apiRows('station_current', { at: options.now });
  const stations = await db.selectFrom(current.as('station')).select('id').where('is_listed', '=', true).execute();
  const cities = await db.selectFrom('api.region').select('slug').where('kind', '=', 'city').execute();
  const ids = stations.map(({ id }) => id);
  const lines = await querySensors(db, options.now, ids);
  await sensors.write(lines.map(({ row }) => row));

  const exported: Exported = { files: { [SENSORS]: lines.length }, rewritten: [] };
  const subjects = {
    sensor_id: lines.map(({ id }) => id),
    station_id: ids,
    region_slug: cities.map(({ slug }) => slug),
  };
  await exportAggregates(connection, db, folder, { exported, subjects, options });
  if (await sensors.commit()) exported.rewritten.push(SENSORS);
  return exported;
}

type Work = { exported: Exported; subjects: Subjects; options: Options };

async function exportAggregates(connection: Sql, db: ApiDb, folder: string, work: Work): Promise<void> {
  const { exported, subjects, options } = work;
  const parts = [];
  for (const layout of LAYOUTS) parts.push({ layout, ranges: await splitPeriod(db, layout, options) });

  const sizeOf = ({ subject, rangeBuckets }: Layout) => subjects[subject.source].length * rangeBuckets;
  const all = parts.reduce((sum, { layout, ranges }) => sum + sizeOf(layout) * ranges.length, 0);
  const progress = makeProgress('exporting', options.log, options.terminal);
  let [rows, done] = [0, 0];
  for (const { layout, ranges } of parts) {
    await withFiles(makeAggregateFiles(folder, layout, exported), async (files) => {
      for (const range of ranges) {
        const query = bucketsQuery(db, layout, range, { now: options.now, subjects });
        for await (const batch of inBatches(connection, query)) {
          await files.write(batch);
          rows += batch.length;
          progress.show(rows, done / all);
        }
        done += sizeOf(layout);
      }
    });
  }
  progress.hide();
}

async function withFiles(files: AggregateFiles, work: (files: AggregateFiles) => Promise<void>): Promise<void> {
  try {
    await work(files);
    await files.commit();
  } catch (error) {
    await files.discard();
    throw error;
  }
}
