/**
 * Links from a row of a table to the dashboard of the station or region it names, in the language
 * and the time range that are shown.
 */
const KEPT = `var-locale=$\{locale}&$\{__url_time_range}`;
const field = (name: string) => `$\{__data.fields["${name}"]}`;

/** `city` and `station` are columns of the row that hold the slug and the id. */
export const toStation = (city: string, station: string): string =>
  `/d/airseries-station?var-city=${field(city)}&var-station=${field(station)}&${KEPT}`;

/** `city` and `region` are columns of the row that hold slugs. */
export const toRegion = (city: string, region: string): string =>
  `/d/airseries-region?var-city=${field(city)}&var-region=${field(region)}&${KEPT}`;
