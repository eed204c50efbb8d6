/** What can be asked of a station and of a region alike: the same columns under two keys. */

export type Place = {
  /** The beginning of its views: `station` of api.station_hourly. */
  view: 'station' | 'region';
  /** Which one is meant, as a condition on b. */
  isChosen: string;
};

/** `${name:sqlstring}`, quoted by Grafana. */
export const quoted = (name: string): string => `$\{${name}:sqlstring}`;

/** The language of names, as chosen above the dashboard. */
export const LOCALE = quoted('locale');

export const STATION: Place = { view: 'station', isChosen: `b.station_id = ${quoted('station')}::int` };
export const REGION: Place = { view: 'region', isChosen: `b.region_slug = ${quoted('place')}` };
