/** A network file into the database: read, checked with every problem named at once, and put in by a single statement. */
import type { Sql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { readKnown } from './context.ts';
import { timestamp } from './periods.ts';
import { type Problem, readNetwork } from './read.ts';
import { makeRows } from './rows.ts';

type Counts = {
  added: number;
  changed: number;
  unchanged: number;
  /** In the database, not named in the file, and left as they are. */
  left: string[];
};

export type NetworkResult = {
  providers: Counts;
  regions: Counts;
  stations: Counts;
  sensors: Counts;
  /** How many sensors and stations have hours that the next refresh computes again. */
  recomputed: { sensors: number; stations: number };
};

export class NetworkRefused extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const many = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(
      `The network file has ${many}; nothing was imported.\n${problems.map(({ place, what }) => `  ${place}: ${what}`).join('\n')}`,
    );
    this.name = 'NetworkRefused';
    this.problems = problems;
  }
}

/** `sql` is a pool of the owner. The aggregates follow at the next refresh. */
export async function importNetwork(sql: Sql, text: string, { log }: { log: Log }): Promise<NetworkResult> {
  const draft = readNetwork(text);
  const { rows, problems } = makeRows(draft, await readKnown(sql, draft));
  if (problems.length > 0) throw new NetworkRefused(problems);
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
