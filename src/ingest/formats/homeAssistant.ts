/**
 * Home Assistant: a state as its REST API gives it, our names in JSON, history and statistics as
 * CSV. A state has one parameter.
 */
import { has } from '../rows/row.ts';
import { type Format, longRow, ownValues, refused, text } from './format.ts';
import { OTHER_NAMES, ownName } from './ownNames.ts';

/** Its classes of devices, where they are not our names. */
const NAMES = {
  atmospheric_pressure: 'pressure',
  nitrogen_dioxide: 'no2',
  ozone: 'o3',
  sulphur_dioxide: 'so2',
  ...OTHER_NAMES,
  precipitation: 'rain',
};

export const homeAssistant: Format = {
  name: 'home-assistant',
  source:
    'https://developers.home-assistant.io/docs/api/rest, https://www.home-assistant.io/integrations/sensor',
  recognizes: (row) => has(row, 'entity_id', 'state') || has(row, 'statistic_id', 'mean', 'start'),
  isLong: true,
  read(row) {
    const sensor = text(row, 'sensor_id');
    const long = longRow(row, {
      parameter: ['attributes.device_class', 'entity_id', 'statistic_id'],
      value: ['state', 'mean'],
      unit: ['attributes.unit_of_measurement', 'unit'],
    });
    if (long === undefined) return refused(undefined, sensor);
    const stateClass = text(row, 'attributes.state_class', 'state_class');
    const isTotal = stateClass === 'total_increasing' || stateClass === 'total';
    return {
      sensor,
      device: text(row, 'device'),
      time: text(row, 'time', 'last_updated', 'last_changed', 'start'),
      values: ownValues(row, NAMES),
      long: long.map((one) => ({ ...one, isTotal })),
    };
  },
  parameter: (name) => ownName(name, NAMES),
  unused: ['min', 'max', 'last_reported', 'context', 'attributes'],
  columns: {
    owner: 'sensor_id',
    time: 'for the time',
    needed:
      'Files of home-assistant have time / last_updated / last_changed / start, and statistic_id, state, with --column pm25=ENTITY.',
  },
};
