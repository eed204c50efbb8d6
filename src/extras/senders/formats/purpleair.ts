/**
 * PurpleAir: its API (history as CSV or JSON, a list of sensors, one sensor), the device's own
 * `/json`, files of the SD card, downloads of the earlier map.
 */
import type { Names } from '../../../ingest/rows/row.ts';
import { cellOf, has, isGiven } from '../rows/cells.ts';
import { channels, type Format, text, unit, type ValueColumn, value } from './format.ts';

const secondChannel = (field: string): string => `${field}_b`;

/** In files of the SD card, the mean of the two lasers. */
const ofBoth = (names: Names, field: string): readonly ValueColumn[] =>
  channels(value(names, field), value(names, secondChannel(field)));

/** One of these fields or, in a row without them, the two channels of another. */
function oneOrBoth(names: Names, fields: readonly string[], field: string) {
  const one = value(names, ...fields);
  return one.length > 0 ? one : ofBoth(names, field);
}

/** Only documents of current values have it. Their `time_stamp` is the time of the request. */
const CURRENT = 'data_time_stamp';
const LAST_SEEN = ['last_seen', 'sensor.last_seen'];

export const purpleair: Format = {
  name: 'purpleair',
  about:
    "PurpleAir's API (history, `/v1/sensors`, `/v1/sensors/ID`), `/json` of the device, its SD card, downloads",
  source:
    'https://api.purpleair.com, https://community.purpleair.com/t/local-json-documentation/6917, https://community.purpleair.com/t/sd-card-file-headers/279',
  recognizes: (row) =>
    has(row, 'sensor_index', 'time_stamp') ||
    has(row, 'api_version', 'fields', 'data') ||
    has(row, 'api_version', 'sensor.sensor_index') ||
    has(row, 'sensorid', 'current_temp_f') ||
    has(row, 'utcdatetime', 'current_temp_f') ||
    has(row, 'created_at', 'temperature_f'),
  document: { rows: 'data', names: 'fields' },
  secondChannel,
  refuses: (row) =>
    has(row, CURRENT) && !LAST_SEEN.some((field) => isGiven(cellOf(row, field)))
      ? 'it does not say when it was measured: add last_seen to the fields in its address'
      : undefined,
  columns: (names) => ({
    sensor: text(names, 'sensor_index', 'sensor.sensor_index'),
    device: text(names, 'mac_address', 'sensorid'),
    time: text(names, ...LAST_SEEN, 'time_stamp', 'utcdatetime', 'datetime', 'created_at'),
    others: text(names, CURRENT),
    values: {
      pm1: oneOrBoth(names, ['pm1.0_atm', 'sensor.pm1.0_atm'], 'pm1_0_atm'),
      // ATM, not CF=1: above 30 µg/m³ CF=1 is up to 1.5 times ATM, and the pieces of epa-2021
      // (0.786 = 1.5 × 0.524) are made for ATM
      pm25_raw: oneOrBoth(names, ['pm2.5_atm', 'sensor.pm2.5_atm', 'pm2.5_atm_ug/m3'], 'pm2_5_atm'),
      pm10: oneOrBoth(names, ['pm10.0_atm', 'sensor.pm10.0_atm'], 'pm10_0_atm'),
      temperature: unit(
        'f',
        value(names, 'temperature', 'sensor.temperature', 'current_temp_f', 'temperature_f'),
      ),
      humidity: value(names, 'humidity', 'sensor.humidity', 'current_humidity', 'humidity_%'),
      pressure: unit('mbar', value(names, 'pressure', 'sensor.pressure')),
    },
  }),
  unused: ['api_version'],
  needs: {
    owner: 'sensor_index',
    time: 'for the time',
    all: () =>
      'Files of purpleair have sensor_index / mac_address, last_seen / time_stamp / utcdatetime / created_at, and pm2.5_atm / pm2_5_atm, temperature, humidity, pressure.',
  },
};
