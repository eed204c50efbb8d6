/** The database that a data directory holds: it is used whatever is installed since, and never left for an empty one. */
import { resolve } from 'node:path';
import { AIRSERIES, shellWord } from '../../base/shell.ts';
import { DATABASE, USER } from './cluster.ts';
import { type EmbeddedKind, findHomes, type Home } from './home.ts';

/** The home of the data; undefined if there are none yet. Throws, with a remedy, if it is of another kind than `kind`, or if there are several. */
export function chooseHome(
  dataDirectory: string,
  kind: EmbeddedKind | undefined,
): Home | undefined {
  const homes = findHomes(dataDirectory);
  const [first, ...others] = homes.filter((home) => kind === undefined || home.kind === kind);
  if (first && others.length > 0)
    throw new Error(severalDatabases(dataDirectory, [first, ...others]));
  if (!first && homes[0] && kind) throw new Error(otherKind(dataDirectory, homes[0], kind));
  return first;
}

function severalDatabases(dataDirectory: string, homes: readonly Home[]): string {
  const areOfKinds = new Set(homes.map(({ kind }) => kind)).size > 1;
  return (
    `There are ${homes.length} databases in ${dataDirectory} (DATA_DIR): ${homes.map(({ directory }) => directory).join(' and ')}. ` +
    `Nothing says which of them to use. ${areOfKinds ? 'Set EMBEDDED_PG to bundled or local, or move' : 'Move'} the other folder away.`
  );
}

/** One recipe for both directions: the bundled server comes without pg_dump, and cannot restore what TimescaleDB dumps. */
function otherKind(
  dataDirectory: string,
  { kind, directory, sockets }: Home,
  wanted: EmbeddedKind,
): string {
  const airseries = (one: EmbeddedKind, data: string) =>
    `EMBEDDED_PG=${one} DATA_DIR=${shellWord(resolve(data))} ${AIRSERIES}`;
  const [from, to] = [
    airseries(kind, dataDirectory),
    airseries(wanted, `${dataDirectory}-${wanted}`),
  ];
  const copy = "'copy (select * from raw.readings) to stdout csv header'";
  return [
    `The database in ${directory} (DATA_DIR) is of EMBEDDED_PG=${kind}, and EMBEDDED_PG=${wanted} would be another, empty one. ` +
      'Unset EMBEDDED_PG to use the one that is there. To move its network and readings, stop the service, and start one that takes no readings in (nobody knows its port, and it polls no one):',
    `  DEMO=off INGEST_PORT=0 PULL_HOSTS= ${from} start`,
    'While it runs, in another terminal:',
    `  ${from} network export > network.json`,
    `  psql -X -h ${shellWord(sockets)} -U ${USER} ${DATABASE} -c ${copy} > readings.csv`,
    'Then stop it, and with the same TIME_ZONE and EPOCH:',
    `  ${to} import network network.json`,
    `  ${to} import readings readings.csv`,
    `  DEMO=off ${to} start`,
    'Tokens are made again. The quarantine is not moved, nor are aggregates whose readings RAW_RETENTION has deleted.',
  ].join('\n');
}
