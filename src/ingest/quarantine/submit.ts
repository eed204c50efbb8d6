/**
 * Parses lines of the quarantine, collects those that can be submitted together, and submits them. Readings of one source and sender go
 * together; a line that would overtake a newer one for the same sensor and time has to wait for the next batch.
 */
import type { Sql } from '../../database/client.ts';
import type { Scope } from '../accept.ts';
import { acceptAuthorized } from '../acceptAuthorized.ts';
import { findPushSensors } from '../deviceSensors.ts';
import { pushFromText, readingsOfPush } from '../formats/airrohr.ts';
import { instantText, type ReadingInput, readInstant, type ValueReason } from '../validate.ts';

/** Readings submitted in one statement; a line of a device may have several. */
const MOST_READINGS = 5_000;

/** Readings of one source and sender. */
type Submission = {
  source: string;
  scope: Scope | undefined;
  readings: ReadingInput[];
  /** For each reading the line it is from. */
  lines: RetryLine[];
};

export type RetryBatch = {
  submissions: Map<string, Submission>;
  /** How many lines have no reading to submit: they stay as they are. */
  empty: number;
  /** Add lines newest first. False: the line was not added and has to wait for the next batch. */
  add(line: RetryLine, readings: readonly ReadingInput[]): boolean;
};

/** An empty batch, to be filled by `add` and submitted once. */
export function makeRetryBatch(): RetryBatch {
  const submissions = new Map<string, Submission>();
  const submissionOf = new Map<string, Submission>(); // by sensor and time
  const batch: RetryBatch = { submissions, empty: 0, add };
  return batch;

  function add(line: RetryLine, readings: readonly ReadingInput[]): boolean {
    const { source, provider, stations } = line;
    const scope = provider === null ? undefined : { provider, stations };
    const key = JSON.stringify([source, scope]);
    const own = submissions.get(key) ?? { source, scope, readings: [], lines: [] };
    const slots = readings.map(({ sensorId, measuredAt }) => `${sensorId} ${measuredAt}`);
    const full = own.readings.length > 0 && own.readings.length + readings.length > MOST_READINGS;
    if (full || slots.some((slot) => (submissionOf.get(slot) ?? own) !== own)) return false;
    submissions.set(key, own);
    for (const slot of slots) submissionOf.set(slot, own);
    // lines are added newest first, and the last reading of a submission wins
    own.readings.unshift(...readings);
    own.lines.unshift(...readings.map(() => line));
    if (readings.length === 0) batch.empty += 1;
    return true;
  }
}

type Submitted = {
  retried: number;
  accepted: number;
  unchanged: number;
  still_quarantined: number;
  /** Ids of lines that may be deleted: their readings are stored, or recorded in another line. */
  resolved: string[];
};

/** Submits a batch and reports what became of it; deletes nothing. `sql` is a pool of the owner. */
export async function submit(sql: Sql, { submissions, empty }: RetryBatch, now: Date): Promise<Submitted> {
  const result: Submitted = { retried: empty, accepted: 0, unchanged: 0, still_quarantined: empty, resolved: [] };
  for (const { source, scope, readings, lines } of submissions.values()) {
    const outcome = await acceptAuthorized(sql, readings, { now, source, scope, onlyNew: true });
    result.retried += outcome.received;
    result.accepted += outcome.accepted;
    result.unchanged += outcome.unchanged;
    result.still_quarantined += outcome.quarantined.length + outcome.unauthorized.size;
    const staying = new Set([...outcome.unauthorized].map((index) => lines[index]));
    for (const { index, reason } of outcome.quarantined) {
      // it was recorded, if there was room; with the same reason and text, that is this line
      const line = lines[index] as RetryLine;
      const isSame = reason === line.reason && readings[index]?.text === line.text;
      if (isSame || outcome.leftOut > 0) staying.add(line);
    }
    result.resolved.push(...new Set(lines.filter((line) => !staying.has(line)).map(({ id }) => id)));
  }
  return result;
}

/** What was recorded of a reading that could be parsed. */
type ParsedReading = {
  sensor_id: number;
  microseconds: number;
  /** What was wrong with single values of it. */
  unusable?: ValueReason[];
} & ReadingInput['values'];

/** A line of the quarantine that is to be retried. */
export type RetryLine = {
  id: string;
  source: string;
  /** Null: imported by hand. */
  provider: string | null;
  /** The stations that its sender was authorized for; null: all of the provider's. */
  stations: number[] | null;
  line: string | null;
  reason: string;
  text: string;
  /** Null: it could not be parsed, or a device sent it. */
  reading: ParsedReading | null;
};

/**
 * The readings of a line: as they were parsed or, where a device sent it, as the network assigns its values now. Undefined if too little
 * of it could be parsed for a retry.
 */
export async function parseQuarantined(sql: Sql, line: RetryLine): Promise<ReadingInput[] | undefined> {
  const readings = line.reading === null ? await parsePushed(sql, line) : [toInput(line.reading, line.text)];
  const number = line.line === null ? {} : { line: Number(line.line) };
  return readings?.map((reading) => ({ ...reading, ...number }));
}

function toInput(
  { sensor_id: sensorId, microseconds, unusable = [], ...usable }: ParsedReading,
  text: string,
): ReadingInput {
  // now that the reading is kept, its unusable values are recorded (S2), and an unusable pm25 still counts as final (S5)
  const values = { ...usable, ...Object.fromEntries(unusable.map(unusableValue)) };
  return { sensorId, measuredAt: instantText(microseconds), values, text };
}

/** A value that is rejected for the same reason; the original is in the text only. */
function unusableValue(reason: ValueReason): [string, unknown] {
  const [what = '', parameter = ''] = reason.split(':');
  return [parameter, what === 'out_of_bounds' ? Number.POSITIVE_INFINITY : what];
}

async function parsePushed(sql: Sql, { text, provider, stations }: RetryLine): Promise<ReadingInput[] | undefined> {
  const record = pushFromText(text);
  const time = record === undefined ? undefined : readInstant(record.measuredAt);
  if (record === undefined || time === undefined || time.local) return undefined;
  const at = new Date(time.microseconds / 1_000);
  const sensors = await findPushSensors(sql, record, provider === null ? null : { provider, stations }, at);
  return readingsOfPush(record, sensors);
}
