/**
 * The single entry point for readings from devices, feeds and the quarantine (rules S1 to S3). A
 * batch is one statement: it is stored as a whole or not at all, and sending it again changes
 * nothing.
 */

import { Unavailable } from '../../base/unavailable.ts';
import { bitsOf, READING_COLUMNS, type ReadingColumn } from '../../contract/parameters.ts';
import { arrayLiteral, textParameters } from '../../database/arrays.ts';
import { isRepeatable } from '../../database/errors.ts';
import { type Queryable, query } from '../../database/query.ts';
import type { Doubt } from '../reading/doubt.ts';
import { quarantineText, type ReadingInput } from '../reading/reading.ts';
import { yieldToEventLoop } from '../rows/lines.ts';
import type { Described } from './describe.ts';
import {
  argumentsOfLook,
  type Finding,
  type Looked,
  type Looking,
  lookedAt,
  NOTHING_FOUND,
} from './look.ts';
import { NOTHING_REPLACED, type Replaced } from './replaced.ts';
import { findSensorFacts, withTotals } from './sensorFacts.ts';
import {
  type Checked,
  checkReading,
  columnOfReason,
  givenParameters,
  latestAcceptable,
  type ReadingReason,
  type Rejection,
  type SensorFacts,
  type ValueReason,
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
  /** Doubts about the readings as a whole. */
  looked: Looked;
  /** The values beside what is stored, of a trial. */
  staged?: readonly Described[];
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

/** The batch as a whole is in doubt; nothing of it was stored. */
export class BatchInDoubt extends Error {
  readonly doubt: Doubt;

  constructor(doubt: Doubt) {
    super(doubt.what);
    this.doubt = doubt;
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
   * Called with the index of each reading that the sender is not authorized for, which is left out;
   * undefined: one refuses the batch.
   */
  leaveOut?: ((index: number) => void) | undefined;
  /** The source, if its readings are looked at as a whole. */
  looking?: Looking | undefined;
  /** Stores nothing, and resolves to what would become of the readings (S10). */
  isTrial?: boolean;
  /** Called once the batch is stored. */
  onWrite?: ((written: WriteStats) => void) | undefined;
};

/**
 * Stores a batch and quarantines what cannot be used. `db` works in the role airseries_ingest.
 * Rejects with UnauthorizedSensors, with BatchInDoubt, and with Unavailable where `db` is a pool and
 * the database cannot be reached.
 */
export async function acceptReadings(
  db: Queryable,
  readings: readonly ReadingInput[],
  {
    now,
    source,
    scope,
    onlyNew = false,
    isTrial = false,
    looking,
    leaveOut,
    onWrite,
  }: AcceptOptions,
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
      looked: NOTHING_FOUND,
    };
  const facts = await findSensorFacts(db, readings);
  const batch = await toColumns(withTotals(readings, facts), now, facts);
  const { provider = null, stations = null } = scope ?? {};
  const parameters = [
    now.toISOString(),
    storable(source),
    ...batch.columns,
    provider,
    stations && arrayLiteral(stations),
    String(leaveOut !== undefined),
    String(onlyNew),
    String(isTrial),
    // a single reading contradicts none
    ...(looking === undefined || received === 1 ? NOT_LOOKED_AT : argumentsOfLook(looking)),
    ...batch.parameters,
  ];
  const [row] = (await withRetry(() => query(db, STORE, parameters))) as StoredRow[];
  if (row === undefined) throw new Error('logic.store_readings returned nothing');
  const rowsAt = async (ordinals: readonly number[]) =>
    ordinals.map((ordinal) => readings[ordinal - 1] as ReadingInput);
  const looked = looking ? await lookedAt(row.findings, looking, rowsAt) : NOTHING_FOUND;
  const [doubt] = looked.doubts;
  if (row.received === null && doubt !== undefined) throw new BatchInDoubt(doubt);
  for (const ordinal of row.unauthorized_ordinals) leaveOut?.(ordinal - 1);
  if (onWrite !== undefined) {
    const delays = row.delays.flatMap(([count, seconds]) => Array<number>(count).fill(seconds));
    onWrite({ lateHours: row.late_hours, delays });
  }
  return {
    received,
    accepted: row.accepted,
    unchanged: row.unchanged,
    ...rejections(batch.values, row),
    replaced: replacedBy(row),
    withoutStation: row.without_station,
    overflowed: row.left_out,
    looked,
    ...(row.stage !== null && { staged: row.stage }),
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
 * Like acceptReadings, but leaves unauthorized readings out instead of rejecting with
 * UnauthorizedSensors: for batches that no sender will correct and send again, as polled documents
 * and lines of the quarantine.
 */
export async function acceptAuthorized(
  db: Queryable,
  readings: readonly ReadingInput[],
  options: AcceptOptions,
): Promise<AcceptedAuthorized> {
  const unauthorized = new Set<number>();
  const leaveOut = (index: number) => void unauthorized.add(index);
  return { ...(await acceptReadings(db, readings, { ...options, leaveOut })), unauthorized };
}

/** A row of logic.stored, whose ordinals count from 1. */
export type StoredRow = {
  /** Null, as all others: what was found stops the rows. */
  received: number;
  accepted: number;
  unchanged: number;
  replaced: number;
  withdrawn: number;
  replaced_oldest: number | null;
  replaced_newest: number | null;
  without_station: number;
  late_hours: number;
  left_out: number;
  value_reasons: Partial<Record<ValueReason, number>>;
  delays: [count: number, seconds: number][];
  refused_ordinals: number[];
  refused_reasons: ReadingReason[];
  unauthorized_ordinals: number[];
  findings: Finding[];
  /** The description of the stage; null: this was no trial. */
  stage: Described[] | null;
};

/** `replaced` and `withdrawn` together. */
export const replacedBy = (row: StoredRow): Replaced => ({
  values: row.replaced + row.withdrawn,
  oldest: row.replaced_oldest,
  newest: row.replaced_newest,
});

const STORE_TYPES = [
  'timestamptz',
  'text',
  'int[]',
  'float8[]',
  'text[]',
  'int[]',
  'int[]',
  'text',
  'bigint[]',
  'text',
  'text',
  'int[]',
  'boolean',
  'boolean',
  'boolean',
  'int',
  'int',
  'boolean',
  ...READING_COLUMNS.map(() => 'real[]'),
];
const STORE = `select * from logic.store_readings(${textParameters(STORE_TYPES)})`;

const NOT_LOOKED_AT = [null, null, null];

/** Raised by logic.store_staged; the message is the list of sensors. */
const UNAUTHORIZED = 'AS403';

/**
 * Readings are written in one order everywhere, but lines for the quarantine may cross; then the
 * loser tries again, as it does after a migration has replaced the function.
 */
export async function withRetry<T>(store: () => Promise<T>, retries = 5): Promise<T> {
  try {
    return await store();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === UNAUTHORIZED) throw new UnauthorizedSensors(message);
    if (!isRepeatable(error)) throw error;
    if (retries === 0) throw new Unavailable(message, { cause: error });
    return withRetry(store, retries - 1);
  }
}

/**
 * The database has the last word on whole readings. A rejected reading is reported once, without
 * its values, unless they caused the rejection.
 */
function rejections(
  values: readonly ValueRejection[],
  row: StoredRow,
): Pick<Accepted, 'quarantined' | 'values'> {
  const quarantined = row.refused_ordinals.map(
    (ordinal, position): Rejection => ({
      index: ordinal - 1,
      reason: row.refused_reasons[position] as ReadingReason,
    }),
  );
  const left = new Set(row.unauthorized_ordinals.map((ordinal) => ordinal - 1));
  for (const { index, reason } of quarantined) if (reason !== 'no_value') left.add(index);
  return { quarantined, values: values.filter(({ index }) => !left.has(index)) };
}

/** Readings checked per turn of the event loop. */
const TURN = 250;

/**
 * The arguments of logic.store_readings that are about readings, and the values that cannot be
 * used. Building array literals here is many times faster than passing arrays to the driver.
 */
async function toColumns(
  readings: readonly ReadingInput[],
  now: Date,
  facts: ReadonlyMap<number, SensorFacts>,
) {
  const latest = latestAcceptable(now);
  const given = givenParameters(readings);
  const values: ValueRejection[] = [];
  const checked: Checked[] = [];
  const wrongs: string[] = [];
  const texts: string[] = [];
  const parameters = new Map(given.map(({ name }): [string, (string | number)[]] => [name, []]));
  for (const [index, reading] of readings.entries()) {
    if (index % TURN === TURN - 1) await yieldToEventLoop();
    const one = checkReading(reading, given, latest, facts);
    checked.push(one);
    given.forEach(({ name }, position) => {
      const text = textOf(one.values[position] ?? null, reading.values[name as ReadingColumn]);
      parameters.get(name)?.push(text);
    });
    for (const reason of one.rejected) values.push({ index, reason });
    wrongs.push(one.rejected.join(' '));
    texts.push(storable(isUsable(one) ? reading.text : quarantineText(reading)));
  }
  if (readings.length >= TURN) await yieldToEventLoop();
  return {
    values,
    columns: [
      arrayLiteral(checked.map(({ sensorId }) => sensorId ?? 'NULL')),
      arrayLiteral(checked.map(({ time }) => time ?? 'NULL')),
      arrayLiteral(checked.map(({ reason }) => reason ?? 'NULL')),
      arrayLiteral(checked.map(({ empty }) => bitsOf(empty))),
      arrayLiteral(checked.map(({ rejected }) => bitsOf(rejected.map(columnOfReason)))),
      wrongs.join('\n'),
      arrayLiteral(readings.map(({ line }) => line ?? 'NULL')),
      texts.join('\n'),
    ],
    parameters: READING_COLUMNS.map(({ name }) => arrayLiteral(parameters.get(name) ?? [])),
  };
}

/** False for a reading that something is wrong with, as far as we can know. */
export const isUsable = ({ reason, rejected }: Checked): boolean =>
  reason === undefined && rejected.length === 0;

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
export function storable(text: string): string {
  return /[\0\n]/.test(text) ? text.replace(/[\0\n]/g, '\ufffd') : text;
}
