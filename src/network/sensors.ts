/**
 * Turns the placements, devices and formulas of a network file's sensors into rows, and checks
 * them.
 */
import type { CheckContext } from './context.ts';
import { addOverlaps, type Given, type Period } from './periods.ts';
import type { ParsedSensor } from './read.ts';
import type { Correction } from './schema.ts';

/**
 * Rows of raw.sensor_station. Without periods of its own, a sensor is always at the station it is
 * listed under.
 */
export function placements(sensor: ParsedSensor, { periods, addIssue, checkName }: CheckContext) {
  const { position, stationId, stations = [{ id: stationId }] } = sensor;
  const key = `${position}.stations`;
  for (const [index, { id }] of sensor.stations?.entries() ?? [])
    checkName(`${key}[${index}].id`, 'station', id);
  const all = periods.list<Given & { id: number | undefined }>(key, stations);
  addOverlaps(
    all,
    () => sensor,
    (_, earlier) =>
      `the sensor is somewhere at the same time by ${earlier.position}: end one before the other begins`,
    addIssue,
  );
  return all.map(({ id, since, until }) => ({
    sensor_id: sensor.id,
    station_id: id,
    since,
    until,
  }));
}

/** `position` is empty for a sensor of the database: what conflicts with it is in the file. */
type Located = Period & { device: string; station: number; named: string; position: string };

/**
 * Adds an issue for every device that is at two stations at a time: its readings could be of
 * either.
 */
export function checkDevices(
  rows: ReadonlyMap<ParsedSensor, ReturnType<typeof placements>>,
  context: CheckContext,
): void {
  const { existing, addIssue } = context;
  const listed = new Set([...rows.keys()].map(({ id }) => id));
  const others = existing.devices
    .filter(({ sensor }) => !listed.has(sensor))
    .map(
      (other): Located => ({
        ...other,
        named: `sensor ${other.sensor} of the database`,
        position: '',
      }),
    );
  const inFile = [...rows].flatMap(([{ device, position: named }, periods]) =>
    periods.flatMap(({ station_id: station, since, until }): Located[] =>
      device == null || station === undefined
        ? []
        : [{ device, station, named, position: `${named}.device`, since, until }],
    ),
  );
  addOverlaps(
    [...others, ...inFile],
    ({ device }) => device,
    ({ device }, { station, named }) =>
      `device ${device} is at station ${station} at the same time, by ${named}: ` +
      'give each device a name of its own or, if it moved, give all of its sensors the same periods in stations',
    addIssue,
    (one, other) => one.station === other.station || one.position === '',
  );
}

/** The periods of formulas, at a position of the file. */
export function corrections(
  position: string,
  given: Correction,
  { periods, addIssue }: CheckContext,
) {
  const all = periods.list(position, typeof given === 'string' ? [{ formula: given }] : given);
  addOverlaps(
    all,
    () => position,
    (_, earlier) =>
      `another formula applies at the same time, by ${earlier.position}: end one before the other begins`,
    addIssue,
  );
  return all
    .filter(({ formula }) => formula !== 'none')
    .map(({ formula, since, until }) => ({ formula, since, until }));
}
