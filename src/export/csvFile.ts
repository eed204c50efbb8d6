/** Files of the open data, and the list of sensors among them. */

import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { arrayLiteral, type Sql } from '../database/client.ts';
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
export async function askSensors(sql: Sql, at: Date, stations: readonly number[]): Promise<Row[]> {
  const rows = await sql.unsafe(SENSORS, [at.toISOString(), arrayLiteral(stations)]);
  return rows.map((row) => SENSOR_COLUMNS.map((name) => row[name] as string | number | null));
}

const SENSORS = `
  select
    sensor.id, station.id as station_id, station.city_slug, station.district_slug,
    station.title_en as address_en, station.title_en as title, station.provider,
    sensor.device as external_id, sensor.kind as sensor_type,
    station.latitude, station.longitude, sensor.altitude,
    to_char(sensor.first_measurement_time, 'YYYY-MM-DD HH24:MI:SS') as first_measurement_time,
    to_char(sensor.last_measurement_time, 'YYYY-MM-DD HH24:MI:SS') as last_measurement_time,
    sensor.is_suspicious::text as is_suspicious
  from api.sensor($1::text::timestamptz) sensor
  join api.station station on station.id = sensor.station_id
  where station.id = any ($2::text::int[])
  order by sensor.id`;
