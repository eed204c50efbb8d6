/** Commands about readings: in, and out for good. */
import { refresh } from '../database/refresh.ts';
import { deleteReadings } from '../ingest/deleteReadings.ts';
import { importReadings } from '../ingest/importReadings.ts';
import { type Context, inOrder, type Options, type Outcome, UsageError } from './context.ts';

export async function readingsCommand(
  { database, as, clock, log, terminal }: Context,
  files: string[],
): Promise<Outcome> {
  const summary = await as('airseries_ingest', (sql) => importReadings(sql, files, { now: clock(), log, terminal }));
  await refresh(database.target, clock());
  return { result: summary, ok: !summary.failed };
}

export async function deleteCommand(
  { database, as, clock, instant }: Context,
  { sensor, from, to }: Options,
): Promise<Outcome> {
  const [since, until] = inOrder(await instant('from', from), await instant('to', to));
  if (since === undefined || until === undefined || !/^[1-9]\d{0,8}$/.test(sensor ?? '')) {
    throw new UsageError('delete readings needs --sensor (a number), --from and --to');
  }
  const deleted = await as('airseries_owner', (sql) =>
    deleteReadings(sql, { sensor: Number(sensor), from: since, to: until }),
  );
  await refresh(database.target, clock());
  return { result: { deleted }, ok: true };
}
