/**
 * Turns a line of the quarantine back into readings, to be accepted as if they had just arrived.
 */
import type { Sql } from '../../database/client.ts';
import type { DevicePushes } from '../formats.ts';
import { deviceFromText } from '../reading/devices.ts';
import { instantText, readInstant } from '../reading/instants.ts';
import type { ReadingInput } from '../reading/reading.ts';
import type { Scope } from '../store/accept.ts';
import { assignSensors, findPushSensors } from '../store/deviceSensors.ts';
import { Unusable, type VALUE_REASONS, type ValueReason } from '../store/validate.ts';

/** The record of a reading that could be parsed. */
type ParsedReading = {
  sensor_id: number;
  microseconds: number;
  /** The reasons why single values of it were not used. */
  unusable?: ValueReason[];
} & ReadingInput['values'];

/** A line of the quarantine that is to be retried. */
export type RetryLine = {
  id: string;
  source: string;
  /** The scope of its sender; null: it was imported by hand. */
  scope: Scope | null;
  line: string | null;
  reason: string;
  text: string;
  /** Null: it could not be parsed, or a device sent it. */
  reading: ParsedReading | null;
};

/**
 * The readings of a line: as they were parsed or, where a device sent it, as the network assigns
 * its values now. None if too little of it could be parsed for a retry.
 */
export async function parseQuarantined(
  sql: Sql,
  line: RetryLine,
  pushes: DevicePushes | undefined,
): Promise<ReadingInput[]> {
  const readings =
    line.reading === null ? await parsePushed(sql, line, pushes) : [toInput(line.reading, line)];
  const number = line.line === null ? {} : { line: Number(line.line) };
  return readings.map((reading) => ({ ...reading, ...number }));
}

function toInput(
  { sensor_id, microseconds, unusable = [], ...usable }: ParsedReading,
  { text, reason }: RetryLine,
): ReadingInput {
  // now that the reading is kept, its unusable values are recorded (S2), and an unusable pm25 still
  // counts as final (S5)
  const values = { ...usable, ...Object.fromEntries(unusable.map(unusableValue)) };
  const reading = { sensorId: sensor_id, measuredAt: instantText(microseconds), values, text };
  return reason === 'corrected_already' ? { ...reading, isCorrected: true } : reading;
}

/** A value that is rejected for the same reason; the original is in the text only. */
function unusableValue(reason: ValueReason): [string, Unusable] {
  const [what, parameter] = reason.split(':') as [keyof typeof VALUE_REASONS, string];
  return [parameter, new Unusable(what)];
}

async function parsePushed(
  sql: Sql,
  line: RetryLine,
  pushes: DevicePushes | undefined,
): Promise<ReadingInput[]> {
  const reading = deviceFromText(line.text);
  if (reading !== undefined) return await parseDevice(sql, line, reading);
  const push = pushes?.fromText(line.text);
  const time = push && readInstant(push.measuredAt);
  if (push === undefined || time === undefined || time.local) return [];
  const sensors = await findPushSensors(
    sql,
    push,
    line.scope ?? undefined,
    new Date(time.microseconds / 1_000),
  );
  return push.readingsOf(sensors);
}

/** At the station of a token, the device may be the sensor that was there then. */
async function parseDevice(
  sql: Sql,
  { scope }: RetryLine,
  reading: ReadingInput,
): Promise<ReadingInput[]> {
  const time = typeof reading.measuredAt === 'string' ? readInstant(reading.measuredAt) : undefined;
  if (time === undefined || time.local) return [];
  return await assignSensors(
    sql,
    [reading],
    scope ?? undefined,
    new Date(time.microseconds / 1_000),
  );
}
