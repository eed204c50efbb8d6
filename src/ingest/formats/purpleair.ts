/**
 * PurpleAir: the history API as CSV or JSON, files of the SD card, downloads of the earlier map.
 */
import { has, type Row } from '../rows/row.ts';
import { channels, type Format, type Measured, text, unit, value } from './format.ts';

const secondChannel = (field: string): string => `${field}_b`;

/** In files of the SD card, the mean of the two lasers. */
const ofBoth = (row: Row, field: string): Measured | undefined =>
  channels(value(row, field), value(row, secondChannel(field)));

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
  read: (row) => ({
    sensor: text(row, 'sensor_index'),
    device: text(row, 'mac_address'),
    time: text(row, 'last_seen', 'time_stamp', 'utcdatetime', 'created_at'),
    values: {
      pm1: value(row, 'pm1.0_atm') ?? ofBoth(row, 'pm1_0_atm'),
      // ATM, not CF=1: above 30 µg/m³ CF=1 is up to 1.5 times ATM, and the pieces of epa-2021
      // (0.786 = 1.5 × 0.524) are made for ATM
      pm25_raw: value(row, 'pm2.5_atm', 'pm2.5_atm_ug/m3') ?? ofBoth(row, 'pm2_5_atm'),
      pm10: value(row, 'pm10.0_atm') ?? ofBoth(row, 'pm10_0_atm'),
      temperature: unit('f', value(row, 'temperature', 'current_temp_f', 'temperature_f')),
      humidity: value(row, 'humidity', 'current_humidity', 'humidity_%'),
      pressure: unit('mbar', value(row, 'pressure')),
    },
  }),
  columns: {
    owner: 'sensor_index',
    time: 'for the time',
    needed:
      'Files of purpleair have sensor_index / mac_address, last_seen / time_stamp / utcdatetime / created_at, and pm2.5_atm / pm2_5_atm, temperature, humidity, pressure.',
  },
};
