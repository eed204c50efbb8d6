/**
 * The single entry point for readings from devices, feeds and the quarantine (rules S1 to S3). A
 * batch is one statement: it is stored as a whole or not at all, and sending it again changes
 * nothing.
 */

import { Unavailable } from '../../base/unavailable.ts';
import { READING_COLUMNS, type ReadingColumn } from '../../contract/parameters.ts';
import { arrayLiteral, textParameters } from '../../database/arrays.ts';
import { isRepeatable } from '../../database/errors.ts';
import { type Queryable, query } from '../../database/query.ts';
import { quarantineText, type ReadingInput } from '../reading/reading.ts';
import { yieldToEventLoop } from '../rows/lines.ts';
import { type Empty, type MergedBatch, mergeBatch } from './mergeBatch.ts';
import { NOTHING_REPLACED, type Replaced } from './replaced.ts';
import { findSensorFacts, withTotals } from './sensorFacts.ts';
import type { SourceMemory } from './sourceMemory.ts';
import {
  type Checked,
  checkReading,
  givenParameters,
  latestAcceptable,
  type ReadingReason,
  type Rejection,
  type SensorFacts,
  type ValueRejection,
} from './validate.ts';

/** The outcome of a batch: accepted + unchanged + quarantined = received. */
export type Accepted = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Whole readings that could not be used. */
  quarantined: Rejection[];
  /** Stored values that were replaced by others or withdrawn (S3). */
  replaced: Replaced;
  /** Single values left out of readings that were otherwise processed as usual. */
  values: ValueRejection[];
  /**
   * How many of the accepted had no placement at their time: the sensor was at no station, or was
   * suspicious. They are stored.
   */
  withoutStation: number;
  /** How many rejected lines found no room in the quarantine. */
  overflowed: number;
};

/** The effects of a write: hours to recompute, and delays of readings. */
export type WriteStats = {
  /** Closed hours that the write touched. */
  lateHours: number;
  /**
   * Seconds from measurement to acceptance, one for each new reading; similar ones are given as
   * their mean.
   */
  delays: number[];
};

/** The stations that a sender is authorized for. */
export type Scope = {
  provider: string;
  /** Null: every station of the provider. */
  stations: readonly number[] | null;
};

/**
 * The batch has readings of sensors that its sender is not authorized for; nothing of it was
 * stored.
 */
export class UnauthorizedSensors extends Error {
  /** Ids, separated by a comma and a blank. */
  readonly sensors: string;

  constructor(sensors: string) {
    super(`not authorized for sensors ${sensors}`);
    this.sensors = sensors;
  }
}

type AcceptOptions = {
  now: Date;
  /** Recorded with what goes to quarantine: a token, a provider or a file. */
  source: string;
  /** Undefined: an import by hand, authorized for every sensor. */
  scope?: Scope | undefined;
  /**
   * Stored values stay as they are, and a reading that fills in none that is missing counts as
   * unchanged.
   */
  onlyNew?: boolean;
  /**
   * Given where a source comes in several batches. Then empty cells of readings with a value withdraw
   * nothing before the source ends (withdrawEmpty).
   */
  memory?: SourceMemory | undefined;
  /** Called once the batch is stored. */
  onWrite?: ((written: WriteStats) => void) | undefined;
};

/**
 * Stores a batch and quarantines what cannot be used. `db` works in the role airseries_ingest.
 * Rejects with UnauthorizedSensors, and with Unavailable where `db` is a pool and the database
 * cannot be reached.
 */
