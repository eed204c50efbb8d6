/**
 * Imports the readings of a file (rules S1 to S3). Those that are newer than any of their sensor,
 * and nothing is wrong with, go straight into raw.readings by COPY, several times faster than by a
 * statement that looks for them first; all others are accepted as a sender's readings are. Each of
 * the two is stored as a whole or not at all, and safe to repeat. Tried and lost: an insert from a
 * table that COPY had filled took 6.8 s for 960,000 readings, COPY alone 4.4 s.
 */
import { type Parameter, READING_COLUMNS, type ReadingColumn } from '../../contract/parameters.ts';
import { arrayLiteral } from '../../database/arrays.ts';
import { type BinaryRows, makeBinaryRows } from '../../database/binaryRows.ts';
import type { Sql } from '../../database/client.ts';
import { copyRows, inTransaction } from '../../database/copyIn.ts';
import { failureOf, isRepeatable } from '../../database/errors.ts';
import { FILE_LIMITS } from '../reading/batches.ts';
import { instantText } from '../reading/instants.ts';
import { type ReadingInput, withText } from '../reading/reading.ts';
import { addTime, addTimes, emptySpan, type Span } from '../reading/span.ts';
import { type Accepted, acceptReadings, type Withdrawn, withdrawEmpty } from './accept.ts';
import { factsOf, type SensorRow } from './sensorFacts.ts';
import { makeSourceMemory } from './sourceMemory.ts';
import {
  checkReading,
  givenParameters,
  latestAcceptable,
  readSensorId,
  type SensorFacts,
} from './validate.ts';

export type Copier = {
  /** Begins a source: its empty cells withdraw what was stored before it came (S3). */
  begin(): void;
  /**
   * Checks readings and adds them to the batch. Call it in the order of the source, and with few at
   * once: of those that are copied, nothing but the bytes is kept, so that they die young. With
   * 10,000 at once, an import took a quarter more of Node's processor, to collect garbage.
   */
  add(readings: readonly ReadingInput[], now: Date): Promise<void>;
  /**
   * True if the batch should be stored now, with this many readings or sooner: what it keeps in
   * memory, and a statement, have bounds.
   */
  isFull(most: number): boolean;
  /** The batch, if any was begun; the next readings begin another. */
  take(): Batch | undefined;
  /**
   * Stores a batch. Call it for one at a time, in their order; the next may be added to meanwhile.
   * `source` is recorded in the quarantine.
   */
  store(batch: Batch, source: string): Promise<Stored>;
  /** Ends a source, once its batches are stored: withdraws what its readings only left empty. */
  end(now: Date, source: string): AsyncGenerator<Withdrawn>;
};

/** Readings that were checked. */
export type Batch = {
  now: Date;
  bounds: Bounds;
  /** The rows of each COPY. */
  copies: Copy[];
  /** The line of each row. */
  lines: (number | undefined)[];
  /** The times of the rows. */
  span: Span;
  /** How many rows have no placement at their time. */
  withoutPlacement: number;
  /**
   * Readings that are no rows. One with the sensor and the time of a row came after it: a row is
   * newer than all before it.
   */
  others: ReadingInput[];
  othersText: number;
};

type Copy = { columns: readonly Parameter[]; rows: BinaryRows };

/** The outcome, whose positions are those in `readings`, and the times of what is stored. */
export type Stored = Accepted & { readings: readonly ReadingInput[]; span: Span };

/** A statement takes as many readings as a batch of any other source. */
const { batch: MOST_OTHERS, batchText: MOST_TEXT } = FILE_LIMITS;

