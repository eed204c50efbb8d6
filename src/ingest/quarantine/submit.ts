/**
 * Lines of the quarantine, newest first, that can go through the door together. Those of one source and sender go in one batch; a line
 * that would overtake a newer one of the same sensor and time by it has to wait.
 */
import type { Sql } from '../../database/client.ts';
import type { Scope } from '../accept.ts';
import type { ReadingInput } from '../batch.ts';
import { findPushSensors, pushFromText, readingsOfPush } from '../formats/airrohr.ts';
import type { ValueReason } from '../summary.ts';
import { instantText, readInstant } from '../time.ts';
import { acceptWithinScope } from '../withinScope.ts';

/** So many readings in one; a line of a device may be several. */
const BATCH = 5_000;

type Batch = {
  source: string;
  scope: Scope | undefined;
  readings: ReadingInput[];
  /** To which line each belongs. */
  lines: Line[];
};

export type Round = {
  batches: Map<string, Batch>;
  /** Lines without a reading to send: they stay as they are. */
  unsent: number;
  /** False: it must wait for the next round. */
  add(line: Line, readings: readonly ReadingInput[]): boolean;
};

export function makeRound(): Round {
  const batches = new Map<string, Batch>();
  const takenBy = new Map<string, Batch>();
  const round: Round = { batches, unsent: 0, add };
  return round;

  function add(line: Line, readings: readonly ReadingInput[]): boolean {
    const { source, provider, stations } = line;
    const scope = provider === null ? undefined : { provider, stations };
    const key = JSON.stringify([source, scope]);
    const batch = batches.get(key) ?? { source, scope, readings: [], lines: [] };
    const slots = readings.map(({ sensorId, measuredAt }) => `${sensorId} ${measuredAt}`);
    const full = batch.readings.length > 0 && batch.readings.length + readings.length > BATCH;
    if (full || slots.some((slot) => (takenBy.get(slot) ?? batch) !== batch)) return false;
    batches.set(key, batch);
    for (const slot of slots) takenBy.set(slot, batch);
    // the newest come first here; in a batch the last wins
    batch.readings.unshift(...readings);
    batch.lines.unshift(...readings.map(() => line));
    if (readings.length === 0) round.unsent += 1;
    return true;
  }
}

type Sent = {
  retried: number;
  accepted: number;
  unchanged: number;
  still_quarantined: number;
  /** Lines that may leave the quarantine: what they hold is in, or is in quarantine as another line. */
  left: string[];
};

export async function submit(sql: Sql, { batches, unsent }: Round, now: Date): Promise<Sent> {
  const sent: Sent = { retried: unsent, accepted: 0, unchanged: 0, still_quarantined: unsent, left: [] };
  for (const { source, scope, readings, lines } of batches.values()) {
    const outcome = await acceptWithinScope(sql, readings, { now, source, scope, onlyNew: true });
    sent.retried += outcome.received;
    sent.accepted += outcome.accepted;
    sent.unchanged += outcome.unchanged;
    sent.still_quarantined += outcome.quarantined.length + outcome.outside.size;
    const staying = new Set([...outcome.outside].map((index) => lines[index]));
    for (const { index, reason } of outcome.quarantined) {
      // the door has recorded it, if it had room; where reason and text are the same, that is this line
      const line = lines[index] as Line;
      const isSame = reason === line.reason && readings[index]?.text === line.text;
      if (isSame || outcome.leftOut > 0) staying.add(line);
    }
    sent.left.push(...new Set(lines.filter((line) => !staying.has(line)).map(({ id }) => id)));
  }
  return sent;
}

/** A line of the quarantine becomes readings again: as far as it was understood, or, where a device sent it, as the network knows that device now. */

type Understood = {
  sensor_id: number;
  microseconds: number;
  /** What was wrong with single values of it. */
  unusable?: ValueReason[];
} & ReadingInput['values'];

export type Line = {
  id: string;
  source: string;
  /** Null: imported by hand. */
  provider: string | null;
  /** Of these stations only; null: of all of the provider's. */
  stations: number[] | null;
  line: string | null;
  reason: string;
  text: string;
  reading: Understood | null;
};

/** Undefined: it was not understood well enough for another try. */
export async function parseQuarantined(sql: Sql, line: Line): Promise<ReadingInput[] | undefined> {
  const readings = line.reading === null ? await pushedAgain(sql, line) : [understood(line.reading, line.text)];
  const place = line.line === null ? {} : { line: Number(line.line) };
  return readings?.map((reading) => ({ ...reading, ...place }));
}

function understood(
  { sensor_id: sensorId, microseconds, unusable = [], ...usable }: Understood,
  text: string,
): ReadingInput {
  // what could not be used is recorded now that its reading is kept (S2), and a PM2.5 of that kind is still final (S5)
  const values = { ...usable, ...Object.fromEntries(unusable.map(wrongAgain)) };
  return { sensorId, measuredAt: instantText(microseconds), values, text };
}

/** A value that is wrong in the same way: how it was written is in the text only. */
function wrongAgain(reason: ValueReason): [string, unknown] {
  const [what = '', parameter = ''] = reason.split(':');
  return [parameter, what === 'out_of_bounds' ? Number.POSITIVE_INFINITY : what];
}

/** Only devices that the network names: which station their sender spoke for is not in the line. */
async function pushedAgain(sql: Sql, { text, provider, stations }: Line): Promise<ReadingInput[] | undefined> {
  const record = pushFromText(text);
  const time = record === undefined ? undefined : readInstant(record.measuredAt);
  if (record === undefined || time === undefined || time.local) return undefined;
  const at = new Date(time.microseconds / 1_000);
  const sensors = await findPushSensors(sql, record, provider === null ? null : { provider, stations }, at);
  return readingsOfPush(record, sensors);
}
