/**
 * The open data of airquality.am: `measurements_YYYY_MM.csv`, and the means of single sensors, `sensor_avg_*.csv`. By the description
 * published with them, pm2.5 is the raw value and pm2.5_corrected the corrected one, pressure is in Pa, and means have time_start and
 * time_end. A mean carries the start of its interval (S3), so time_start is preferred to timestamp. Files of means have one PM2.5, called
 * avg_pm2.5 in the daily file and pm2.5 in the hourly ones; it is stored as final.
 */
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';
import { makeOffsetAdder } from '../localTime.ts';
import type { ReadingInput } from '../validate.ts';
import { splitCsvLine, tableReader } from './csv.ts';
import type { Line, LineReader } from './lines.ts';

/** Newer files begin with psql's reply to `set time zone`. */
export const PREAMBLE = 'SET';

const TIME = 'timestamp';
const START = 'time_start';
const END = 'time_end';

/** Whether a first line is one of these files, which need the format to be named because their times have no offset. */
export const isPortalFile = (line: string): boolean =>
  line === PREAMBLE || /(^|,)"?(avg|total)_|pm2\.5_corrected/.test(line);

/** Stamps without an offset are in `timeZone`. Throws InputError where the header lacks what a reading needs. */
export function airqualityAmReader(header: string, position: string, timeZone: string): LineReader {
  const given = splitCsvLine(header, ',') ?? [];
  const ofMeans = given.some((name) => name.startsWith('avg_'));
  const table = tableReader({
    ...{ header, position, delimiter: ',', given, time: TIME, preferredTime: START },
    names: given.map((name) => parameterOf(name, ofMeans) ?? name),
    needed:
      'Needed are measurements_YYYY_MM.csv or sensor_avg files, with sensor_id, timestamp and measured values; those of stations and cities are computed from them.',
  });
  const withOffset = makeOffsetAdder(timeZone);
  const read = (line: Line): ReadingInput => {
    const reading = table.read(line);
    const { unreadable, sensorId, measuredAt } = reading;
    return unreadable ? reading : { ...reading, measuredAt: withOffset(measuredAt as string, sensorId as string) };
  };
  const means = ofMeans ? (given.includes('avg_pm2.5') ? 'day' : 'hour') : undefined;
  return { means, ignored: new Set([...table.ignored].filter((name) => name !== END)), read };
}

/** A value stored as pm25 is final, one stored as pm25_raw goes through the sensor's formula (S5). */
function parameterOf(name: string, ofMeans: boolean): ParameterName | undefined {
  if (name === 'pm2.5_corrected' || name === 'avg_pm2.5') return 'pm25';
  if (name === 'pm2.5') return ofMeans ? 'pm25' : 'pm25_raw';
  const bare = name.replace(/^(avg|total)_/, '');
  return PARAMETER_NAMES.find((parameter) => parameter === bare);
}
