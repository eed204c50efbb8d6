/** Files of the open data, and the list of sensors among them. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { arrayLiteral } from '../database/client.ts';
import { type ApiDb, apiRows } from '../database/pools.ts';
import { InputError } from '../inputError.ts';
import { SENSOR_COLUMNS } from './layouts.ts';

/** What is empty in the file is null. */
export type Row = readonly (string | number | null)[];

export type CsvFile = {
  write(rows: readonly Row[]): Promise<void>;
  /** It is whole: from now on it has its name. */
  keep(): Promise<void>;
  discard(): Promise<void>;
};

/** Makes the folder if there is none. */
export async function openCsvFile(folder: string, name: string, header: readonly string[]): Promise<CsvFile> {
  const path = join(folder, name);
  const unfinished = `${path}.part`;
  const file = await openForWriting(folder, unfinished);
  const write = async (rows: readonly Row[]) => {
    await file.appendFile(rows.map(csvLine).join(''));
  };
  await write([header]);
  return {
    write,
    async keep() {
      await file.close();
      await rename(unfinished, path);
    },
    async discard() {
      await file.close();
      await rm(unfinished, { force: true });
    },
  };
}

export function csvLine(row: Row): string {
  return `${row.map(field).join(',')}\n`;
}

function field(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function openForWriting(folder: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await open(path, 'w');
  } catch (error) {
    throw new InputError(folder, (error as Error).message, 'Name a folder that you may write to.');
  }
}

/** A sensor is listed where it stands now, or stood last; the title of a station is its address or the name of the place. */
export async function askSensors(db: ApiDb, at: Date, stations: readonly number[]): Promise<Row[]> {
  const rows = await db
    .selectFrom(apiRows('sensor', { at }).as('sensor'))
    .innerJoin('api.station as station', 'station.id', 'sensor.station_id')
    .innerJoin('api.station_title as named', 'named.station_id', 'station.id')
    .select([
      ...(['sensor.id', 'sensor.station_id', 'city_slug', 'district_slug', 'title', 'title as address_en'] as const),
      ...(['provider', 'device as external_id', 'sensor.kind as sensor_type'] as const),
      ...(['latitude', 'longitude', 'altitude'] as const),
      local('first_measurement_time'),
      local('last_measurement_time'),
      sql<string>`sensor.is_suspicious::text`.as('is_suspicious'),
    ])
    .where('named.locale', '=', 'en')
    .where(sql<boolean>`station.id = any (${arrayLiteral(stations)}::text::int[])`)
    .orderBy('sensor.id')
    .execute();
  return rows.map((row) => SENSOR_COLUMNS.map((name) => row[name]));
}

/** As the zone's clocks show it, without an offset. */
const local = <Column extends 'first_measurement_time' | 'last_measurement_time'>(column: Column) =>
  sql<string | null>`to_char(${sql.ref(`sensor.${column}`)}, 'YYYY-MM-DD HH24:MI:SS')`.as(column);
