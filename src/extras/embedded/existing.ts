/**
 * The database that a data directory holds already: it is used, or named with what to do about it,
 * and never left for an empty one.
 */
import { AIRSERIES, shellWord } from '../../base/shell.ts';
import { majorOf, type Program } from './bundled.ts';
import { DATABASE, quotedPath, USER } from './cluster.ts';
import { findHomes, type Home, isRoot, nameOf } from './home.ts';

/**
 * The home of the data; undefined if there are none yet. Throws, with a remedy, if this program
 * cannot serve them, or if there are several.
 */
export function existingHome(dataDirectory: string, program: Program): Home | undefined {
  const homes = findHomes(dataDirectory);
  const [home] = homes;
  const local = homes.find(({ kind }) => kind === 'local');
  if (local !== undefined) throw new Error(madeByAnother(local));
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

/**
 * Until November 2026 an installed PostgreSQL with TimescaleDB was preferred to the bundled one.
 */
function madeByAnother({ directory, data, sockets, log, major, user }: Home): string {
  const bin = `/usr/lib/postgresql/${major}/bin`;
  const asOwner = isRoot() ? `runuser -u ${nameOf(user.uid)} -- ` : '';
  const settings = {
    listen_addresses: '',
    unix_socket_directories: quotedPath(sockets),
    shared_preload_libraries: 'timescaledb',
  };
  const options = Object.entries(settings).map(
    ([name, value]) => `-c ${shellWord(`${name}=${value}`)}`,
  );
  const cluster = `-D ${shellWord(data)}`;
  return [
    `The database in ${directory} (DATA_DIR) was made by an installed PostgreSQL ${major} with TimescaleDB, and airseries now starts only the ` +
      'PostgreSQL that it brings. The data are unchanged. To dump them, serve them once more with the programs of that version ' +
      '(elsewhere than on Debian, in another folder):',
    `  ${asOwner}mkdir -p -m 700 ${shellWord(sockets)}`,
    `  ${asOwner}${bin}/pg_ctl start -w ${cluster} -l ${shellWord(log)} -o ${shellWord(options.join(' '))}`,
    `  ${bin}/pg_dump -h ${shellWord(sockets)} -U ${USER} -Fc ${DATABASE} > airseries.dump`,
    `  ${asOwner}${bin}/pg_ctl stop ${cluster}`,
    'Then restore the dump into a PostgreSQL with TimescaleDB of your own (src/database/README.md, "Dumps"), and name that ' +
      `in DATABASE_URL. Or move the folder away: ${AIRSERIES} start makes a new database.`,
  ].join('\n');
}
