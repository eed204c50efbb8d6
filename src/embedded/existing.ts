/** The database that a data directory holds: it is used whatever is installed since, and never left for an empty one. */
import { resolve } from 'node:path';
import { AIRSERIES, shellWord } from '../shell.ts';
import { DATABASE, USER } from './cluster.ts';
import { type Cluster, type EmbeddedKind, findClusters, socketsOf } from './home.ts';

/**
 * The cluster of the data directory; undefined if there is none yet. Throws, with a remedy, if it is of another kind than `kind`, or if there are
 * several.
 */
export function chooseCluster(dataDirectory: string, kind: EmbeddedKind | undefined): Cluster | undefined {
  const clusters = findClusters(dataDirectory);
  const [first, ...others] = clusters.filter((one) => kind === undefined || one.kind === kind);
  if (others.length > 0) throw new Error(severalClusters(dataDirectory, [first as Cluster, ...others]));
  if (first === undefined && clusters[0] && kind) throw new Error(otherKind(dataDirectory, clusters[0], kind));
  return first;
}

function severalClusters(dataDirectory: string, clusters: readonly Cluster[]): string {
  const isOfKinds = new Set(clusters.map(({ kind }) => kind)).size > 1;
  return (
    `There are ${clusters.length} databases in ${dataDirectory} (DATA_DIR): ${clusters.map(({ home }) => home).join(' and ')}. ` +
    `Nothing says which of them to use. ${isOfKinds ? 'Set EMBEDDED_PG to bundled or local, or move' : 'Move'} the other folder away.`
  );
}

/** One recipe for both directions: the bundled server comes without pg_dump, and cannot restore what TimescaleDB dumps. */
function otherKind(dataDirectory: string, { kind, home }: Cluster, wanted: EmbeddedKind): string {
  const airseries = (one: EmbeddedKind, directory: string) =>
    `EMBEDDED_PG=${one} DATA_DIR=${shellWord(resolve(directory))} ${AIRSERIES}`;
  const [from, to] = [airseries(kind, dataDirectory), airseries(wanted, `${dataDirectory}-${wanted}`)];
  const copy = "'copy (select * from raw.readings) to stdout csv header'";
  return [
    `The database in ${home} (DATA_DIR) is of EMBEDDED_PG=${kind}, and EMBEDDED_PG=${wanted} would be another, empty one. ` +
      'Unset EMBEDDED_PG to use the one that is there. To move its network and readings, stop the service, and start one that takes no readings in (nobody knows its port, and it polls no one):',
    `  DEMO=off INGEST_PORT=0 PULL_HOSTS= ${from} start`,
    'While it runs, in another terminal:',
    `  ${from} network export > network.json`,
    `  psql -X -h ${shellWord(socketsOf(home))} -U ${USER} ${DATABASE} -c ${copy} > readings.csv`,
    'Then stop it, and with the same TIME_ZONE and EPOCH:',
    `  ${to} import network network.json`,
    `  ${to} import readings readings.csv`,
    `  DEMO=off ${to} start`,
    'Tokens are made again. The quarantine is not moved, nor are aggregates whose readings RAW_RETENTION has deleted.',
  ].join('\n');
}
