/** Where the sensors of a network file stood, and when. */
import { type Context, unknownName } from './context.ts';
import { overlap } from './periods.ts';
import type { Listed } from './read.ts';
import type { Sensor, Station } from './schema.ts';

export function sensorPeriods(
  { place, item: sensor, station }: Listed<Sensor> & { station: Station },
  { stations, reader, note }: Context,
) {
  const given = sensor.stations ?? [{ id: station.id }];
  const all = given.flatMap(({ id, ...ends }, index) => {
    const here = sensor.stations === undefined ? place : `${place}.stations[${index}]`;
    if (!stations.has(id)) note(`${here}.id`, unknownName('station', id));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ id, place: here, ...period }];
  });
  const both = overlap(all);
  if (both) note(both[1], `the sensor is somewhere at the same time by ${both[0]}: end one before the other begins`);
  return all.map(({ id, since, until }) => ({ sensor_id: sensor.id, station_id: id, since, until }));
}
