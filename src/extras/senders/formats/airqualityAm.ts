/**
 * The open data of airquality.am: measurements, and means of sensors. `pm2.5` is the raw value in
 * measurements, and the corrected one in means, whatever it is called.
 */
import { keyOf, PARAMETER_NAMES, type ParameterName } from '../../../contract/parameters.ts';
import { has } from '../rows/cells.ts';
import { type Format, ownValues, text } from './format.ts';
import type { OtherNames } from './ownNames.ts';

const named = (name: (parameter: ParameterName) => string): OtherNames =>
  Object.fromEntries(PARAMETER_NAMES.map((parameter) => [name(parameter), parameter]));

const NAMES_IN_MEANS: OtherNames = {
  ...named((parameter) => `total_${parameter}`),
  ...named((parameter) => `avg_${parameter}`),
  'avg_pm2.5': 'pm25',
  'pm2.5': 'pm25',
};
const NAMES_IN_MEASUREMENTS: OtherNames = {
  ...named(keyOf),
  'pm2.5': 'pm25_raw',
  'pm2.5_corrected': 'pm25',
};

const layout = (names: OtherNames, more: Pick<Format, 'recognizes'> & Partial<Format>): Format => ({
  name: 'airquality-am',
  about: 'its open data: measurements, and means of sensors',
  source: 'the description published with it at https://airquality.am',
  zone: 'network',
  columns: (columns) => ({
    sensor: text(columns, 'sensor_id'),
    // a mean carries the start of its interval (S3)
    time: [...text(columns, 'time_start'), ...text(columns, 'timestamp')],
    values: ownValues(columns, names),
  }),
  unused: ['time_end'],
  needs: {
    owner: 'sensor_id',
    time: 'timestamp',
    all: () =>
      'Needed are measurements_YYYY_MM.csv or sensor_avg files, with sensor_id, timestamp and measured values; values of stations and cities are computed from them.',
  },
  ...more,
});

/** Days, hours and measurements; the first that is recognized counts. */
export const airqualityAm: readonly Format[] = [
  layout(NAMES_IN_MEANS, { recognizes: (row) => has(row, 'avg_pm2.5'), means: 'day' }),
  layout(NAMES_IN_MEANS, {
    recognizes: (row) =>
      PARAMETER_NAMES.some((name) => has(row, `avg_${name}`) || has(row, `total_${name}`)),
    means: 'hour',
  }),
  layout(NAMES_IN_MEASUREMENTS, { recognizes: (row) => has(row, 'pm2.5_corrected') }),
];
