/** Where the sensors of a network file were and when, which device they are part of, and which formulas correct them. */
import { type CheckContext, sensorsOf, unknownName } from './context.ts';
import { overlap, type Period } from './periods.ts';
import type { Listed } from './read.ts';
import type { Sensor, Station } from './schema.ts';
import { PLACEHOLDER_ID } from './usableParts.ts';

type ListedSensor = Listed<Sensor> & { station: Station };

/** The periods of a sensor at stations; without any of its own, it is always at the station it is listed under. */
export function sensorPeriods({ position, item: sensor, station }: ListedSensor, context: CheckContext) {
  const { stations, reader, addIssue } = context;
  const given = sensor.stations ?? [{ id: station.id }];
  const all = given.flatMap(({ id, ...ends }, index) => {
    const here = sensor.stations === undefined ? position : `${position}.stations[${index}]`;
    if (id !== PLACEHOLDER_ID && !stations.has(id)) addIssue(`${here}.id`, unknownName('station', id, stations));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ id, position: here, ...period }];
  });
  const both = overlap(all);
  if (both)
    addIssue(both[1], `the sensor is somewhere at the same time by ${both[0]}: end one before the other begins`);
  return all.map(({ id, since, until }) => ({ sensor_id: sensor.id, station_id: id, since, until }));
}

type Located = Period & { device: string; station: number; named: string; position: string | undefined };

/** Adds an issue for every device that is at two stations at a time: its readings could be of either. */
export function checkDevices(context: CheckContext): void {
  const { parsed, existing, addIssue } = context;
  const sensors = sensorsOf(parsed);
  const listed = new Set(sensors.map(({ item }) => item.id));
  const inFile = sensors.flatMap((sensor): Located[] =>
    sensor.item.device == null
      ? []
      : sensorPeriods(sensor, context).map(({ station_id, since, until }) => ({
          ...{ since, until, station: station_id, device: sensor.item.device as string },
          ...{ named: sensor.position, position: `${sensor.position}.device` },
        })),
  );
  const others = existing.devices
    .filter(({ sensor }) => !listed.has(sensor))
    .map((other): Located => ({ ...other, named: `sensor ${other.sensor} of the database`, position: undefined }));
  const byDevice = new Map<string, Located[]>();
  for (const one of [...others, ...inFile]) {
    const before = byDevice.get(one.device) ?? [];
    const elsewhere = before.find(
      (each) => each.station !== one.station && each.since < one.until && one.since < each.until,
    );
    if (
      elsewhere !== undefined &&
      one.position !== undefined &&
      one.station !== PLACEHOLDER_ID &&
      elsewhere.station !== PLACEHOLDER_ID
    ) {
      addIssue(
        one.position,
        `device ${one.device} is at station ${elsewhere.station} at the same time, by ${elsewhere.named}: ` +
          'give each device a name of its own or, if it moved, give all of its sensors the same periods in stations',
      );
    }
    byDevice.set(one.device, [...before, one]);
  }
}

/** The periods in which a formula corrects the sensor (S5): its own, else those of its kind, else none. */
export function correctionPeriods(
  { position, item: { id, kind, correction } }: Listed<Sensor>,
  { parsed, reader, addIssue }: CheckContext,
) {
  const ofKind = kind == null ? undefined : parsed.corrections[kind];
  const given = correction ?? ofKind ?? 'none';
  const key = correction === undefined ? `corrections.${kind}` : `${position}.correction`;
  const pieces = typeof given === 'string' ? [{ formula: given }] : given;
  const all = pieces.flatMap(({ formula, ...ends }, index) => {
    const here = `${key}[${index}]`;
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ formula, position: here, ...period }];
  });
  const both = overlap(all);
  if (both)
    addIssue(both[1], `another formula applies at the same time, by ${both[0]}: end one before the other begins`);
  return all.flatMap(({ formula, since, until }) =>
    formula === 'none' ? [] : [{ sensor_id: id, formula, since, until }],
  );
}
