/** Commands about how far values can be trusted: stations whose weather cannot be true. */

import { screen, screenedPeriods } from '../network/screening.ts';
import { refresh } from '../rollups/refresh.ts';
import type { Context, Options, Outcome } from './context.ts';

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
