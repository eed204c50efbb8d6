/**
 * Smart Citizen: a device as its API gives it, with the current value of each of its sensors, which
 * says its unit.
 */
import { has } from '../rows/cells.ts';
import { type Format, longColumns, type Parameter, text } from './format.ts';

/**
 * Sensors by their name, in any version of the kit. Temperature and humidity are the
 * board's: CO2 and PM sensors have their own, and are warm.
 */
const SENSORS: readonly [name: RegExp, parameter: Parameter['parameter']][] = [
  [/(DHT22|HPP828E031|SHT21|SHT31)\)? - Temperature$/i, 'temperature'],
  [/(DHT22|HPP828E031|SHT21|SHT31)\)? - Humidity$/i, 'humidity'],
  [/- Barometric Pressure$/i, 'pressure'],
  [/(PMS5003|PMS5003_AVG|SEN5X) ?- ?PM1(\.0)?$/i, 'pm1'],
  [/(PMS5003|PMS5003_AVG|SEN5X) ?- ?PM2\.5$/i, 'pm25_raw'],
  [/(PMS5003|PMS5003_AVG|SEN5X) ?- ?PM10(\.0)?$/i, 'pm10'],
];

export const smartCitizen: Format = {
  name: 'smart-citizen',
  source: 'https://developer.smartcitizen.me/#get-a-device',
  recognizes: (row) => has(row, 'id', 'uuid', 'data.sensors'),
  document: { rows: 'data.sensors', prefix: 'device.' },
  isLong: true,
  columns: (names) => ({
    device: text(names, 'device.id', 'id'),
    // sensors report at intervals of their own
    time: text(names, 'last_reading_at', 'device.last_reading_at'),
    values: {},
    long: longColumns(names, { parameter: ['name'], value: ['value'], unit: ['unit'] }),
  }),
  parameter(name) {
    const found = SENSORS.find(([sensor]) => sensor.test(name));
    return found && { parameter: found[1] };
  },
  unused: [
    ...['id', 'uuid', 'ancestry', 'description', 'default_key', 'measurement', 'measurement_id'],
    ...['created_at', 'updated_at', 'raw_value', 'prev_value', 'prev_raw_value', 'tags'],
    ...['device.name', 'device.last_reading_at'],
  ],
  needs: {
    owner: 'id',
    time: 'for the time',
    all: () =>
      'Documents of smart-citizen come from /v0/devices/ID, with id, last_reading_at and data.sensors.',
  },
};
