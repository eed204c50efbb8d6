/** The documents on one hour: the readings or stations that it was made of, and it before rounding. */
import { z } from 'zod';
import { field, instant, measured } from '../fields.ts';
import { regionHour, stationHour } from '../history.ts';
import { keyOf, PARAMETERS, type ParameterName } from '../parameters.ts';

/** The parameters that a condition selects, each under its key in documents. */
function values(how: string, isWanted: (kind: string) => boolean = () => true) {
  const wanted = PARAMETERS.filter(({ kind }) => isWanted(kind));
  return Object.fromEntries(
    wanted.map(({ name }: { name: ParameterName }) => [keyOf(name), measured(name, how)]),
  );
}

const component = z.number().nullable();

export const exact = z
  .strictObject({
    timestamp: field(instant, 'start of the hour'),
    ...values('mean of the hour, not rounded', (kind) => kind === 'mean'),
    wind_sin: field(component, 'mean of the sines of the wind directions', null),
    wind_cos: field(component, 'mean of the cosines of the wind directions', null),
    rain: measured('rain', 'sum of the hour, not rounded'),
  })
  .meta({ id: 'ExactBucket', description: 'an hour as stored, before rounding' });

const reading = z
  .strictObject({
    time: field(instant, 'time of measurement; for a mean, the start of its interval'),
    ...values('as stored, in single precision'),
  })
  .meta({
    id: 'Reading',
    description: 'what a sensor measured; before computing, round to single precision',
  });

const sensorReadings = z
  .strictObject({
    id: field(z.int().min(1), 'sensor id', null),
    formula: field(
      z.string().nullable(),
      'formula that corrects its PM2.5 in the mean of the station',
    ),
    mean: field(
      exact.nullable(),
      'hour of the sensor, from which the hour of the station is computed',
    ),
    readings: field(z.array(reading), 'its readings in the order of time'),
  })
  .meta({
    id: 'SensorReadings',
    description: 'a sensor that stood at the station for the whole hour',
  });

export const readings = z
  .strictObject({
    timestamp: field(instant, 'start of the hour'),
    hour: field(stationHour.nullable(), 'the hour; null until it has closed, or without readings'),
    sensors: field(
      z.array(sensorReadings),
      'the sensors that it was made of; none until it has closed',
    ),
    station: field(exact.nullable(), 'the hour before rounding'),
    kept: field(z.boolean(), 'whether readings of that hour are still kept'),
    complete: field(z.boolean(), 'whether these are all readings: at most 5,000 are shown'),
  })
  .meta({
    id: 'StationReadings',
    description: 'an hour of a station, and the readings that it was made of',
  });

const stationOfRegion = z
  .strictObject({
    id: field(z.int().min(1), 'station id', null),
    is_bad_thp: field(z.boolean(), 'whether its temperature, humidity and pressure are left out'),
    is_bad_pm: field(z.boolean(), 'whether its PM1, PM2.5 and PM10 are left out'),
    mean: field(exact, 'hour of the station'),
  })
  .meta({
    id: 'StationOfRegion',
    description: 'a station that belonged to the region in the hour, and measured',
  });

export const stationsOfHour = z
  .strictObject({
    timestamp: field(instant, 'start of the hour'),
    hour: field(regionHour.nullable(), 'the hour; null until it has closed, or without readings'),
    stations: field(
      z.array(stationOfRegion),
      'the stations that it was made of; none until it has closed',
    ),
    region: field(exact.nullable(), 'the hour before rounding'),
    complete: field(z.boolean(), 'whether these are all stations: at most 1,000 are shown'),
  })
  .meta({
    id: 'RegionStations',
    description: 'an hour of a region, and the hours of stations that it was made of',
  });
