/**
 * Sensor.Community: CSV of the archive, and the JSON feed, without sensors from indoors. Its times
 * are UTC.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import { isObject } from '../../../ingest/rows/json.ts';
import { MOST_FIELDS, type Row } from '../../../ingest/rows/row.ts';
import { cellOf, has } from '../rows/cells.ts';
import { type Format, type LongValue, longValue, text, value } from './format.ts';

/**
 * The names of Sensor.Community for what it measures, in its feeds and in the airRohr firmware: P1
 * is PM10 and P2 is PM2.5, not the other way round. Pressure is in Pa.
 */
export const SENSOR_COMMUNITY_VALUES = {
  P0: 'pm1',
  P1: 'pm10',
  P2: 'pm25',
  temperature: 'temperature',
  humidity: 'humidity',
  pressure: 'pressure',
} as const satisfies Record<string, ParameterName>;

const PARAMETERS: ReadonlyMap<string, ParameterName> = new Map(
  Object.entries(SENSOR_COMMUNITY_VALUES).map(([name, parameter]) => [
    name.toLowerCase(),
    parameter,
  ]),
);

export const sensorCommunity: Format = {
  name: 'sensor-community',
  about: 'CSV of the archive; the JSON feed, without indoor sensors',
  source:
    'https://github.com/opendata-stuttgart/meta/wiki/EN-APIs, https://archive.sensor.community',
  recognizes: (row) =>
    has(row, 'sensor_id', 'sensor_type', 'location', 'timestamp') ||
    has(row, 'sensor.id', 'sensordatavalues'),
  zone: 'UTC',
  skips: (row) => String(cellOf(row, 'location.indoor')) === '1',
  columns: (names) => ({
    sensor: text(names, 'sensor.id', 'sensor_id'),
    time: text(names, 'timestamp'),
    values: {
      pm1: value(names, 'P0'),
      pm10: value(names, 'P1'),
      pm25: value(names, 'P2'),
      temperature: value(names, 'temperature'),
      humidity: value(names, 'humidity'),
      pressure: value(names, 'pressure'),
    },
    long: names.isTable ? undefined : { positions: text(names, 'sensordatavalues'), read: listed },
    others: text(names, 'location.indoor'),
  }),
  parameter(name) {
    const parameter = PARAMETERS.get(name.toLowerCase());
    return parameter && { parameter };
  },
  unused: [
    ...['id', 'sampling_rate', 'sensor', 'sensor_type', 'location', 'lat', 'lon'],
    ...['durp1', 'ratiop1', 'durp2', 'ratiop2'],
  ],
  needs: {
    owner: 'sensor.id',
    time: 'timestamp',
    all: () =>
      'Files of sensor-community have sensor_id, timestamp, and P1, P2, temperature, humidity, pressure.',
  },
};

/** The values of an element of the feed, each with its name; undefined: their list is malformed. */
function listed(row: Row): LongValue[] | undefined {
  const list = cellOf(row, 'sensordatavalues');
  if (!Array.isArray(list) || list.length > MOST_FIELDS) return undefined;
  const values: LongValue[] = [];
  for (const element of list as unknown[]) {
    if (!isObject(element) || typeof element.value_type !== 'string') return undefined;
    values.push(longValue([element.value_type], element.value));
  }
  return values;
}
