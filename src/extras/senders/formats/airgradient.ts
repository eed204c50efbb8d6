/**
 * AirGradient: what the local server says at `/measures/current`, what the firmware sends, and the
 * documents of its cloud. Only the last have a time.
 */
import { has, positionOf } from '../rows/cells.ts';
import { type Format, text, value } from './format.ts';

export const airgradient: Format = {
  name: 'airgradient',
  source:
    'https://github.com/airgradienthq/arduino/blob/master/docs/local-server.md, https://api.airgradient.com/public/docs/api/v1',
  recognizes: (row) =>
    has(row, 'serialno', 'pm02') ||
    has(row, 'serialno', 'atmp') ||
    has(row, 'wifi', 'pm02', 'rhum') ||
    has(row, 'locationId', 'pm02', 'timestamp'),
  // the firmware computes pm02Compensated from pm02 and rhum by the formula of the US EPA
  columns: (names) => ({
    device: text(names, 'serialno'),
    time: text(names, 'timestamp'),
    corrected: positionOf(names, 'pm02Compensated'),
    values: {
      pm1: value(names, 'pm01'),
      pm25_raw: value(names, 'pm02'),
      pm25: value(names, 'pm02Compensated', 'pm02_corrected'),
      pm10: value(names, 'pm10'),
      temperature: value(names, 'atmpCompensated', 'atmp_corrected', 'atmp'),
      humidity: value(names, 'rhumCompensated', 'rhum_corrected', 'rhum'),
    },
  }),
  needs: {
    owner: 'serialno',
    time: 'for the time',
    all: () =>
      'Files of airgradient have serialno, and pm01, pm02, pm02Compensated, pm10, atmp, rhum.',
  },
};
