/**
 * Stages the readings of a file: checks them one by one, and sends them by COPY to a temporary table
 * of one connection, where they wait as a whole. Then they are looked at, and stored by the statement
 * that stores a sender's readings, too (sql/logic/40_ingest.sql), a few months at a time. Memory is
 * constant, whatever the size of the file, and nothing is left of the stage after a crash.
 */
import type { ReservedSql } from 'postgres';
import { bitsOf, type Parameter, READING_COLUMNS } from '../../contract/parameters.ts';
import { type BinaryRows, makeBinaryRows } from '../../database/binaryRows.ts';
import type { Sql } from '../../database/client.ts';
import { copyRows, onReserved, transaction } from '../../database/copyIn.ts';
import { quarantineText, type ReadingInput } from '../reading/reading.ts';
import { addTime, emptySpan, type Span } from '../reading/span.ts';
import { isUsable, type StoredRow, storable, withRetry } from './accept.ts';
import { loadSensorFacts, withTotals } from './sensorFacts.ts';
import {
  type Checked,
  checkReading,
  columnOfReason,
  latestAcceptable,
  type ReadingReason,
  readSensorId,
  type SensorFacts,
  type ValueReason,
} from './validate.ts';

/** The rows of one source. */
export type Staged = {
  /** How many there are. */
  readonly rows: number;
  /** True as long as each row is newer than all rows of its sensor before it. */
  readonly isUnique: boolean;
  /** The times of the readings that nothing is wrong with, as far as we know. */
  readonly span: Span;
  /** The first reading of each reason for which one, or a value of it, may not be used. */
  readonly examples: ReadonlyMap<ReadingReason | ValueReason, ReadingInput>;
};

export type Stage = {
  /** Empties it, for the next source. */
  begin(): Promise<Staged>;
  /**
   * Checks readings and sends them. Call it in the order of the source, and with few at once: only
   * their bytes are kept, so that they die young. With 10,000 at once, an import took a quarter more
   * of Node's processor, to collect garbage.
   */
  add(readings: readonly ReadingInput[], now: Date): Promise<void>;
  /** Resolves once all rows so far are there. */
  end(): Promise<void>;
  /** Counts rows that a statement has staged instead; no sensor and time stands twice. */
  filled(): Promise<void>;
  /** Where the rows are, for questions about them as a whole. */
  connection: ReservedSql;
  /**
   * Stores them, and yields what became of each part: a few months of a long file, in their order.
   * `source` is recorded in the quarantine.
   */
  store(source: string, now: Date, how?: Storing): AsyncGenerator<StoredRow>;
};

type Storing = {
  /** Recorded with what changes, so that it can be undone; default: that is not noted. */
  importId?: number | null;
  /** Stores nothing, and yields what would become of the rows (S10). */
  isTrial?: boolean;
  /**
   * The caller has begun a transaction, and repeats it as a whole (withRetry); default: each part is
   * one of its own.
   */
  inTransaction?: boolean;
};

/** Rows of a part: an import of fewer is one transaction. */
const ROWS_OF_PART = 250_000;

/** Rows that are sent at once; each COPY costs about 10 ms, most of it for its five statements. */
const ROWS_OF_COPY = 25_000;

/**
 * A stage on a connection of its own, for as long as `work` takes. `sql` is a pool of at least two
 * connections in the role airseries_ingest: the others look up sensors meanwhile.
 */
export async function withStage<T>(sql: Sql, work: (stage: Stage) => Promise<T>): Promise<T> {
  if (sql.options.max < 2) throw new Error('a stage needs a pool of at least two connections');
  return await onReserved(sql, async (connection) => {
    try {
      return await work(makeStage(sql, connection));
    } finally {
      await connection.unsafe('drop table if exists pg_temp.staged_reading').catch(() => undefined);
    }
  });
}

type Rows = {
  count: number;
  /** Rows that nothing is wrong with. */
  usual: BinaryRows;
  columns: readonly Parameter[];
  /** The others, as lines of COPY. */
  odd: string[];
};

