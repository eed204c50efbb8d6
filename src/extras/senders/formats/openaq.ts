/**
 * OpenAQ: CSV of the archive, and JSON of `/v3/sensors/ID/measurements` and `hours`. A row has one
 * parameter.
 */
import { has } from '../rows/cells.ts';
import { type Format, longColumns, text } from './format.ts';
import { isParameter } from './ownNames.ts';

export const openaq: Format = {
  name: 'openaq',
  source: 'https://docs.openaq.org/aws/about, https://docs.openaq.org/resources/measurements',
  recognizes: (row) =>
    has(row, 'location_id', 'parameter', 'value', 'datetime') || has(row, 'results', 'meta'),
  document: { rows: 'results' },
  isLong: true,
  // "computed from the hourly average values from 01:00 to 0:00" (resources/measurements); JSON has
  // both ends, and the archive has readings of any interval
  namesEnd: true,
  columns: (names) => ({
    sensor: text(names, 'sensors_id', 'sensor_id', 'sensorsId'),
    time: text(names, 'period.datetimeFrom.utc', 'datetime.utc', 'datetime'),
    values: {},
    long: longColumns(names, {
      parameter: ['parameter.name', 'parameter'],
      value: ['value'],
      unit: ['parameter.units', 'units', 'unit'],
    }),
  }),
  parameter(name) {
    const key = name.toLowerCase();
    if (key === 'relativehumidity') return { parameter: 'humidity' };
    return isParameter(key) ? { parameter: key } : undefined;
  },
  unused: [
    ...['location_id', 'location', 'lat', 'lon', 'coordinates', 'period', 'datetime'],
    ...['flaginfo', 'summary', 'coverage'],
  ],
  needs: {
    owner: 'sensors_id',
    time: 'for the time',
    all: () => 'Files of openaq have sensors_id, datetime, parameter, units, and value.',
  },
};
