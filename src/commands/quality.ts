/** Commands about how far values can be trusted: corrections of PM2.5, and stations whose weather cannot be true. */
import { refresh } from '../database/refresh.ts';
import { recorrect } from '../ingest/recorrect.ts';
import { screen, screenedPeriods } from '../jobs/screenStations.ts';
import { type Context, type Options, type Outcome, UsageError } from './context.ts';

export async function recorrectCommand(
  { database, as, instant, clock, log, terminal }: Context,
  options: Options,
): Promise<Outcome> {
  const from = await instant('from', options.from);
  if (from === undefined) throw new UsageError('recorrect needs --from');
  const sensor = options.sensor === undefined ? undefined : Number(options.sensor);
  if (sensor !== undefined && !(Number.isInteger(sensor) && sensor > 0)) throw new UsageError('--sensor is a number');
  const result = await as('airseries_owner', (sql) => recorrect(sql, { from, sensor, now: clock(), log, terminal }));
  await refresh(database.target, clock());
  return { result, ok: true };
}

/** Looks at more of the past than the service does by itself, and tells what is flagged. */
export async function screenCommand(
  { database, installation, clock, instant }: Context,
  options: Options,
): Promise<Outcome> {
  await refresh(database.target, clock());
  const screened = await screen(database.target, clock(), await instant('from', options.from));
  await refresh(database.target, clock());
  return { result: { ...screened, flagged: await screenedPeriods(database.target, installation.timeZone) }, ok: true };
}
