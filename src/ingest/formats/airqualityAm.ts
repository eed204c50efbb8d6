/**
 * The open data of airquality.am: `measurements_YYYY_MM.csv`, and the means of single sensors, `sensor_avg_*.csv`. By the description
 * published with them, pm2.5 is the raw value and pm2.5_corrected the corrected one, pressure is in Pa, and means have time_start and
 * time_end. A mean carries the start of its interval (S3), so time_start is preferred to timestamp. Files of means have one PM2.5, called
 * avg_pm2.5 in the daily file and pm2.5 in the hourly ones; it is stored as final.
 */
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';
import { InputError } from '../../inputError.ts';
import { makeOffsetAdder } from '../localTime.ts';
import type { ReadingInput } from '../validate.ts';
import { splitCsvLine } from './csv.ts';
import { unreadable } from './json.ts';
import type { Line, LineReader } from './lines.ts';
import { SENSOR_KEY } from './names.ts';

/** Newer files begin with psql's reply to `set time zone`. */
export const PREAMBLE = 'SET';

const TIME = 'timestamp';
const START = 'time_start';
const END = 'time_end';

/** Whether a first line is one of these files, which need the format to be named because their times have no offset. */
export const isPortalFile = (line: string): boolean =>
  line === PREAMBLE || /(^|,)"?(avg|total)_|pm2\.5_corrected/.test(line);

/**
 * `position` names the header in messages; stamps without an offset are in `timeZone`. Throws InputError where the header lacks what a
 * reading needs.
 */
export function airqualityAmReader(header: string, position: string, timeZone: string): LineReader {
  const names = splitCsvLine(header, ',') ?? [];
  const [sensor, time, start] = [names.indexOf(SENSOR_KEY), names.indexOf(TIME), names.indexOf(START)];
  const ofMeans = names.some((name) => name.startsWith('avg_'));
  const parameters = names.flatMap((name, index): [ParameterName, number][] => {
    const parameter = parameterOf(name, ofMeans);
    return parameter === undefined ? [] : [[parameter, index]];
  });

  const invalid = (what: string) =>
    new InputError(
      position,
      `the header ${what}: ${JSON.stringify(header.slice(0, 300))}`,
      'Needed are measurements_YYYY_MM.csv or sensor_avg files, with sensor_id, timestamp and measured values; those of stations and cities are computed from them.',
    );
  if (sensor < 0) throw invalid(`has no column ${SENSOR_KEY}`);
  if (time < 0) throw invalid(`has no column ${TIME}`);
  if (parameters.length === 0) throw invalid('names no parameter');
  const twice = parameters.find(
    ([parameter], index) => parameters.findIndex(([other]) => other === parameter) !== index,
  );
  if (twice !== undefined) throw invalid(`names ${twice[0]} twice`);

  const used = new Set([sensor, time, start, names.indexOf(END), ...parameters.map(([, index]) => index)]);
  const withOffset = makeOffsetAdder(timeZone);
  const read = ({ number, text, tooLong }: Line): ReadingInput => {
    const fields = tooLong ? undefined : splitCsvLine(text, ',');
    if (fields?.length !== names.length) return unreadable(text, number);
    const values: ReadingInput['values'] & { [name in ParameterName]?: unknown } = {};
    for (const [parameter, index] of parameters) {
      const field = fields[index];
      if (field !== '') values[parameter] = field;
    }
    const sensorId = fields[sensor] as string;
    const measuredAt = withOffset((fields[start] || fields[time]) as string, sensorId);
    return { sensorId, measuredAt, values, text, line: number };
  };
  const means = ofMeans ? (names.includes('avg_pm2.5') ? 'day' : 'hour') : undefined;
  return { means, ignored: new Set(names.filter((_, index) => !used.has(index))), read };
}

/** A value stored as pm25 is final, one stored as pm25_raw goes through the sensor's formula (S5). */
function parameterOf(name: string, ofMeans: boolean): ParameterName | undefined {
  if (name === 'pm2.5_corrected' || name === 'avg_pm2.5') return 'pm25';
  if (name === 'pm2.5') return ofMeans ? 'pm25' : 'pm25_raw';
  const bare = name.replace(/^(avg|total)_/, '');
  return PARAMETER_NAMES.find((parameter) => parameter === bare);
}
