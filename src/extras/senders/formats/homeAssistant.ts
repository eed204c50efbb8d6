/**
 * Home Assistant: a state as its REST API gives it, our names in JSON, history and statistics as
 * CSV. A state has one parameter.
 */
import type { Names } from '../../../ingest/rows/row.ts';
import { has } from '../rows/cells.ts';
import { type Format, type LongColumns, longColumns, ownValues, text, textAt } from './format.ts';
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
  about: 'states, our names in JSON, history and statistics as CSV',
  source:
    'https://developers.home-assistant.io/docs/api/rest, https://www.home-assistant.io/integrations/sensor',
  recognizes: (row) => has(row, 'entity_id', 'state') || has(row, 'statistic_id', 'mean', 'start'),
  isLong: true,
  columns: (names) => ({
    sensor: text(names, 'sensor_id'),
    device: text(names, 'device'),
    time: text(names, 'time', 'last_updated', 'last_changed', 'start'),
    values: ownValues(names, NAMES),
    long: withTotals(names),
  }),
  parameter: (name) => ownName(name, NAMES),
  unused: ['min', 'max', 'last_reported', 'context', 'attributes'],
  needs: {
    owner: 'sensor_id',
    time: 'for the time',
    all: (say) =>
      `Files of home-assistant have time / last_updated / last_changed / start, and statistic_id, state, with ${say.option('column', 'pm25=ENTITY')}.`,
  },
};

/** States, each with the class that says whether it counts up. */
function withTotals(names: Names): LongColumns | undefined {
  const long = longColumns(names, {
    parameter: ['attributes.device_class', 'entity_id', 'statistic_id'],
    value: ['state', 'mean'],
    unit: ['attributes.unit_of_measurement', 'unit'],
  });
  const classes = text(names, 'attributes.state_class', 'state_class');
  return (
    long && {
      positions: [...long.positions, ...classes],
      read(row) {
        const stateClass = textAt(row, classes);
        const isTotal = stateClass === 'total_increasing' || stateClass === 'total';
        return long.read(row)?.map((one) => ({ ...one, isTotal }));
      },
    }
  );
}
