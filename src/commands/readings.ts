/** Commands about readings: in, and out for good. */

import { deleteReadings } from '../ingest/deleteReadings.ts';
import { FORMATS, type Format } from '../ingest/formats/readings.ts';
import { importReadings } from '../ingest/importReadings.ts';
import { refresh } from '../rollups/refresh.ts';
import { type Context, type Options, type Outcome, pickFields, UsageError } from './context.ts';

export async function readingsCommand(
  { database, as, clock, log, terminal, installation }: Context,
  files: string[],
  formatName?: string,
): Promise<Outcome> {
  const format = chooseFormat(formatName, installation.timeZone);
  const options = { now: clock(), log, terminal, format };
  const summary = await as('airseries_ingest', (sql) => importReadings(sql, files, options));
  await refresh(database.target, clock());
  return { result: summary, ok: !summary.failed };
}

export async function deleteCommand(
  { database, as, clock, instant }: Context,
  { sensor, from, to }: Options,
): Promise<Outcome> {
  const [since, until] = pickFields(await instant('from', from), await instant('to', to));
  if (since === undefined || until === undefined || !/^[1-9]\d{0,8}$/.test(sensor ?? '')) {
    throw new UsageError('delete readings needs --sensor (a number), --from and --to');
  }
  const deleted = await as('airseries_owner', (sql) =>
    deleteReadings(sql, { sensor: Number(sensor), from: since, to: until }),
  );
  await refresh(database.target, clock());
  return { result: { deleted }, ok: true };
}

/** CSV with a header and NDJSON say what they are; anything else has to be named. */
function chooseFormat(given: string | undefined, timeZone: string): Format | undefined {
  if (given === undefined) return undefined;
  const name = FORMATS.find((known) => known === given);
  if (name === undefined) throw new UsageError(`--format ${given}: known is ${FORMATS.join(', ')}`);
  return { name, timeZone };
}