function makeStage(sql: Sql, connection: ReservedSql): Stage {
  const known = new Map<number, SensorFacts>();
  const absent = new Set<number>();
  /** Parameters that any reading had a value of, or left empty. */
  const given = new Set<string>();
  let bounds: Bounds | undefined;
  let staged = emptyStaged();
  let rows = emptyRows(given);
  let sending: Promise<void> = Promise.resolve();

  const send = async () => {
    await sending;
    const full = rows;
    rows = emptyRows(given);
    if (full.count === 0) return;
    sending = transaction(connection, async () => {
      await copyRows(connection, copyUsual(full.columns), full.usual.bytes());
      if (full.odd.length > 0) await copyRows(connection, COPY_ODD, full.odd);
    });
    sending.catch(() => undefined); // awaited before the next rows, or at the end
  };

  return {
    connection,
    async begin() {
      absent.clear();
      await sending.catch(() => undefined);
      await connection.unsafe('select logic.open_stage()');
      staged = emptyStaged();
      rows = emptyRows(given);
      return staged;
    },
    async add(readings, now) {
      bounds ??= await readBounds(sql);
      await loadUnknown(sql, known, absent, readings);
      const totalled = withTotals(readings, known);
      for (const { values } of totalled) for (const name of Object.keys(values)) given.add(name);
      if (rows.columns.length !== given.size) await send(); // and begin rows with more columns
      const latest = latestAcceptable(now);
      for (const reading of totalled) {
        const checked = checkReading(reading, rows.columns, latest, known);
        const reason = checked.reason ?? reasonOf(checked, known, bounds);
        addRow(rows, staged, reading, { ...checked, reason });
      }
      if (rows.count >= ROWS_OF_COPY) await send();
    },
    async end() {
      await send();
      await sending;
    },
    async filled() {
      const [row] = await connection.unsafe<[{ rows: number }]>(
        'select count(*)::int as rows from pg_temp.staged_reading',
      );
      staged.rows = row.rows;
    },
    async *store(source, now, { importId = null, isTrial = false, inTransaction = false } = {}) {
      await connection.unsafe('analyze pg_temp.staged_reading');
      const parts = staged.rows > ROWS_OF_PART ? await partsOf(connection) : WHOLE;
      for (const [since, until] of parts) {
        const storePart = async () => {
          const [row] = await connection.unsafe<[StoredRow]>(STORE, [
            now.toISOString(),
            storable(source),
            since,
            until,
            String(staged.isUnique),
            importId === null ? null : String(importId),
            String(isTrial),
          ]);
          return row;
        };
        yield await (inTransaction ? storePart() : withRetry(storePart));
      }
    },
  };
}

const STORE = `select * from logic.store_period($1::text::timestamptz, $2::text, $3::text::timestamptz,
  $4::text::timestamptz, $5::text::boolean, $6::text::int, $7::text::boolean)`;

type MutableStaged = {
  rows: number;
  span: Span;
  examples: Map<ReadingReason | ValueReason, ReadingInput>;
  /** Reasons whose example may have been used. */
  uncertain: Set<ReadingReason | ValueReason>;
  isUnique: boolean;
  /** The newest time of each sensor, in microseconds since 1970. */
  newest: Map<number, number>;
};

const emptyStaged = (): MutableStaged => ({
  rows: 0,
  span: emptySpan(),
  examples: new Map(),
  uncertain: new Set(),
  isUnique: true,
  newest: new Map(),
});

function emptyRows(given: ReadonlySet<string>): Rows {
  const columns = READING_COLUMNS.filter(({ name }) => given.has(name));
  return { count: 0, usual: makeBinaryRows(columns.length), columns, odd: [] };
}

function copyUsual(columns: readonly Parameter[]): string {
  const names = [
    'measured_at',
    'ordinal',
    'sensor_id',
    'empty',
    ...columns.map(({ name }) => name),
  ];
  return `copy pg_temp.staged_reading (${names.join(', ')}) from stdin (format binary)`;
}

/** Its columns are in the order of the fields of addRow. */
const COPY_ODD = `copy pg_temp.staged_reading (ordinal, sensor_id, measured_at, empty, unusable, wrong, problem, line, text,
  ${READING_COLUMNS.map(({ name }) => name).join(', ')}) from stdin`;

