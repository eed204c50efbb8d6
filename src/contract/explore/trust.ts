/** The documents on trust: flags of a station, how its sensors agree, and the stations nearby. */
import { z } from 'zod';
import { field, instant, measured, parameter } from '../fields.ts';

const id = z.int().min(1);
const pm25 = parameter('pm25').unit;
const flag = z
  .strictObject({
    kind: field(
      z.enum(['thp', 'pm']),
      'what is flagged: temperature, humidity and pressure, or particles',
    ),
    test: field(z.string(), 'what it failed, or operator'),
    sensor_id: field(
      id.nullable(),
      'the sensor that failed it; null for particles and of the operator',
      null,
    ),
    since: field(instant.nullable(), 'start; null: always'),
    until: field(instant.nullable(), 'end, exclusive; null: it goes on'),
    is_left_out: field(
      z.boolean(),
      'whether regions leave it out; not yet for an outlier of fewer than 24 suspect hours, since smoke passes',
    ),
    'pm2.5': field(
      z.number().nullable(),
      'PM2.5 of its first suspect hour; null for other kinds and of the operator',
      pm25,
    ),
    median: field(z.number().nullable(), 'median of the neighbours in that hour', pm25),
    compared_with: field(
      z.array(
        z.strictObject({
          id: field(id, 'sensor id, or station id of a neighbour', null),
          'pm2.5': measured('pm25', 'mean of the hour'),
        }),
      ),
      'for test sensors the sensors of each kind that differs in itself (their means of 24 hours where only these differ), for test outlier the neighbours within 10 km',
    ),
  })
  .meta({ id: 'Flag', description: 'a period in which a station was flagged (C5, C9)' });

const sensorAt = z
  .strictObject({
    sensor_id: field(id, 'sensor id', null),
    station_id: field(id, 'station id', null),
  })
  .meta({ id: 'SensorAtStation', description: 'a sensor and where it stands' });
const pair = z
  .strictObject({
    x: field(sensorAt, 'the sensor at a trusted station, else the one with the lower id'),
    y: field(sensorAt, 'the other one'),
    days: field(
      z.int().min(1).max(30),
      'of the last 30 completed days, those with 18 hours of both',
      'days',
    ),
    slope: field(
      z.number().nullable(),
      'slope of the regression of y on x; null without two different days',
      null,
    ),
    intercept: field(z.number().nullable(), 'its intercept', pm25),
    r2: field(z.number().nullable(), 'its coefficient of determination', null),
    rmse: field(z.number(), 'root mean square of the differences', pm25),
    meets_targets: field(
      z.boolean().nullable(),
      "whether all four meet the US EPA's targets for PM2.5 sensors",
    ),
  })
  .meta({
    id: 'SensorPair',
    description: 'how two PM2.5 sensors at one station, or within 150 m, agree in day means',
  });

export const flags = z
  .strictObject({
    flags: field(z.array(flag), 'newest first'),
    pairs: field(z.array(pair), 'its sensors beside others'),
  })
  .meta({ id: 'StationFlags', description: 'how far the numbers of a station can be trusted' });

const neighbour = z
  .strictObject({
    id: field(id, 'station id', null),
    distance_km: field(z.number().min(0), 'distance on the globe', 'km'),
  })
  .meta({ id: 'Neighbour', description: 'a station near another one, or near a region' });
export const neighbours = {
  station: z
    .strictObject({
      neighbours: field(
        z.array(neighbour).max(5),
        'the nearest listed stations, the nearest first',
      ),
    })
    .meta({ id: 'StationNeighbours', description: 'the listed stations nearest to a station' }),
  region: z
    .strictObject({
      neighbours: field(
        z.array(neighbour).max(5),
        'the nearest listed stations that are not in it, the nearest first',
      ),
    })
    .meta({
      id: 'RegionNeighbours',
      description: 'the listed stations nearest to the point at which maps show a region',
    }),
};
