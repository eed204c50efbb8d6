/**
 * Imports batches of a file (rules S1 to S3). Readings that are newer than any of their sensor, and
 * nothing is wrong with, go straight into raw.readings by COPY, several times faster than by a
 * statement that looks for them first; all others are accepted as a sender's readings are. Each of
 * the two is stored as a whole or not at all, and safe to repeat. Tried and lost: an insert from a
 * table that COPY had filled took 6.8 s for 960,000 readings, COPY alone 4.4 s.
 */
import { setImmediate } from 'node:timers/promises';
import { makeBinaryRows } from '../../database/binaryRows.ts';
import { arrayLiteral, type Sql } from '../../database/client.ts';
import { copyRows, inTransaction } from '../../database/copyIn.ts';
import { isRefusedRow, isRepeatable } from '../../database/errors.ts';
import type { ReadingInput } from '../reading/reading.ts';
import { type Accepted, acceptSome } from './accept.ts';
import { factsOf, type SensorFacts, type SensorRow } from './sensorFacts.ts';
import { checkReading, givenParameters, latestAcceptable, readSensorId } from './validate.ts';

export type Copier = {
  /**
   * Checks the next batch. Call it for batches in their order; the batch before may still be being
   * stored.
   */
  prepare(readings: readonly ReadingInput[], now: Date): Promise<Prepared>;
  /**
   * Stores a prepared batch. Call it for one batch at a time, in their order. `source` is recorded
   * in the quarantine.
   */
  store(prepared: Prepared, source: string): Promise<Accepted>;
};

export type Prepared = {
  readings: readonly ReadingInput[];
  now: Date;
  bounds: Bounds;
  /** The column list of COPY, its rows as bytes, and their number. */
  columns: string;
  chunks: Buffer[];
  count: number;
  /** How many rows have no placement at their time. */
  withoutPlacement: number;
  /** The positions of the readings that are not among the rows. */
  others: number[];
};

/** A sensor of the network. Times in microseconds since 1970. */
type KnownSensor = SensorFacts & {
  /** The newest reading that is stored or about to be. */
  newest: number;
  placements: readonly (readonly [since: number, until: number])[];
};

/**
 * The earliest acceptable times, in microseconds since 1970: the epoch, and where retention ends.
 */
type Bounds = { origin: number; cutoff: number };

/**
 * `sql` is a pool of at least two connections in the role airseries_ingest: one stores a batch
 * while the other looks up sensors.
 */
export function makeCopier(sql: Sql): Copier {
  const known = new Map<number, KnownSensor>();
  let bounds: Bounds | undefined;

  return {
    async prepare(readings, now) {
      bounds ??= await readBounds(sql);
      await loadSensors(sql, known, readings);
      return await divide(readings, now, bounds, known);
    },
    async store(
      { readings, now, bounds: checkedBy, columns, chunks, count, withoutPlacement, others },
      source,
    ) {
      const copy = () =>
        inTransaction(sql, async (connection) => {
          bounds = await readBounds(connection);
          if (bounds.cutoff !== checkedBy.cutoff) return false; // some may be too old now
          await copyRows(
            connection,
            `copy raw.readings (${columns}) from stdin (format binary)`,
            chunks,
          );
          return true;
        });
      const isCopied =
        count > 0 && // a COPY costs 80 ms, however few lines it has
        (await copy().catch((error) => {
          if (isRefusedRow(error) || isRepeatable(error)) return false;
          throw error;
        }));
      const rest = isCopied ? others : [...readings.keys()];
      const outcome = await acceptSome(sql, readings, rest, { now, source });
      return {
        ...outcome,
        received: readings.length,
        accepted: outcome.accepted + (isCopied ? count : 0),
        withoutStation: outcome.withoutStation + (isCopied ? withoutPlacement : 0),
      };
    },
  };
}

/** In a transaction, the bounds stay as they are to its end. */
async function readBounds(sql: Pick<Sql, 'unsafe'>): Promise<Bounds> {
  const [row] = await sql.unsafe<[{ origin: number; cutoff: number | null }]>(
    'select origin, cutoff from logic.ingest_bounds()',
  );
  return { origin: row.origin, cutoff: row.cutoff ?? Number.NEGATIVE_INFINITY };
}

type KnownRow = SensorRow & {
  newest: number | null;
  placements: [number | null, number | null][];
};

/**
 * Looks up the sensors of a batch that are not in `known`. A sensor that does not exist now may
 * exist at the next batch.
 */
async function loadSensors(
  sql: Sql,
  known: Map<number, KnownSensor>,
  readings: readonly ReadingInput[],
): Promise<void> {
  const missing = new Set<number>();
  for (const { sensorId } of readings) {
    const id = readSensorId(sensorId);
    if (id !== undefined && !known.has(id)) missing.add(id);
  }
  if (missing.size === 0) return;
  const rows = await sql<KnownRow[]>`
    select id, kind, rain, newest, placements from logic.known_sensors(${arrayLiteral([...missing])}::text::int[])`;
  for (const row of rows) {
    const { id, newest, placements } = row;
    known.set(id, {
      ...factsOf(row),
      newest: newest ?? Number.NEGATIVE_INFINITY,
      placements: placements.map(([since, until]) => [
        since ?? Number.NEGATIVE_INFINITY,
        until ?? Number.POSITIVE_INFINITY,
      ]),
    });
  }
}

const PAUSE_EVERY = 2_000;

/**
 * Raises `newest` of the sensors in `known`. Pauses now and then, so that the batch before keeps
 * flowing to the database.
 */
async function divide(
  readings: readonly ReadingInput[],
  now: Date,
  bounds: Bounds,
  known: ReadonlyMap<number, KnownSensor>,
): Promise<Prepared> {
  const latest = latestAcceptable(now);
  const earliest = Math.max(bounds.origin, bounds.cutoff);
  const given = givenParameters(readings);
  const rows = makeBinaryRows(given.length);
  const others: number[] = [];
  let count = 0;
  let withoutPlacement = 0;
  for (const [index, reading] of readings.entries()) {
    if (index % PAUSE_EVERY === PAUSE_EVERY - 1) await setImmediate();
    const {
      sensorId = 0,
      time = 0,
      values,
      rejected,
      reason,
    } = checkReading(reading, given, latest, known);
    const sensor = known.get(sensorId);
    const isNewest = sensor !== undefined && reason === undefined && time > sensor.newest;
    // for one that isn't copied too: what is given for the same time after it must win
    if (isNewest) sensor.newest = time;
    // the amount of a total depends on the readings beside it, and formulas are not looked up here
    const isApart =
      sensor?.countsRain === true ||
      reading.values.rain_total !== undefined ||
      reading.isCorrected === true;
    if (!isNewest || isApart || rejected.length > 0 || time < earliest) {
      others.push(index);
      continue;
    }
    if (!sensor.placements.some(([since, until]) => since <= time && time < until))
      withoutPlacement += 1;
    rows.add(time, sensorId, values);
    count += 1;
  }
  const columns = ['measured_at', 'sensor_id', ...given.map(({ name }) => name)].join(', ');
  return { readings, now, bounds, columns, chunks: rows.take(), count, withoutPlacement, others };
}
