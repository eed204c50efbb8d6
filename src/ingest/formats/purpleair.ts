/**
 * PurpleAir: the history API as CSV or JSON, files of the SD card, downloads of the earlier map.
 */
import { has, type Names } from '../rows/row.ts';
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

export const purpleair: Format = {
  name: 'purpleair',
  source: 'https://api.purpleair.com, https://community.purpleair.com/t/sd-card-file-headers/279',
  recognizes: (row) =>
    has(row, 'sensor_index', 'time_stamp') ||
    has(row, 'api_version', 'fields', 'data') ||
    has(row, 'utcdatetime', 'current_temp_f') ||
    has(row, 'created_at', 'temperature_f'),
  document: { rows: 'data', names: 'fields' },
  secondChannel,
  columns: (names) => ({
    sensor: text(names, 'sensor_index'),
    device: text(names, 'mac_address'),
    time: text(names, 'last_seen', 'time_stamp', 'utcdatetime', 'created_at'),
    values: {
      pm1: oneOrBoth(names, ['pm1.0_atm'], 'pm1_0_atm'),
      // ATM, not CF=1: above 30 µg/m³ CF=1 is up to 1.5 times ATM, and the pieces of epa-2021
      // (0.786 = 1.5 × 0.524) are made for ATM
      pm25_raw: oneOrBoth(names, ['pm2.5_atm', 'pm2.5_atm_ug/m3'], 'pm2_5_atm'),
      pm10: oneOrBoth(names, ['pm10.0_atm'], 'pm10_0_atm'),
      temperature: unit('f', value(names, 'temperature', 'current_temp_f', 'temperature_f')),
      humidity: value(names, 'humidity', 'current_humidity', 'humidity_%'),
      pressure: unit('mbar', value(names, 'pressure')),
    },
  }),
  needs: {
    owner: 'sensor_index',
    time: 'for the time',
    all: () =>
      'Files of purpleair have sensor_index / mac_address, last_seen / time_stamp / utcdatetime / created_at, and pm2.5_atm / pm2_5_atm, temperature, humidity, pressure.',
  },
};