export async function acceptReadings(
  db: Queryable,
  readings: readonly ReadingInput[],
  { now, source, scope, onlyNew = false, memory, onWrite }: AcceptOptions,
): Promise<Accepted> {
  const received = readings.length;
  if (received === 0)
    return {
      received,
      accepted: 0,
      unchanged: 0,
      quarantined: [],
      replaced: NOTHING_REPLACED,
      values: [],
      withoutStation: 0,
      overflowed: 0,
    };
  const facts = await findSensorFacts(db, readings);
  const batch = await toColumns(withTotals(readings, facts), now, facts);
  const empty = memory === undefined ? batch.merged.empty : memory.emptyNow(batch.merged);
  const row = await storeWithRetry(db, { ...batch, now, source, empty, scope, onlyNew });
  memory?.note(batch.merged, { accepted: row.accepted_ordinals, refused: row.refused_ordinals });
  if (onWrite !== undefined) {
    const delays = row.delays.flatMap(([count, seconds]) => Array<number>(count).fill(seconds));
    onWrite({ lateHours: row.late_hours, delays });
  }
  return {
    received,
    accepted: row.accepted,
    unchanged: row.unchanged,
    ...rejections(batch, row),
    replaced: replacedBy(row),
    withoutStation: row.without_station,
    overflowed: row.left_out,
  };
}

const replacedBy = (row: Row): Replaced => ({
  values: row.replaced,
  oldest: row.replaced_oldest,
  newest: row.replaced_newest,
});

/** Readings that a statement may have: as many as a batch of a file. */
const MOST_WITHDRAWN = 10_000;

/** The changes made at the end of a source, to be added to the outcome of its batches. */
export type Withdrawn = {
  /** Readings that counted as unchanged, and withdrew a value. */
  accepted: number;
  replaced: Replaced;
};

/**
 * Withdraws what was stored before a source came and its readings leave empty, once all of them are
 * stored. `db` works in the role airseries_ingest.
 */
export async function* withdrawEmpty(
  db: Queryable,
  memory: SourceMemory,
  { now, source, onWrite }: Pick<AcceptOptions, 'now' | 'source' | 'onWrite'>,
): AsyncGenerator<Withdrawn> {
  for (const all of memory.open(MOST_WITHDRAWN)) {
    const nulls = arrayLiteral(all.map(() => 'NULL'));
    const row = await storeWithRetry(db, {
      now,
      source,
      sensors: arrayLiteral(all.map(({ sensor }) => sensor)),
      times: arrayLiteral(all.map(({ time }) => time)),
      problems: nulls,
      mergedInto: nulls,
      lines: nulls,
      text: all.map(() => '').join('\n'),
      empty: all.flatMap(({ names }, index) => names.map((name) => ({ index, name }))),
      values: [],
      scope: undefined,
      onlyNew: false,
      parameters: READING_COLUMNS.map(() => '{}'),
    });
    onWrite?.({ lateHours: row.late_hours, delays: [] });
    const accepted = row.accepted_ordinals.filter(
      (ordinal) => all[ordinal - 1]?.isAccepted === false,
    ).length;
    yield { accepted, replaced: replacedBy(row) };
  }
}

/**
 * Like acceptReadings, for the readings at these positions; what it reports names positions in the
 * whole batch.
 */
async function acceptSome(
  db: Queryable,
  readings: readonly ReadingInput[],
  positions: readonly number[],
  options: AcceptOptions,
): Promise<Accepted> {
  const some = positions.map((index) => readings[index] as ReadingInput);
  const outcome = await acceptReadings(db, some, options);
  const inBatch = <T extends { index: number }>(one: T): T => ({
    ...one,
    index: positions[one.index] as number,
  });
  return {
    ...outcome,
    quarantined: outcome.quarantined.map(inBatch),
    values: outcome.values.map(inBatch),
  };
}

/** accepted + unchanged + quarantined + unauthorized = received. */
type AcceptedAuthorized = Accepted & {
  /**
   * Readings that the sender is not authorized for, by their index in the batch: neither stored nor
   * quarantined.
   */
  unauthorized: ReadonlySet<number>;
};

/**
 * Checked reading by reading: a sensor that moved away still belongs to the provider for what it
 * measured before.
 */
const FIND_UNAUTHORIZED = `
  select given.ordinal::int - 1 as index
  from unnest($1::text::int[], $2::text::float8[]) with ordinality as given(sensor_id, microseconds, ordinal)
  where logic.unauthorized_sensors(array[given.sensor_id], array[given.microseconds], $3::text, $4::text::int[]) <> '{}'`;

