/** Where the sensors of a network file stood, and by which formulas they are corrected, and when. */
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

/** When a formula corrects the sensor (S5): as the sensor says, else as its kind does, else never. At other times none does. */
export function correctionPeriods(
  { place, item: { id, kind, correction } }: Listed<Sensor>,
  { draft, reader, note }: Context,
) {
  const ofKind = kind == null ? undefined : draft.corrections[kind];
  const given = correction ?? ofKind ?? 'none';
  const key = correction === undefined ? `corrections.${kind}` : `${place}.correction`;
  const pieces = typeof given === 'string' ? [{ formula: given }] : given;
  const all = pieces.flatMap(({ formula, ...ends }, index) => {
    const here = `${key}[${index}]`;
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ formula, place: here, ...period }];
  });
  const both = overlap(all);
  if (both) note(both[1], `another formula holds at the same time, by ${both[0]}: end one before the other begins`);
  return all.flatMap(({ formula, since, until }) =>
    formula === 'none' ? [] : [{ sensor_id: id, formula, since, until }],
  );
}
