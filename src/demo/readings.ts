/** The invented readings of the demo network, also as text for COPY. */
import { PARAMETER_NAMES, type Values } from '../contract/parameters.ts';
import { airAt, standardOffset } from './air.ts';
import { airAtStation, demoSensor, isMissing, measure } from './measure.ts';
import { CITIES, type DemoNetwork, type DemoStation, OFFLINE_STATION } from './network.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The last week has a reading every ten minutes, earlier ones every hour. */
const FINE = 7 * DAY;
const FINE_STEP = 10 * MINUTE;
/** Hourly readings are off the ten-minute grid, so the instant alone tells which period a reading covers. */
const HOURLY_AT = 35 * MINUTE;
/** How long the offline station has been offline. */
const OFFLINE = 6 * DAY;

/** `at`: ms since 1970. */
export type DemoReading = { at: number; station: DemoStation; sensorId: number; values: Values };

/** `now` decides which readings are fine; default: `to`. */
type Span = { network: DemoNetwork; from: Date; to: Date; now?: Date };

/** All readings after `from` and up to `to`, one instant at a time. The same span always gives the same readings. */
export function* demoReadings({ network, from, to, now = to }: Span): Generator<DemoReading[]> {
  const offset = standardOffset(network.time_zone);
  const cities = CITIES.map((city) => ({
    city,
    stations: network.stations
      .filter(({ regions }) => regions.includes(city.slug))
      .map((station) => ({ station, sensors: station.sensors.map(demoSensor) })),
  }));
  for (const at of demoInstants({ from, to, now })) {
    const isRecent = at > now.getTime() - OFFLINE;
    const minutes = at % FINE_STEP === 0 ? 10 : 60;
    const readings: DemoReading[] = [];
    for (const { city, stations } of cities) {
      const cityAir = airAt(city, at, offset);
      for (const { station, sensors } of stations) {
        if (isRecent && station.id === OFFLINE_STATION) continue;
        const air = airAtStation(cityAir, station, at);
        for (const sensor of sensors) {
          if (isMissing(sensor, at)) continue;
          readings.push({ at, station, sensorId: sensor.id, values: measure(sensor, air, at, minutes) });
        }
      }
    }
    yield readings;
  }
}

/** The instants of measurement after `from` and up to `to`, in ms since 1970. */
export function* demoInstants({ from, to, now }: { from: Date; to: Date; now: Date }): Generator<number> {
  const fine = Math.floor((now.getTime() - FINE) / HOUR) * HOUR;
  let at = Math.floor((from.getTime() - HOURLY_AT) / HOUR) * HOUR + HOUR + HOURLY_AT;
  for (; at < Math.min(fine, to.getTime()); at += HOUR) yield at;
  at = Math.max(fine, Math.floor(from.getTime() / FINE_STEP) * FINE_STEP + FINE_STEP);
  for (; at <= to.getTime(); at += FINE_STEP) yield at;
}

/** The columns of the lines of `copyLines`. */
export const COPY_COLUMNS = ['measured_at', 'sensor_id', ...PARAMETER_NAMES].join(', ');

/** COPY text of the readings of one instant. */
export function copyLines(readings: readonly DemoReading[]): string {
  const [first] = readings;
  if (first === undefined) return '';
  const measuredAt = new Date(first.at).toISOString();
  let text = '';
  for (const { sensorId, values } of readings) {
    text += `${measuredAt}\t${sensorId}`;
    for (const name of PARAMETER_NAMES) text += `\t${values[name] ?? '\\N'}`;
    text += '\n';
  }
  return text;
}