function addRow(rows: Rows, staged: MutableStaged, reading: ReadingInput, checked: Checked): void {
  const { sensorId, time, values, empty, rejected, reason } = checked;
  staged.rows += 1;
  rows.count += 1;
  if (sensorId !== undefined && time !== undefined) {
    if (time <= (staged.newest.get(sensorId) ?? Number.NEGATIVE_INFINITY)) staged.isUnique = false;
    else staged.newest.set(sensorId, time);
    if (reason === undefined) addTime(staged.span, time);
  }
  if (sensorId !== undefined && time !== undefined && isUsable(checked)) {
    rows.usual.add({ time, ids: [staged.rows, sensorId, bitsOf(empty)], values });
    return;
  }
  for (const one of reason === undefined ? rejected : [...rejected, reason]) {
    // a reading that is only empty may withdraw a stored value: another one is a better example
    const isCertain = one !== 'no_value' || empty.length === 0;
    if (staged.examples.has(one) && !(isCertain && staged.uncertain.delete(one))) continue;
    staged.examples.set(one, reading);
    if (!isCertain) staged.uncertain.add(one);
  }
  const byName = new Map(rows.columns.map(({ name }, index) => [name, values[index] ?? null]));
  const fields = [
    staged.rows,
    sensorId,
    time === undefined ? undefined : new Date(time / 1_000).toISOString(),
    bitsOf(empty),
    bitsOf(rejected.map(columnOfReason)),
    rejected.length === 0 ? undefined : rejected.join(' '),
    reason !== undefined && KNOWN_BY_THE_DATABASE.has(reason) ? undefined : reason,
    reading.line,
    storable(quarantineText(reading)),
    ...READING_COLUMNS.map(({ name }) => byName.get(name)),
  ];
  rows.odd.push(`${fields.map(fieldOf).join('\t')}\n`);
}

/** As COPY reads it. */
const fieldOf = (value: string | number | null | undefined): string =>
  value == null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (found) => ESCAPED[found] ?? found);

const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/**
 * The earliest acceptable times, in microseconds since 1970: the epoch, and where retention ends.
 */
type Bounds = { origin: number; cutoff: number };

async function readBounds(sql: Sql): Promise<Bounds> {
  const [row] = await sql.unsafe<[{ origin: number; cutoff: number | null }]>(
    'select origin, cutoff from logic.ingest_bounds()',
  );
  return { origin: row.origin, cutoff: row.cutoff ?? Number.NEGATIVE_INFINITY };
}

/** Found here for the text and the example; the statement that stores has the last word. */
const KNOWN_BY_THE_DATABASE: ReadonlySet<ReadingReason> = new Set([
  'unknown_sensor',
  'before_epoch',
  'older_than_retention',
]);

function reasonOf(
  { sensorId = 0, time = 0 }: Checked,
  known: ReadonlyMap<number, SensorFacts>,
  { origin, cutoff }: Bounds,
): ReadingReason | undefined {
  if (!known.has(sensorId)) return 'unknown_sensor';
  if (time < origin) return 'before_epoch';
  return time < cutoff ? 'older_than_retention' : undefined;
}

/** Looks up the sensors that were not looked up before. `absent`: the network does not have them. */
async function loadUnknown(
  sql: Sql,
  known: Map<number, SensorFacts>,
  absent: Set<number>,
  readings: readonly ReadingInput[],
): Promise<void> {
  const open = new Set<number>();
  for (const { sensorId } of readings) {
    const id = readSensorId(sensorId);
    if (id !== undefined && !known.has(id) && !absent.has(id)) open.add(id);
  }
  const found = await loadSensorFacts(sql, [...open]);
  for (const id of open) {
    const facts = found.get(id);
    if (facts === undefined) absent.add(id);
    else known.set(id, facts);
  }
}

const WHOLE: readonly Part[] = [['-infinity', 'infinity']];

/** Half-open; the first one has the rows without a time, too. */
type Part = readonly [since: string, until: string];

/** Parts of whole months with at least as many rows, but for the last. */
async function partsOf(connection: ReservedSql): Promise<readonly Part[]> {
  await connection.unsafe(
    'create index if not exists staged_reading_at on pg_temp.staged_reading (measured_at)',
  );
  const months = await connection.unsafe<{ month: string; rows: number }[]>(
    `select date_trunc('month', measured_at, 'UTC') as month, count(*)::int as rows
    from pg_temp.staged_reading where measured_at is not null group by 1 order by 1`,
  );
  const bounds: string[] = ['-infinity'];
  let rows = 0;
  for (const { month, rows: more } of months) {
    if (rows >= ROWS_OF_PART) {
      bounds.push(month);
      rows = 0;
    }
    rows += more;
  }
  return bounds.map((since, index) => [since, bounds[index + 1] ?? 'infinity']);
}
