/** The command that writes the network's history into files. */

import { exportOpenData } from '../export/exportOpenData.ts';
import { refresh } from '../rollups/refresh.ts';
import { type Context, type Options, type Outcome, pickFields } from './context.ts';

export async function exportCommand(
  { database, clock, instant, installation, log, terminal }: Context,
  folder: string,
  options: Options,
): Promise<Outcome> {
  const [from, to] = pickFields(await instant('from', options.from), await instant('to', options.to));
  const now = clock();
  await refresh(database.target, now);
  const { timeZone } = installation;
  const result = await exportOpenData(database.target, folder, { timeZone, now, log, terminal, from, to });
  return { result, ok: true };
}
