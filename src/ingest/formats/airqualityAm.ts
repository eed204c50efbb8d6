/**
 * The open data of airquality.am: `measurements_YYYY_MM.csv`, and the means of single sensors, `sensor_avg_*.csv`. In the words of
 * the description that comes with them: pm2.5 is the raw value and pm2.5_corrected the corrected one, pressure is in Pa, time_start
 * and time_end are given for values that are means. A mean carries the start of its interval (S3), so time_start counts before timestamp.
 * Files of means have one PM2.5, the corrected one, which is called avg_pm2.5 in the daily file and pm2.5 in the hourly ones.
 */
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';
import { InputError } from '../../inputError.ts';
import type { ReadingInput } from '../batch.ts';
import { makeWallClock } from '../time.ts';
import { splitQuoted } from './csv.ts';
import { SENSOR_KEY, unreadable } from './json.ts';
import type { Line } from './lines.ts';
import type { LineReader } from './readings.ts';

/** What psql says to `set time zone`; newer files begin with it. */
export const PREAMBLE = 'SET';

const TIME = 'timestamp';
const START = 'time_start';
const END = 'time_end';

/** Throws where the header lacks what a reading needs. */
export function airqualityAmReader(header: string, place: string, timeZone: string): LineReader {
  const names = splitQuoted(header) ?? [];
  const [sensor, time, start] = [names.indexOf(SENSOR_KEY), names.indexOf(TIME), names.indexOf(START)];
  const ofMeans = names.some((name) => name.startsWith('avg_'));
  const parameters = names.flatMap((name, position): [ParameterName, number][] => {
    const parameter = parameterOf(name, ofMeans);
    return parameter === undefined ? [] : [[parameter, position]];
  });

  const wrong = (what: string) =>
    new InputError(
      place,
      `the header ${what}: ${JSON.stringify(header.slice(0, 300))}`,
      'Needed are measurements_YYYY_MM.csv or sensor_avg files, with sensor_id, timestamp and measured values; those of stations and cities are computed from them.',
    );
  if (sensor < 0) throw wrong(`has no column ${SENSOR_KEY}`);
  if (time < 0) throw wrong(`has no column ${TIME}`);
  if (parameters.length === 0) throw wrong('names no parameter');
  const twice = parameters.find(
    ([parameter], index) => parameters.findIndex(([other]) => other === parameter) !== index,
  );
  if (twice !== undefined) throw wrong(`names ${twice[0]} twice`);

  const used = new Set([sensor, time, start, names.indexOf(END), ...parameters.map(([, position]) => position)]);
  const instantOf = makeWallClock(timeZone);
  const read = ({ number, text, tooLong }: Line): ReadingInput => {
    const fields = tooLong ? undefined : splitQuoted(text);
    if (fields?.length !== names.length) {
      return unreadable(text, number);
    }
    const values: ReadingInput['values'] & { [name in ParameterName]?: unknown } = {};
    for (const [parameter, position] of parameters) {
      const field = fields[position];
      if (field !== '') values[parameter] = field;
    }
    const sensorId = fields[sensor] as string;
    const measuredAt = instantOf((fields[start] || fields[time]) as string, sensorId);
    return { sensorId, measuredAt, values, text, line: number };
  };
  return { ignored: new Set(names.filter((_, position) => !used.has(position))), read };
}

/** Given as pm25 it is final, given as pm25_raw it goes through the sensor's formula (S5). */
function parameterOf(name: string, ofMeans: boolean): ParameterName | undefined {
  if (name === 'pm2.5_corrected' || name === 'avg_pm2.5') return 'pm25';
  if (name === 'pm2.5') return ofMeans ? 'pm25' : 'pm25_raw';
  const bare = name.replace(/^(avg|total)_/, '');
  return PARAMETER_NAMES.find((parameter) => parameter === bare);
}
