/**
 * Imports a network file: parses it, checks it and reports every issue at once, and stores it in a
 * single statement.
 */

import type { Log } from '../base/log.ts';
import { isAbbreviation, NOT_ABBREVIATED } from '../base/timeZone.ts';
import type { Sql } from '../database/client.ts';
import { networkDoubts } from './doubts.ts';
import { type ExistingNetwork, nothingExisting, readExisting } from './existing.ts';
import { timestamp } from './periods.ts';
import { type Issue, type ParsedNetwork, parseNetwork } from './read.ts';
import type { FarStation } from './regions.ts';
import { makeRows } from './rows.ts';
import type { ProviderKeys, SourceForms } from './schema.ts';

type Counts = {
  added: number;
  changed: number;
  unchanged: number;
  /** In the database but not listed in the file: left unchanged. */
  unlisted: string[];
};

export type NetworkResult = {
  providers: Counts;
  regions: Counts;
  stations: Counts;
  sensors: Counts;
  /** Only if the file has sources, or has an empty list that removes the database's. */
  sources?: { added: number; changed: number; unchanged: number; removed: string[] };
  /**
   * How many sensors and stations have hours that the next refresh recomputes; of a dry run also
   * how many hours of data.
   */
  recomputed: { sensors: number; stations: number; hours?: number };
  /** Only in a dry run, if there are any. */
  far_stations?: FarStation[];
  /** Only in a dry run; `keys` are the database's keys that differ. */
  changes?: { kind: string; id: string; keys: 'added' | string[] }[];
};

/**
 * The file has issues; nothing of it was imported. The message lists them all, one on a line, in
 * the order of the file.
 */
export class InvalidNetwork extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], file: string) {
    const many = issues.length === 1 ? 'a problem' : `${issues.length} problems`;
    const lines = issues.map((issue) => `  ${inWords(issue)}`);
    super(`${file} has ${many}; nothing was imported.\n${lines.join('\n')}`);
    this.name = 'InvalidNetwork';
    this.issues = issues;
  }
}

/** `line 3, providers[0].url: expected …` */
function inWords({ line, position, message }: Issue): string {
  const where = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(position === '' ? [] : [position]),
  ];
  return `${where.join(', ')}: ${message}`;
}

type Options = {
  log: Log;
  /** Its name, for messages. */
  file?: string;
  /** Only find out what would change. */
  dryRun?: boolean;
  /** Without them, what a provider says beside the core's keys is stored unread. */
  providerKeys?: ProviderKeys | undefined;
  /** Without them, a file with sources is refused. */
  sources?: SourceForms | undefined;
};

/**
 * The time zone of a file for a database that is still to be made. Throws InvalidNetwork for
 * whatever can be wrong with the file without a database. `file`: its name.
 */
export function checkNewNetwork(
  text: string,
  file: string,
  keys?: ProviderKeys,
  sources?: SourceForms,
): string {
  const parsed = parseNetwork(text, keys, sources);
  if (isAbbreviation(parsed.timeZone ?? ''))
    parsed.issues.push({
      position: 'time_zone',
      message: `${parsed.timeZone}: ${NOT_ABBREVIATED}`,
    });
  checkedRows(parsed, nothingExisting(parsed.timeZone ?? '', parsed.times), file);
  return parsed.timeZone as string; // every file without issues has one
}

/** Throws InvalidNetwork. */
function checkedRows(parsed: ParsedNetwork, existing: ExistingNetwork, file: string) {
  const { rows, issues, far, inCities } = makeRows(parsed, existing);
  const located = issues
    .map((issue) => ({ ...issue, line: issue.line ?? parsed.lineOf(issue.position) }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  if (located.length > 0) throw new InvalidNetwork(located, file);
  return { rows, far, inCities };
}

/**
 * `text` is the file, `sql` a pool of the owner. Rejects with InvalidNetwork. The aggregates follow
 * at the next refresh.
 */
export async function importNetwork(
  sql: Sql,
  text: string,
  { log, file = 'The network file', dryRun = false, providerKeys, sources }: Options,
): Promise<NetworkResult> {
  const parsed = parseNetwork(text, providerKeys, sources);
  const { rows, far, inCities } = checkedRows(parsed, await readExisting(sql, parsed.times), file);
  const json = JSON.stringify(rows, (key, value) =>
    (key === 'since' || key === 'until') && typeof value === 'number' ? timestamp(value) : value,
  );
  const store = sql(dryRun ? 'logic.preview_network' : 'logic.replace_network');
  const [{ result }] = await sql<
    [{ result: NetworkResult }]
  >`select ${store}(${json}::text::jsonb) as result`;
  for (const doubt of networkDoubts(parsed)) log.warn(`${file}, ${inWords(doubt)}`);
  for (const { id, region, km, swapped } of far) {
    const what = swapped ? 'are its latitude and longitude swapped?' : 'are its coordinates right?';
    log.warn(`station ${id} is ${km} km from the nearest other station of ${region}: ${what}`);
  }
  for (const { id, cities } of inCities)
    log.warn(
      `station ${id} is in ${cities.join(' and ')} at the same time, and counts in each of these cities: is that meant?`,
    );
  if (dryRun) return far.length === 0 ? result : { ...result, far_stations: far };
  for (const kind of ['providers', 'regions', 'stations', 'sensors'] as const) {
    const { unlisted } = result[kind];
    if (unlisted.length > 0)
      log.info({ [kind]: unlisted }, 'not listed in the file; left unchanged');
  }
  return result;
}