/** A sensor of the network. Times in microseconds since 1970. */
type KnownSensor = SensorFacts & {
  /** The newest reading that is stored or about to be. */
  newest: number;
  /** The newest reading that was stored before the source came. */
  storedUntil: number;
  placements: readonly { since: number; until: number }[];
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
  /** Parameters of which any reading had a value. */
  const given = new Set<string>();
  let bounds: Bounds | undefined;
  let batch: Batch | undefined;
  const storedUntil = (id: number) => known.get(id)?.storedUntil ?? Number.POSITIVE_INFINITY;
  let memory = makeSourceMemory(storedUntil);

  return {
    begin() {
      for (const sensor of known.values()) sensor.storedUntil = sensor.newest;
      memory = makeSourceMemory(storedUntil);
    },
    async add(readings, now) {
      bounds ??= await readBounds(sql);
      await loadSensors(sql, known, readings);
      batch ??= emptyBatch(now, bounds);
      batch.now = now;
      for (const { name } of givenParameters(readings)) given.add(name);
      if (batch.copies.at(-1)?.columns.length !== given.size) batch.copies.push(emptyCopy(given));
      divide(readings, batch, known);
    },
    isFull: (most) =>
      batch !== undefined &&
      (batch.lines.length + batch.others.length >= most ||
        batch.others.length >= MOST_OTHERS ||
        batch.othersText >= MOST_TEXT),
    take() {
      const taken = batch;
      batch = undefined;
      return taken;
    },
    async store(stored, source) {
      const { copies, lines, others, now } = stored;
      const copy = () =>
        inTransaction(sql, async (connection) => {
          bounds = await readBounds(connection);
          if (bounds.cutoff !== stored.bounds.cutoff) return false; // some may be too old now
          for (const { columns, rows } of copies)
            await copyRows(connection, copyStatement(columns), rows.bytes());
          return true;
        });
      const isCopied =
        lines.length > 0 &&
        (await copy().catch((error) => {
          if (failureOf(error).kind === 'row' || isRepeatable(error)) return false;
          throw error;
        }));
      const readings = isCopied ? others : [...readingsOf(stored), ...others];
      const outcome = await acceptReadings(sql, readings, { now, source, memory });
      const span = isCopied ? stored.span : emptySpan();
      addTimes(span, readings, outcome.quarantined);
      const copied = isCopied ? lines.length : 0;
      return {
        ...outcome,
        readings,
        span,
        received: outcome.received + copied,
        accepted: outcome.accepted + copied,
        withoutStation: outcome.withoutStation + (isCopied ? stored.withoutPlacement : 0),
      };
    },
    end: (now, source) => withdrawEmpty(sql, memory, { now, source }),
  };
}

const emptyBatch = (now: Date, bounds: Bounds): Batch => ({
  now,
  bounds,
  copies: [],
  lines: [],
  span: emptySpan(),
  withoutPlacement: 0,
  others: [],
  othersText: 0,
});

function emptyCopy(given: ReadonlySet<string>): Copy {
  const columns = READING_COLUMNS.filter(({ name }) => given.has(name));
  return { columns, rows: makeBinaryRows(columns.length) };
}

function copyStatement(columns: readonly Parameter[]): string {
  const names = ['measured_at', 'sensor_id', ...columns.map(({ name }) => name)];
  return `copy raw.readings (${names.join(', ')}) from stdin (format binary)`;
}

/** The rows as readings again, with a text in our names and units. */
function* readingsOf({ copies, lines }: Batch): Generator<ReadingInput> {
  let ordinal = 0;
  for (const { columns, rows } of copies) {
    for (const { time, id, values: numbers } of rows.read()) {
      const measuredAt = instantText(time);
      const values: { -readonly [name in ReadingColumn]?: number } = {};
      for (const [index, { name }] of columns.entries()) {
        const number = numbers[index] ?? null;
        if (number !== null) values[name as ReadingColumn] = shortest(number);
      }
      const line = lines[ordinal];
      ordinal += 1;
      yield withText({ sensorId: id, measuredAt, values, ...(line !== undefined && { line }) });
    }
  }
}

/** The number of the fewest digits that is the same in single precision: 12.3 for 12.300000190734863. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
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
      storedUntil: newest ?? Number.NEGATIVE_INFINITY,
      placements: placements.map(([since, until]) => ({
        since: since ?? Number.NEGATIVE_INFINITY,
        until: until ?? Number.POSITIVE_INFINITY,
      })),
    });
  }
}

/** Adds readings to a batch. Raises `newest` of the sensors in `known`. */
function divide(
  readings: readonly ReadingInput[],
  batch: Batch,
  known: ReadonlyMap<number, KnownSensor>,
): void {
  const latest = latestAcceptable(batch.now);
  const earliest = Math.max(batch.bounds.origin, batch.bounds.cutoff);
  const { columns, rows } = batch.copies.at(-1) as Copy;
  for (const reading of readings) {
    const {
      sensorId: id = 0,
      time = 0,
      values,
      rejected,
      reason,
    } = checkReading(reading, columns, latest, known);
    const sensor = known.get(id);
    const isNewest = sensor !== undefined && reason === undefined && time > sensor.newest;
    // for one that isn't copied too: what is given for the same time after it must win
    if (isNewest) sensor.newest = time;
    // the amount of a total depends on the readings beside it, and formulas are not looked up here
    const isApart =
      sensor?.countsRain === true ||
      reading.values.rain_total !== undefined ||
      reading.isCorrected === true;
    if (!isNewest || isApart || rejected.length > 0 || time < earliest) {
      batch.others.push(reading);
      batch.othersText += reading.text.length;
      continue;
    }
    if (!isPlaced(sensor, time)) batch.withoutPlacement += 1;
    rows.add({ time, id, values });
    batch.lines.push(reading.line);
    addTime(batch.span, time);
  }
}

function isPlaced({ placements }: KnownSensor, time: number): boolean {
  for (const { since, until } of placements) if (since <= time && time < until) return true;
  return false;
}
