/** The sensors of the listed stations, as rows of sensors.csv. */
import { arrayLiteral } from '../database/arrayLiteral.ts';
import type { Sql } from '../database/client.ts';
import type { Row } from './csvFile.ts';
import { SENSOR_COLUMNS } from './layouts.ts';

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
