/**
 * sensors.csv: each sensor at the listed station where it stands or stood last, with the columns
 * documented with the portal's files.
 */
import type { Field } from './layouts.ts';

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

/**
 * The query of sensors.csv, by id. Hidden stations are left out (C6); a station's city is its city
 * at the instant (C8).
 */
export function selectSensors(now: Date): string {
  const at = `'${now.toISOString()}'::timestamptz`;
  const values: Record<(typeof SENSOR_FIELDS)[number]['name'], string> = {
    id: 'sensor.id',
    station_id: 'sensor.station_id',
    city_slug: 'current.city_slug',
    district_slug: 'current.district_slug',
    address_en: asCell('title_en'),
    title: asCell('title_local'),
    provider: asCell('station.provider'),
    external_id: asCell('coalesce(sensor.device, sensor.id::text)'),
    sensor_type: asCell('sensor.kind'),
    latitude: 'station.latitude',
    longitude: 'station.longitude',
    altitude: 'altitude',
    first_measurement_time: localTime('sensor.first_measurement_time'),
    last_measurement_time: localTime('sensor.last_measurement_time'),
    is_suspicious: 'sensor.is_suspicious::text',
  };
  const fields = SENSOR_FIELDS.map(({ name }) => `${values[name]} as ${name}`);
  return `
    select ${fields.join(', ')}
    from api.sensor(${at}, only_listed => true) sensor
    join api.station station on station.id = sensor.station_id
    join api.station_current(${at}) current on current.id = sensor.station_id
    order by sensor.id`;
}

/** In the network's zone, which is the session's, without an offset. */
const localTime = (column: string) => `to_char(${column}, 'YYYY-MM-DD HH24:MI:SS')`;

/**
 * The beginning of a text that spreadsheet programs take for a formula, perhaps behind apostrophes
 * of an earlier file.
 */
const FORMULA = "^''*[-=+@＝＋－＠[:cntrl:]]";

/**
 * A text of the network as a cell: on one line, with an apostrophe before it where a spreadsheet
 * would run it as a formula, and empty as null, which COPY writes without quotes.
 */
export const asCell = (text: string) =>
  `nullif(case when ${text} ~ '${FORMULA}' then '''' else '' end || translate(${text}, e'\\r\\n', '  '), '')`;
