/**
 * Exports the network's history as open data: sensors, and the published hours and days of stations and cities, in airquality.am's CSV
 * layout. Each file is complete or absent, and all of them come from one snapshot of the database.
 */
import { sql } from 'kysely';
import { arrayLiteral, type DatabaseAddress, onConnection, type Sql } from '../database/client.ts';
import { type Api, type ApiDb, readsOn } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';
import type { Log } from '../log.ts';
import { makeProgress } from '../progress.ts';
import { type AggregateFiles, bucketsQuery, inBatches, makeAggregateFiles, splitPeriod } from './aggregates.ts';
import { openCsvFile, type Row } from './csvFile.ts';
import { LAYOUTS, type Layout, SENSOR_COLUMNS } from './layouts.ts';

type Options = {
  timeZone: string;
  now: Date;
  log: Log;
  terminal: boolean;
  /** Only buckets that begin at or after `from` and before `to`. */
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Lines written by file name, without headers. */
export type Exported = { files: Record<string, number> };

/**
 * Leaves out hidden stations, as all lists do (C6), and the current hour and day. Creates the folder if there is none, replaces files of
 * the same names and leaves others alone. Rejects with InputError if the folder cannot be written to.
 */
export async function exportOpenData(target: DatabaseAddress, folder: string, options: Options): Promise<Exported> {
  const { timeZone, now } = options;
  const files: Record<string, number> = {};
  const sensors = await openCsvFile(folder, 'sensors.csv', SENSOR_COLUMNS); // first: it shows whether the folder is writable
  try {
    return await onConnection(
      target,
      { timeZone, name: 'airseries export', role: 'airseries_reader' },
      async (connection) => {
        await connection`begin isolation level repeatable read read only`; // refreshes meanwhile do not show
        const db = readsOn<Api>(connection);
        const stations = await exportAggregates(connection, db, folder, files, options);
        const rows = await querySensors(db, now, stations);
        await sensors.write(rows);
        await sensors.commit();
        return { files: { 'sensors.csv': rows.length, ...files } };
      },
    );
  } catch (error) {
    await sensors.discard();
    throw error;
  }
}

/** Returns the ids of the exported stations. */
async function exportAggregates(
  connection: Sql,
  db: ApiDb,
  folder: string,
  counts: Record<string, number>,
  options: Options,
): Promise<number[]> {
  const current = apiRows('station_current', { at: options.now });
  const stations = await db.selectFrom(current.as('station')).select('id').where('is_listed', '=', true).execute();
  const cities = await db.selectFrom('api.region').select('slug').where('kind', '=', 'city').execute();
  const ids = { station_id: stations.map(({ id }) => id), region_slug: cities.map(({ slug }) => slug) };
  const work = [];
  for (const layout of LAYOUTS) work.push({ layout, ranges: await splitPeriod(db, layout, options) });

  const sizeOf = ({ subject }: Layout) => ids[subject.source].length;
  const all = work.reduce((sum, { layout, ranges }) => sum + sizeOf(layout) * ranges.length, 0);
  const progress = makeProgress('exporting', options.log, options.terminal);
  let [rows, done] = [0, 0];
  for (const { layout, ranges } of work) {
    await withFiles(makeAggregateFiles(folder, layout, counts), async (files) => {
      for (const range of ranges) {
        const query = bucketsQuery(db, layout, range, ids[layout.subject.source]);
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
  return ids.station_id;
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

/** Each sensor at its current or latest station, as rows of SENSOR_COLUMNS. A station's title is its address, or the name of the site. */
async function querySensors(db: ApiDb, at: Date, stations: readonly number[]): Promise<Row[]> {
  const rows = await db
    .selectFrom(apiRows('sensor', { at }).as('sensor'))
    .innerJoin('api.station as station', 'station.id', 'sensor.station_id')
    .innerJoin('api.station_title as named', 'named.station_id', 'station.id')
    .select([
      ...(['sensor.id', 'sensor.station_id', 'city_slug', 'district_slug', 'title', 'title as address_en'] as const),
      ...(['provider', 'device as external_id', 'sensor.kind as sensor_type'] as const),
      ...(['latitude', 'longitude', 'altitude'] as const),
      localTime('first_measurement_time'),
      localTime('last_measurement_time'),
      sql<string>`sensor.is_suspicious::text`.as('is_suspicious'),
    ])
    .where('named.locale', '=', 'en')
    .where(sql<boolean>`station.id = any (${arrayLiteral(stations)}::text::int[])`)
    .orderBy('sensor.id')
    .execute();
  return rows.map((row) => SENSOR_COLUMNS.map((name) => row[name]));
}

/** In the network's zone, without an offset. */
const localTime = <Column extends 'first_measurement_time' | 'last_measurement_time'>(column: Column) =>
  sql<string | null>`to_char(${sql.ref(`sensor.${column}`)}, 'YYYY-MM-DD HH24:MI:SS')`.as(column);
