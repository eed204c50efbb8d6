/** Imports sensors.csv as a network. What the database knows better (titles of its cities, districts and providers) stays as it is. */
import type { Sql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { readExisting } from './existing.ts';
import { InvalidNetwork, type NetworkResult, storeNetwork } from './importNetwork.ts';
import { type Issue, parseNetwork } from './read.ts';
import { readSensorList } from './sensorList.ts';

/** `without_station`: ids of sensors that the list places nowhere; they were left out. */
type SensorListResult = NetworkResult & { without_station: string[] };

/**
 * `text` is the file and `name` what it is called in messages, `sql` a pool of the owner. Rejects with InputError if it is no list of
 * sensors, and with InvalidNetwork, which names lines.
 */
export async function importSensorList(
  sql: Sql,
  text: string,
  { name, timeZone, log, dryRun = false }: { name: string; timeZone: string; log: Log; dryRun?: boolean },
): Promise<SensorListResult> {
  const { network, lines, issues, withoutStation } = readSensorList(text, { name, timeZone });
  const parsed = parseNetwork(JSON.stringify(network));
  const existing = await readExisting(sql, parsed.times);
  const unknown = {
    ...parsed,
    providers: parsed.providers.filter(({ id }) => id === undefined || !existing.providers.has(id)),
    regions: parsed.regions.filter(({ slug }) => slug === undefined || !existing.regions.has(slug)),
    issues: [...issues, ...parsed.issues],
  };
  try {
    const result = await storeNetwork(sql, unknown, { existing, log, dryRun });
    if (withoutStation.length > 0) log.warn({ sensors: withoutStation }, 'sensors without a station are left out');
    return { ...result, without_station: withoutStation };
  } catch (error) {
    if (!(error instanceof InvalidNetwork)) throw error;
    throw new InvalidNetwork(withoutRepetition(error.issues.map((issue) => atLine(issue, lines))), name);
  }
}

const POSITION = /(providers|regions|stations)\[(\d+)\](?:\.(sensors)\[(\d+)\])?(?:\.(\w+))?(?:\[\d+\])?/g;

/** What keys of the network are called in the list, where that differs. */
const COLUMNS: Readonly<Record<string, string>> = {
  'providers.id': 'provider',
  'providers.title': 'provider',
  'regions.slug': 'city_slug or district_slug',
  'stations.regions': 'city_slug or district_slug',
  'stations.id': 'station_id',
  'sensors.kind': 'sensor_type',
  'sensors.device': 'external_id',
};

/** The issue with lines and columns of the list instead of positions in the network. */
function atLine({ position, message }: Issue, lines: ReadonlyMap<string, number>): Issue {
  const inLines = (text: string) =>
    text.replace(POSITION, (_, list: string, index: string, inner?: string, ordinal?: string, key?: string) => {
      const line = lines.get(`${list}[${index}]${inner === undefined ? '' : `.${inner}[${ordinal}]`}`);
      return key === undefined ? `line ${line}` : `line ${line}, ${COLUMNS[`${inner ?? list}.${key}`] ?? key}`;
    });
  return { position: inLines(position), message: inLines(message) };
}

/** A slug is wrong once, not as that of a region and of a station. */
function withoutRepetition(issues: readonly Issue[]): Issue[] {
  return [...new Map(issues.map((issue) => [`${issue.position}: ${issue.message}`, issue])).values()];
}