/**
 * Like acceptReadings, but leaves unauthorized readings out instead of rejecting with
 * UnauthorizedSensors: for batches that no sender will correct and send again, as polled documents
 * and lines of the quarantine.
 */
export async function acceptAuthorized(
  db: Queryable,
  readings: readonly ReadingInput[],
  options: AcceptOptions,
): Promise<AcceptedAuthorized> {
  try {
    return { ...(await acceptReadings(db, readings, options)), unauthorized: new Set() };
  } catch (error) {
    if (!(error instanceof UnauthorizedSensors)) throw error;
  }
  const { provider = null, stations = null } = options.scope ?? {};
  const { sensors, times } = await toColumns(readings, options.now, new Map());
  const rows = await query(db, FIND_UNAUTHORIZED, [
    sensors,
    times,
    provider,
    stations && arrayLiteral(stations),
  ]);
  const unauthorized = new Set((rows as { index: number }[]).map(({ index }) => index));
  const authorized = [...readings.keys()].filter((index) => !unauthorized.has(index));
  const outcome = await acceptSome(db, readings, authorized, options);
  return { ...outcome, received: readings.length, unauthorized };
}

/** A row of logic.store_readings. */
type Row = {
  accepted: number;
  unchanged: number;
  accepted_ordinals: number[];
  replaced: number;
  replaced_oldest: number | null;
  replaced_newest: number | null;
  without_station: number;
  /** Rejected readings, counted from 1, and why. */
  refused_ordinals: number[];
  refused_reasons: ReadingReason[];
  late_hours: number;
  left_out: number;
  delays: [count: number, seconds: number][];
};

const STORE_TYPES = [
  'timestamptz',
  'text',
  'int[]',
  'float8[]',
  'text[]',
  'int[]',
  'bigint[]',
  'text',
  'int[]',
  'text[]',
  'int[]',
  'text[]',
  'text',
  'int[]',
  'boolean',
  ...READING_COLUMNS.map(() => 'real[]'),
];
const STORE = `select * from logic.store_readings(${textParameters(STORE_TYPES)})`;

/** The readings of a call of logic.store_readings, as array literals, and what is to be done with them. */
type StoreCall = Omit<Columns, 'merged'> & {
  now: Date;
  source: string;
  empty: readonly Empty[];
  scope: Scope | undefined;
  onlyNew: boolean;
};

/** In the order of the function, which counts readings from 1. */
function parametersOf(call: StoreCall): (string | null)[] {
  const { now, source, scope, empty, values } = call;
  return [
    now.toISOString(),
    storable(source),
    ...[call.sensors, call.times, call.problems, call.mergedInto, call.lines],
    call.text,
    arrayLiteral(empty.map(({ index }) => index + 1)),
    arrayLiteral(empty.map(({ name }) => name)),
    arrayLiteral(values.map(({ index }) => index + 1)),
    arrayLiteral(values.map(({ reason }) => reason)),
    scope?.provider ?? null,
    scope?.stations ? arrayLiteral(scope.stations) : null,
    String(call.onlyNew),
    ...call.parameters,
  ];
}

/** Raised by logic.store_readings; the message is the list of sensors. */
const UNAUTHORIZED = 'AS403';

/**
 * Readings are written in one order everywhere, but lines for the quarantine may cross; then the
 * loser tries again, as it does after a migration has replaced the function.
 */
async function storeWithRetry(db: Queryable, call: StoreCall, retries = 5): Promise<Row> {
  try {
    const [row] = await query(db, STORE, parametersOf(call));
    if (row === undefined) throw new Error('logic.store_readings returned nothing');
    return row as Row;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === UNAUTHORIZED) throw new UnauthorizedSensors(message);
    if (!isRepeatable(error)) throw error;
    if (retries === 0) throw new Unavailable(message, { cause: error });
    return storeWithRetry(db, call, retries - 1);
  }
}

/**
 * The database has the last word on whole readings. A rejected reading is reported once, without
 * its values, unless they caused the rejection.
 */
