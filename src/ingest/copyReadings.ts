/**
 * Imports files by COPY (rules S1 to S3): straight into raw.readings where none of the readings can be stored yet, else through a
 * temporary table. A batch and its quarantined lines are one transaction: stored as a whole or not at all, and safe to repeat.
 */
import { PARAMETERS } from '../contract/parameters.ts';
import { arrayLiteral, type Sql, textParameters } from '../database/client.ts';
import { copyRows, inTransaction } from '../database/copyIn.ts';
import { errorCode, isSchemaChange } from '../database/errors.ts';
import { type Accepted, toColumns } from './accept.ts';
import { type Bounds, type CopyBatch, type KnownSensor, makeCopyBatch } from './copyBatch.ts';
import { type ReadingInput, readSensorId } from './validate.ts';

export type Copier = {
  /** Validates the next batch. Call it for batches in their order; the batch before may still be being stored. */
  prepare(readings: readonly ReadingInput[], now: Date): Promise<Prepared>;
  /** Stores a prepared batch. Call it for one batch at a time, in their order. `source` is recorded in the quarantine. */
  store(prepared: Prepared, source: string): Promise<Accepted>;
};

export type Prepared = { readings: readonly ReadingInput[]; now: Date; batch: CopyBatch };

type BoundsRow = { origin: number; cutoff: number | null };
type Counts = { accepted: number; unchanged: number; without_station: number };
type Connection = Parameters<Parameters<typeof inTransaction>[1]>[0];

/** `sql` is a pool of at least two connections in the role airseries_ingest: one stores a batch while the other looks up sensors. */
export function makeCopier(sql: Sql): Copier {
  const known = new Map<number, KnownSensor>();
  let bounds: Bounds | undefined;

  return {
    async prepare(readings, now) {
      bounds ??= boundsOf(await sql<BoundsRow[]>`select origin, cutoff from logic.ingest_bounds()`);
      await loadSensors(sql, known, readings);
      return { readings, now, batch: await makeCopyBatch(readings, { now, bounds, known }) };
    },
    async store({ readings, now, batch }, source) {
      const attempt = (isNew: boolean) =>
        inTransaction(sql, async (connection) => {
          bounds = boundsOf(await connection<BoundsRow[]>`select origin, cutoff from logic.ingest_bounds()`);
          const current =
            bounds.cutoff === batch.bounds.cutoff ? batch : await makeCopyBatch(readings, { now, bounds, known });
          const counts =
            isNew && current === batch
              ? await copyNew(connection, current)
              : await copyStaged(connection, current, now);
          const leftOut = await quarantine(connection, readings, current, now, source);
          return { current, counts, leftOut };
        });
      const { current, counts, leftOut } = await attempt(batch.isNew).catch((error) => {
        if (!(error instanceof CopyRefused || errorCode(error) === DEADLOCK || isSchemaChange(error))) throw error;
        return attempt(false); // something may be stored already; the order of its rows avoids another deadlock
      });
      return {
        received: readings.length,
        accepted: counts.accepted,
        unchanged: counts.unchanged,
        quarantined: current.quarantined,
        values: current.values,
        withoutStation: counts.without_station,
        leftOut,
      };
    },
  };
}

const DEADLOCK = '40P01';

/** COPY into raw.readings failed because one of the readings is stored already. */
class CopyRefused extends Error {}

function boundsOf([row]: readonly BoundsRow[]): Bounds {
  return { origin: row?.origin as number, cutoff: row?.cutoff ?? Number.NEGATIVE_INFINITY };
}

type SensorRow = { id: number; newest: number | null; placements: [number | null, number | null][] };

/** Looks up the sensors of a batch that are not in `known`. A sensor that does not exist now may exist at the next batch. */
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
  const rows = await sql<SensorRow[]>`
    select id, newest, placements from logic.known_sensors(${arrayLiteral([...missing])}::text::int[])`;
  for (const { id, newest, placements } of rows) {
    known.set(id, {
      newest: newest ?? Number.NEGATIVE_INFINITY,
      placements: placements.map(([since, until]) => [
        since ?? Number.NEGATIVE_INFINITY,
        until ?? Number.POSITIVE_INFINITY,
      ]),
    });
  }
}

async function copyNew(connection: Connection, { columns, lines, withoutPlacement }: CopyBatch): Promise<Counts> {
  if (lines.length > 0 && !(await copyRows(connection, `copy raw.readings (${columns}) from stdin`, chunksOf(lines)))) {
    throw new CopyRefused();
  }
  return { accepted: lines.length, unchanged: 0, without_station: withoutPlacement };
}

async function copyStaged(connection: Connection, { columns, lines }: CopyBatch, now: Date): Promise<Counts> {
  if (lines.length === 0) return { accepted: 0, unchanged: 0, without_station: 0 };
  await connection`
    create temporary table staged_readings (nth int generated always as identity, like raw.readings) on commit drop`;
  if (!(await copyRows(connection, `copy staged_readings (${columns}) from stdin`, chunksOf(lines)))) {
    throw new Error('the database refused the readings; its log says why');
  }
  const [counts] = await connection<
    Counts[]
  >`select accepted, unchanged, without_station from logic.store_staged_readings(${now})`;
  return counts as Counts;
}

const CHUNK_LINES = 2_000;

function* chunksOf(lines: readonly string[]): Generator<string> {
  for (let from = 0; from < lines.length; from += CHUNK_LINES) yield lines.slice(from, from + CHUNK_LINES).join('');
}

const QUARANTINE_TYPES = [
  ...['timestamptz', 'text', 'text', 'int[]', 'int[]', 'float8[]', 'bigint[]'],
  ...['text', 'int[]', 'text[]', 'int[]', 'text[]'],
  ...PARAMETERS.map(() => 'real[]'),
];
const QUARANTINE = `select logic.quarantine_readings(${textParameters(QUARANTINE_TYPES)}) as left_out`;

/** Records the rejected readings and values only. Returns how many lines found no room. */
async function quarantine(
  connection: Connection,
  readings: readonly ReadingInput[],
  { quarantined, values }: CopyBatch,
  now: Date,
  source: string,
): Promise<number> {
  const affected = [...new Set([...quarantined, ...values].map(({ index }) => index))].sort((a, b) => a - b);
  if (affected.length === 0) return 0;
  const nthOf = new Map(affected.map((index, position) => [index, position + 1]));
  const columns = await toColumns(
    affected.map((index) => readings[index] as ReadingInput),
    now,
  );
  const [sensors = '', times = '', , lines = ''] = columns.columns;
  const [row] = await connection.unsafe<[{ left_out: number }]>(QUARANTINE, [
    now.toISOString(),
    source.replaceAll('\0', '\ufffd'),
    null,
    null,
    sensors,
    times,
    lines,
    columns.text,
    arrayLiteral(columns.values.map(({ index }) => index + 1)),
    arrayLiteral(columns.values.map(({ reason }) => reason)),
    arrayLiteral(quarantined.map(({ index }) => nthOf.get(index) as number)),
    arrayLiteral(quarantined.map(({ reason }) => reason)),
    ...columns.parameters,
  ]);
  return row.left_out;
}
