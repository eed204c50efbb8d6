/** What Sensor.Community calls what it measures, in its feeds and in its firmware alike. */
import type { ParameterName } from '../../contract/parameters.ts';

/** P1 is PM10 and P2 is PM2.5, whoever may find that odd. Pressure is in Pa. All others mean nothing here. */
export const VALUE_TYPES: ReadonlyMap<unknown, ParameterName> = new Map([
  ['P0', 'pm1'],
  ['P1', 'pm10'],
  ['P2', 'pm25'],
  ['temperature', 'temperature'],
  ['humidity', 'humidity'],
  ['pressure', 'pressure'],
]);
