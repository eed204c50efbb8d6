/**
 * The door (rules S1 to S3): every reading, from wherever, comes in here. One statement for a batch, so it is in as a whole or not
 * at all, and sending it again changes nothing.
 */
import { PARAMETERS } from '../contract/parameters.ts';
import { arrayLiteral, textParameters } from '../database/client.ts';
import { Unavailable } from '../database/errors.ts';
import { type Queryable, query } from '../database/queryPool.ts';
import { type Batch, type Problem, type ReadingInput, toColumns, type ValueProblem } from './batch.ts';
import type { ReadingReason } from './summary.ts';

/** What became of a batch: accepted + unchanged + quarantined = received. */
export type Accepted = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Whole readings that could not be used, by their position in the batch. */
  quarantined: Problem[];
  /** Single values left out of readings that were otherwise judged as usual. */
  values: ValueProblem[];
  /** Of the accepted: how many had no placement at their time: the sensor stood nowhere, or was suspicious. They are kept. */
  withoutStation: number;
  /** Lines of what could not be used for which the quarantine had no room. */
  leftOut: number;
};

/** Of the readings that were written: what they mean for those who wait for them. */
export type WriteStats = {
  /** Closed hours that they touched. */
  lateHours: number;
  /** Seconds from measurement to acceptance, one for each; alike ones are given as their mean. */
  delays: number[];
};

/** What a sender may speak for. */
export type Scope = {
  provider: string;
  /** Null: every station of the provider. */
  stations: readonly number[] | null;
};

/** The batch holds readings of sensors that its sender may not speak for; nothing of it was stored. */
export class OutOfScope extends Error {
  readonly sensors: string;

  constructor(sensors: string) {
    super(`sensors out of scope: ${sensors}`);
    this.sensors = sensors;
  }
}

type Row = {
  accepted: number;
  unchanged: number;
  without_station: number;
  refused_nths: number[];
  refused_reasons: ReadingReason[];
  late_hours: number;
  left_out: number;
  delays: [count: number, seconds: number][];
};

type Options = {
  now: Date;
  source: string;
  scope?: Scope | undefined;
  /** What is stored already stays as it is, and counts as unchanged. */
  onlyNew?: boolean;
  /** Told once the batch is in. */
  onWrite?: ((written: WriteStats) => void) | undefined;
};

const ACCEPT_TYPES = [
  [
    'timestamptz',
    'text',
    'int[]',
    'float8[]',
    'text[]',
    'bigint[]',
    'text',
    'int[]',
    'text[]',
    'text',
    'int[]',
    'boolean',
  ],
  PARAMETERS.map(() => 'real[]'),
].flat();
const ACCEPT = `select * from logic.store_readings(${textParameters(ACCEPT_TYPES)})`;

/** `sql` is a pool in the role airseries_ingest. Rejects with OutOfScope, and with Unavailable where the pool does. */
export async function acceptReadings(
  sql: Queryable,
  readings: readonly ReadingInput[],
  { now, source, scope, onlyNew = false, onWrite }: Options,
): Promise<Accepted> {
  const received = readings.length;
  if (received === 0)
    return { received, accepted: 0, unchanged: 0, quarantined: [], values: [], withoutStation: 0, leftOut: 0 };
  const batch = await toColumns(readings, now);
  const row = await retryingDeadlock(sql, [
    now.toISOString(),
    source.replaceAll('\0', '\ufffd'),
    ...batch.columns,
    batch.text,
    arrayLiteral(batch.values.map(({ index }) => index + 1)),
    arrayLiteral(batch.values.map(({ reason }) => reason)),
    scope?.provider ?? null,
    scope?.stations ? arrayLiteral(scope.stations) : null,
    String(onlyNew),
    ...batch.parameters,
  ]);
  if (onWrite !== undefined) {
    const delays = row.delays.flatMap(([count, seconds]) => Array<number>(count).fill(seconds));
    onWrite({ lateHours: row.late_hours, delays });
  }
  return {
    received,
    accepted: row.accepted,
    unchanged: row.unchanged,
    ...judged(batch, row),
    withoutStation: row.without_station,
    leftOut: row.left_out,
  };
}

/** The database has the last word on whole readings; what else is wrong with one that is refused is of no interest. */
function judged({ values }: Batch, row: Row): Pick<Accepted, 'quarantined' | 'values'> {
  const quarantined = row.refused_nths.map(
    (nth, position): Problem => ({ index: nth - 1, reason: row.refused_reasons[position] as ReadingReason }),
  );
  if (quarantined.length === 0) return { quarantined, values };
  const refused = new Set(quarantined.filter(({ reason }) => reason !== 'no_value').map(({ index }) => index));
  return { quarantined, values: values.filter(({ index }) => !refused.has(index)) };
}

/** Readings are written in one order everywhere, but lines for the quarantine may cross: then the loser simply tries again. */
async function retryingDeadlock(sql: Queryable, parameters: (string | null)[], triesLeft = 5): Promise<Row> {
  try {
    const [row] = await query(sql, ACCEPT, parameters);
    if (row === undefined) throw new Error('logic.store_readings returned nothing');
    return row as Row;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === OUT_OF_SCOPE) throw new OutOfScope(message);
    if (code !== DEADLOCK) throw error;
    if (triesLeft === 0) throw new Unavailable(message, { cause: error });
    return retryingDeadlock(sql, parameters, triesLeft - 1);
  }
}

const DEADLOCK = '40P01';
/** Raised by logic.store_readings; the message is the list of sensors. */
const OUT_OF_SCOPE = 'AS403';
