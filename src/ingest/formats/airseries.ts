/**
 * Our own names, in any order, in CSV and JSON: what is left where no other format is recognized.
 */
import { PARAMETER_NAMES } from '../../contract/parameters.ts';
import { type Format, ownValues, text } from './format.ts';

export const airseries: Format = {
  name: 'airseries',
  source: 'src/ingest/README.md',
  recognizes: () => true,
  read: (row) => ({
    sensor: text(row, 'sensor_id', 'sensor', 'sensorid'),
    device: text(row, 'device'),
    time: text(row, 'measured_at', 'time', 'timestamp', 'datetime', 'last_seen'),
    values: ownValues(row),
  }),
  columns: {
    owner: 'sensor_id',
    time: 'for the time',
    needed: `Needed are sensor_id, one of measured_at / time / timestamp, and parameters by name: ${PARAMETER_NAMES.join(', ')}.`,
  },
};
