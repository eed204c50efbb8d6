/** Stations and regions: their views have the same columns and differ only in the key. */

export type Subject = {
  /** Prefix of its views: `station` for api.station_hourly. */
  view: 'station' | 'region';
  /** SQL condition on `b` that selects the chosen one. */
  isChosen: string;
};

/** `${name:sqlstring}`: Grafana inserts the variable as an SQL string. */
export const quoted = (name: string): string => `$\{${name}:sqlstring}`;

/** The language of names chosen in the dashboard. */
export const LOCALE = quoted('locale');

export const STATION: Subject = { view: 'station', isChosen: `b.station_id = ${quoted('station')}::int` };
export const REGION: Subject = { view: 'region', isChosen: `b.region_slug = ${quoted('region')}` };
