/** A town of one station with one sensor, for the operator's commands over it. */
import { commandsOn } from '../support/command.ts';
import { engines, testDatabase } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { bringIn } from '../support/smallNetwork.ts';

const { stations, ...others } = citiesOfOneStation(['town']);
/** Screened, as is everything that a list of sensors adds. */
export const NETWORK = {
  ...others,
  stations: stations.map((one) => ({ ...one, screening: true })),
};

/** A day after the newest of READINGS. */
export const NOW = '2026-11-20T12:00:00Z';

/** Two readings of sensor 1, a value out of bounds, an unknown sensor, and an unreadable line. */
export const READINGS = `sensor_id,time,pm25,colour
1,2026-11-19T08:00:00Z,12.5,red
1,2026-11-19T08:30:00Z,5000,red
12,2026-11-19T08:00:00Z,7,red
garbage
1,2026-11-19T09:00:00Z,20,red
`;

/** Runs commands over a new database of the town. */
export async function openTown() {
  const db = await testDatabase(engines[0] ?? 'plain');
  await bringIn(db.as(), NETWORK);
  return { run: commandsOn(db), close: () => db.drop() };
}
export type Town = Awaited<ReturnType<typeof openTown>>;
