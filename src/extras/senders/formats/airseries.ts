/**
 * Our own names, in any order, in CSV and JSON: what is left where no other format is recognized.
 */
import { PARAMETER_NAMES } from '../../../contract/parameters.ts';
import { OWN_FORMAT } from '../../../ingest/formats.ts';
import { type Format, ownValues, text } from './format.ts';

export const airseries: Format = {
  name: OWN_FORMAT,
  about: 'our own names, in any order, in CSV or JSON',
  source: 'src/ingest/README.md',
  recognizes: () => true,
  columns: (names) => ({
    sensor: text(names, 'sensor_id', 'sensor', 'sensorid'),
    device: text(names, 'device'),
    time: text(names, 'measured_at', 'time', 'timestamp', 'datetime', 'last_seen'),
    values: ownValues(names),
  }),
  needs: {
    owner: 'sensor_id',
    time: 'for the time',
    all: () =>
      `Needed are sensor_id, one of measured_at / time / timestamp, and parameters by name: ${PARAMETER_NAMES.join(', ')}.`,
  },
};
