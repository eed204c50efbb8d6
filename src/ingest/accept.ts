/**
 * The door (rules S1 to S3): every reading, from wherever, comes in here. One statement for a batch, so it is in as a whole or not
 * at all, and sending it again changes nothing.
 */
import { METRICS } from '../contract/metrics.ts';
import { arrayLiteral } from '../database/arrayLiteral.ts';
import type { Sql } from '../database/connect.ts';
import { type Batch, type Incoming, layOut, type Problem, type ValueProblem } from './batch.ts';

/** What became of a batch: accepted + unchanged + quarantined = received. */
export type Accepted = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Whole readings that could not be used, by their position in the batch. */
  quarantined: Problem[];
  /** Single values left out of readings that were otherwise judged as usual. */
  values: ValueProblem[];
  /** Of the accepted: how many came from a sensor that stood at no station then. They are kept, and take part in nothing. */
  withoutStation: number;
};

type Row = { accepted: number; unchanged: number; without_station: number; unknown_nths: number[] };

const PARAMETERS = [
  ['timestamptz', 'text', 'int[]', 'float8[]', 'text[]', 'bigint[]', 'text', 'int[]', 'text[]'],
  METRICS.map(() => 'real[]'),
].flat();
// through text, so that the driver sends the literals as they are
const ACCEPT = `select * from raw.accept_readings(${PARAMETERS.map((type, index) => `$${index + 1}::text::${type}`).join(', ')})`;

/** `sql` is a pool in the role airseries_ingest. */
export async function acceptReadings(
  sql: Sql,
  readings: readonly Incoming[],
  { now, source }: { now: Date; source: string },
): Promise<Accepted> {
  const received = readings.length;
  if (received === 0) return { received, accepted: 0, unchanged: 0, quarantined: [], values: [], withoutStation: 0 };
  const batch = layOut(readings, now);
  const row = await retryingDeadlock(sql, [
    now.toISOString(),
    source.replaceAll('\0', '\ufffd'),
    ...batch.columns,
    batch.text,
    arrayLiteral(batch.values.map(({ index }) => index + 1)),
    arrayLiteral(batch.values.map(({ reason }) => reason)),
    ...batch.metrics,
  ]);
  return {
    received,
    accepted: row.accepted,
    unchanged: row.unchanged,
    ...withUnknown(batch, row.unknown_nths),
    withoutStation: row.without_station,
  };
}

/** An unknown sensor outweighs what else is wrong with a reading, its values included. */
function withUnknown(batch: Batch, unknown: readonly number[]): Pick<Accepted, 'quarantined' | 'values'> {
  if (unknown.length === 0) return { quarantined: batch.problems, values: batch.values };
  const indexes = new Set(unknown.map((nth) => nth - 1));
  const others = batch.problems.filter(({ index }) => !indexes.has(index));
  const quarantined = [...others, ...[...indexes].map((index): Problem => ({ index, reason: 'unknown_sensor' }))];
  return {
    quarantined: quarantined.sort((a, b) => a.index - b.index),
    values: batch.values.filter(({ index }) => !indexes.has(index)),
  };
}

/** Readings are written in one order everywhere, but lines for the quarantine may cross: then the loser simply tries again. */
async function retryingDeadlock(sql: Sql, parameters: string[], triesLeft = 5): Promise<Row> {
  try {
    const [row] = await sql.unsafe<Row[]>(ACCEPT, parameters, { prepare: true });
    if (row === undefined) throw new Error('raw.accept_readings returned nothing');
    return row;
  } catch (error) {
    if (triesLeft === 0 || (error as { code?: string }).code !== DEADLOCK) throw error;
    return retryingDeadlock(sql, parameters, triesLeft - 1);
  }
}

const DEADLOCK = '40P01';
