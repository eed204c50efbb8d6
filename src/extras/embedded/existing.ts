/**
 * The database that a data directory holds already: it is used, or named with what to do about it,
 * and never left for an empty one.
 */
import { majorOf, type Program } from './bundled.ts';
import { findHomes, type Home } from './home.ts';

/** Release candidates preferred an installed PostgreSQL with TimescaleDB. */
const LOCAL = /\/local-\d+$/;

/**
 * The home of the data; undefined if there are none yet. Throws, with a remedy, if this program
 * cannot serve them, or if there are several.
 */
export function existingHome(dataDirectory: string, program: Program): Home | undefined {
  const homes = findHomes(dataDirectory);
  const [home] = homes;
  const local = homes.find(({ directory }) => LOCAL.test(directory));
  if (local !== undefined) {
    throw new Error(
      `The database in ${local.directory} (DATA_DIR) was made by a release candidate on an installed PostgreSQL ${local.major}, which this version ` +
        'does not start. Move its data with that candidate, by network export and a copy of the readings (src/database/README.md, ' +
        '"A server of your own"), or move the folder away to begin a new database; it is unchanged.',
    );
  }
  if (homes.length > 1) {
    throw new Error(
      `There are ${homes.length} databases in ${dataDirectory} (DATA_DIR): ${homes.map(({ directory }) => directory).join(' and ')}. ` +
        'Nothing says which of them to use. Move the other folder away.',
    );
  }
  if (home !== undefined && home.major !== majorOf(program)) {
    throw new Error(
      `The database in ${home.directory} (DATA_DIR) needs PostgreSQL ${home.major}. This version of airseries brings PostgreSQL ` +
        `${program.version}. Start the version of airseries that made the database, and move its data (src/database/README.md); they are unchanged.`,
    );
  }
  return home;
}
