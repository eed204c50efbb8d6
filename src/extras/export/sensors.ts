/** sensors.csv: each sensor at the listed station where it stands or stood last, with the columns documented with the portal's files. */
import { sql } from 'kysely';
import type { ApiDb } from '../../database/pools.ts';
import { apiRows } from '../../database/queryPool.ts';
import type { Row } from './csv.ts';
import type { Field } from './layouts.ts';
import { textCell } from './textCell.ts';

export const SENSORS = 'sensors.csv';

export const SENSOR_FIELDS = [
  { name: 'id', type: 'integer', meaning: 'the sensor' },
  {
    name: 'station_id',
    type: 'integer',
    meaning:
      'the station where it stands or stood last, of those that are published; a station may have several',
  },
  { name: 'city_slug', type: 'string', meaning: 'the city of the station; empty if it is in none' },
  {
    name: 'district_slug',
    type: 'string',
    meaning: 'the district of the station; empty if it is in none',
  },
  {
    name: 'address_en',
    type: 'string',
    meaning: 'title of the station in English; empty if it has none',
  },
  { name: 'title', type: 'string', meaning: 'title of the station in the language of the place' },
  { name: 'provider', type: 'string', meaning: 'who operates the station' },
  {
    name: 'external_id',
    type: 'string',
    meaning: 'what the provider or the device calls the sensor; its id where it has no other name',
  },
  {
    name: 'sensor_type',
    type: 'string',
    meaning: 'kind of sensor, such as SDS011; empty if unknown',
  },
  { name: 'latitude', type: 'number', meaning: 'latitude of the station, WGS 84', unit: 'degrees' },
  {
    name: 'longitude',
    type: 'number',
    meaning: 'longitude of the station, WGS 84',
    unit: 'degrees',
  },
  {
    name: 'altitude',
    type: 'number',
    meaning: 'altitude of the station above sea level; empty if unknown',
    unit: 'm',
  },
  {
    name: 'first_measurement_time',
    type: 'datetime',
    meaning: 'its first measurement at a station that is published, local time; empty before that',
  },
  {
    name: 'last_measurement_time',
    type: 'datetime',
    meaning:
      'its last measurement at a station that is published, local time; empty before the first',
  },
  {
    name: 'is_suspicious',
    type: 'boolean',
    meaning: 'true while its measurements count for nothing',
  },
] as const satisfies readonly Field[];

/** As rows of SENSOR_FIELDS, by id. Hidden stations are left out (C6); a station's city is that of the instant (C8). */
export async function querySensors(db: ApiDb, at: Date): Promise<Row[]> {
  const rows = await db
    .selectFrom(apiRows('sensor', { at, only_listed: true }).as('sensor'))
    .innerJoin('api.station as station', 'station.id', 'sensor.station_id')
    .innerJoin(apiRows('station_current', { at }).as('current'), 'current.id', 'sensor.station_id')
    .select([
      ...([
        'sensor.id',
        'sensor.station_id',
        'current.city_slug',
        'current.district_slug',
        'title_en as address_en',
      ] as const),
      ...(['title_local as title', 'station.provider', 'sensor.kind as sensor_type'] as const),
      ...(['station.latitude', 'station.longitude', 'altitude'] as const),
      sql<string>`coalesce(sensor.device, sensor.id::text)`.as('external_id'),
      localTime('first_measurement_time'),
      localTime('last_measurement_time'),
      sql<string>`sensor.is_suspicious::text`.as('is_suspicious'),
    ])
    .orderBy('sensor.id')
    .execute();
  return rows.map((row) =>
    SENSOR_FIELDS.map(({ name, type }) => (type === 'string' ? textCell(row[name]) : row[name])),
  );
}

/** In the network's zone, without an offset. */
const localTime = <Column extends 'first_measurement_time' | 'last_measurement_time'>(
  column: Column,
) =>
  sql<string | null>`to_char(${sql.ref(`sensor.${column}`)}, 'YYYY-MM-DD HH24:MI:SS')`.as(column);