function rejections({ values }: Columns, row: Row): Pick<Accepted, 'quarantined' | 'values'> {
  const quarantined = row.refused_ordinals.map(
    (ordinal, position): Rejection => ({
      index: ordinal - 1,
      reason: row.refused_reasons[position] as ReadingReason,
    }),
  );
  if (quarantined.length === 0) return { quarantined, values };
  const rejected = new Set(
    quarantined.filter(({ reason }) => reason !== 'no_value').map(({ index }) => index),
  );
  return { quarantined, values: values.filter(({ index }) => !rejected.has(index)) };
}

/** A batch as PostgreSQL array literals. */
type Columns = {
  /** Values that cannot be used, in the order of the readings. */
  values: ValueRejection[];
  /** Readings of the same sensor and time, put together. */
  merged: MergedBatch;
  sensors: string;
  /** In microseconds since 1970. */
  times: string;
  /** Why each is rejected. */
  problems: string;
  /** Into which reading each was merged. */
  mergedInto: string;
  /** Line numbers. */
  lines: string;
  /** One column for each of READING_COLUMNS; empty: no reading has it. */
  parameters: string[];
  /** The text of each reading, on a line of its own. */
  text: string;
};

/** Readings checked per turn of the event loop. */
const TURN = 250;

/** Building these strings here is many times faster than passing arrays to the driver. */
async function toColumns(
  readings: readonly ReadingInput[],
  now: Date,
  facts: ReadonlyMap<number, SensorFacts>,
): Promise<Columns> {
  const latest = latestAcceptable(now);
  const given = givenParameters(readings);
  const checked: Checked[] = [];
  for (const [index, reading] of readings.entries()) {
    if (index % TURN === TURN - 1) await yieldToEventLoop();
    checked.push(checkReading(reading, given, latest, facts));
  }
  const merged = mergeBatch(checked, given);

  const values: ValueRejection[] = [];
  const times: (number | 'NULL')[] = [];
  const texts: string[] = [];
  const parameters = new Map(given.map(({ name }): [string, (string | number)[]] => [name, []]));
  for (const [index, reading] of readings.entries()) {
    if (index % TURN === TURN - 1) await yieldToEventLoop();
    const { time, rejected, reason } = checked[index] as Checked;
    const own = merged.values(index);
    given.forEach(({ name }, position) => {
      const text = textOf(own[position] ?? null, reading.values[name as ReadingColumn]);
      parameters.get(name)?.push(text);
    });
    values.push(...rejected.map((one) => ({ index, reason: one })));
    times.push(time ?? 'NULL');
    const isUsable = reason === undefined && rejected.length === 0;
    texts.push(storable(isUsable ? reading.text : quarantineText(reading)));
  }
  if (readings.length >= TURN) await yieldToEventLoop();

  return {
    values,
    merged,
    sensors: arrayLiteral(checked.map(({ sensorId }) => sensorId ?? 0)),
    times: arrayLiteral(times),
    problems: arrayLiteral(checked.map(({ reason }) => reason ?? 'NULL')),
    mergedInto: arrayLiteral(merged.into.map((index) => index ?? 'NULL')),
    lines: arrayLiteral(readings.map(({ line }) => line ?? 'NULL')),
    parameters: READING_COLUMNS.map(({ name }) => arrayLiteral(parameters.get(name) ?? [])),
    text: texts.join('\n'),
  };
}

/**
 * PostgreSQL reads such a short number as we do, and far faster than all digits of its
 * single-precision value.
 */
const SHORT = /^-?\d{1,6}(?:\.\d{1,3})?$/;

function textOf(value: number | null, given: unknown): string | number {
  if (value === null) return 'NULL';
  const isShort = typeof given === 'string' && SHORT.test(given);
  return isShort && Math.fround(Number(given)) === value ? given : value; // not moved to a bound
}

/** PostgreSQL stores no NUL in text, and a line break separates one text from the next. */
function storable(text: string): string {
  return /[\0\n]/.test(text) ? text.replace(/[\0\n]/g, '\ufffd') : text;
}
