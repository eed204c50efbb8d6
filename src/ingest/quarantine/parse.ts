/** A line of the quarantine becomes readings again: as far as it was understood, or, where a device sent it, as the network knows that device now. */
import type { Sql } from '../../database/client.ts';
import type { ReadingInput } from '../batch.ts';
import { findPushSensors, pushFromText, readingsOfPush } from '../formats/airrohr.ts';
import type { ValueReason } from '../summary.ts';
import { instantText, readInstant } from '../time.ts';

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
