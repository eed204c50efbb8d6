/** Where a click leads: from a row to the dashboard of what it names. */
const RANGE = `$\{__url_time_range}`;
const field = (name: string) => `$\{__data.fields["${name}"]}`;

export const toStation = (city: string, station: string): string =>
  `/d/airseries-station?var-city=${field(city)}&var-station=${field(station)}&${RANGE}`;

export const toPlace = (city: string, place: string): string =>
  `/d/airseries-place?var-city=${field(city)}&var-place=${field(place)}&${RANGE}`;
