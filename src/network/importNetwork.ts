/** Imports a network file: parses it, checks it and reports every issue at once, and stores it in a single statement. */
import type { Sql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { type ExistingNetwork, readExisting } from './context.ts';
import { timestamp } from './periods.ts';
import { type Issue, type ParsedNetwork, parseNetwork } from './read.ts';
import { makeRows } from './rows.ts';

type Counts = {
  added: number;
  changed: number;
  unchanged: number;
  /** In the database but not listed in the file: left unchanged. */
  left: string[];
};

export type NetworkResult = {
  providers: Counts;
  regions: Counts;
  stations: Counts;
  sensors: Counts;
  /** How many sensors and stations have hours that the next refresh recomputes. */
  recomputed: { sensors: number; stations: number };
};

/** The file has issues; nothing of it was imported. The message lists them all, one on a line. */
export class InvalidNetwork extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const many = issues.length === 1 ? 'a problem' : `${issues.length} problems`;
    const lines = issues.map(({ position, message }) => `  ${position}: ${message}`);
    super(`The network file has ${many}; nothing was imported.\n${lines.join('\n')}`);
    this.name = 'InvalidNetwork';
    this.issues = issues;
  }
}

/** `text` is the file, `sql` a pool of the owner. Rejects with InvalidNetwork. The aggregates follow at the next refresh. */
export async function importNetwork(sql: Sql, text: string, { log }: { log: Log }): Promise<NetworkResult> {
  const parsed = parseNetwork(text);
  return storeNetwork(sql, parsed, { existing: await readExisting(sql, parsed), log });
}

/** The same for a network that was parsed already. */
export async function storeNetwork(
  sql: Sql,
  parsed: ParsedNetwork,
  { existing, log }: { existing: ExistingNetwork; log: Log },
): Promise<NetworkResult> {
  const { rows, issues } = makeRows(parsed, existing);
  if (issues.length > 0) throw new InvalidNetwork(issues);
  const json = JSON.stringify(rows, (key, value) => (key === 'since' || key === 'until' ? timestamp(value) : value));
  const [{ result }] = await sql<
    [{ result: NetworkResult }]
  >`select logic.replace_network(${json}::text::jsonb) as result`;
  for (const kind of ['providers', 'regions', 'stations', 'sensors'] as const) {
    const { left } = result[kind];
    if (left.length > 0) log.info({ [kind]: left }, 'not listed in the file; left unchanged');
  }
  return result;
}
