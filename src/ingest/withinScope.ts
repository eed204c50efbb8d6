/**
 * The door for a provider's readings that nobody stands behind to send again: those of sensors that the provider may not speak for
 * are left out, one by one, and do not keep the others from coming in.
 */
import { arrayLiteral } from '../database/client.ts';
import { type Queryable, query } from '../database/queryPool.ts';
import { type Accepted, acceptReadings, OutOfScope, type Scope, type WriteStats } from './accept.ts';
import { type ReadingInput, toColumns } from './batch.ts';

/** accepted + unchanged + quarantined + outside = received. */
export type AcceptedWithin = Accepted & {
  /** Readings out of scope, by their position in the batch: not stored, and not in quarantine either. */
  outside: ReadonlySet<number>;
};

type Options = {
  now: Date;
  source: string;
  /** Undefined: whoever imports by hand may speak for everybody. */
  scope: Scope | undefined;
  onlyNew?: boolean;
  onWrite?: ((written: WriteStats) => void) | undefined;
};

export async function acceptWithinScope(
  sql: Queryable,
  readings: readonly ReadingInput[],
  { scope, ...options }: Options,
): Promise<AcceptedWithin> {
  try {
    return { ...(await acceptReadings(sql, readings, { ...options, scope })), outside: new Set() };
  } catch (error) {
    if (!(error instanceof OutOfScope)) throw error;
  }
  const outside = await findOutside(sql, readings, options.now, scope);
  const inside = [...readings.keys()].filter((index) => !outside.has(index));
  const outcome = await acceptReadings(
    sql,
    inside.map((index) => readings[index] as ReadingInput),
    { ...options, scope },
  );
  const placed = <T extends { index: number }>(problem: T): T => ({
    ...problem,
    index: inside[problem.index] as number,
  });
  return {
    ...outcome,
    received: readings.length,
    quarantined: outcome.quarantined.map(placed),
    values: outcome.values.map(placed),
    outside,
  };
}

/** Each by itself: a sensor that moved away is the provider's for what it measured before. */
const OUTSIDE = `
  select given.nth::int - 1 as index
  from unnest($1::text::int[], $2::text::float8[]) with ordinality as given(sensor_id, microseconds, nth)
  where logic.unauthorized_sensors(array[given.sensor_id], array[given.microseconds], $3::text, $4::text::int[]) <> '{}'`;

async function findOutside(
  sql: Queryable,
  readings: readonly ReadingInput[],
  now: Date,
  scope: Scope | undefined,
): Promise<Set<number>> {
  const [sensors = '', times = ''] = (await toColumns(readings, now)).columns;
  const parameters = [sensors, times, scope?.provider ?? null, scope?.stations ? arrayLiteral(scope.stations) : null];
  const rows = await query(sql, OUTSIDE, parameters);
  return new Set((rows as { index: number }[]).map(({ index }) => index));
}
