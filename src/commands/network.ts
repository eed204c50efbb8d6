/** Commands about the network: the operator's own, or the demo. */
import { readFile } from 'node:fs/promises';
import { holdsDemo, loadDemo, takeDemoOut } from '../demo/lifecycle.ts';
import { importNetwork } from '../network/importNetwork.ts';
import { makeDigest } from '../rollups/digest.ts';
import { refresh } from '../rollups/refresh.ts';
import type { Context, Outcome } from './context.ts';

export async function networkCommand({ database, as, clock, log }: Context, file: string): Promise<Outcome> {
  const text = await readFile(file, 'utf8');
  if (await holdsDemo(database.target)) {
    throw new Error('This database holds the demo network. Take it out first: npm run -s cli -- demo --remove');
  }
  const result = await as('airseries_owner', (sql) => importNetwork(sql, text, { log }));
  await refresh(database.target, clock());
  return { result, ok: true };
}

export async function demoCommand(
  { database, config, installation, clock, log, terminal }: Context,
  remove: boolean,
): Promise<Outcome> {
  if (remove) {
    const removed = await takeDemoOut(database.target);
    await refresh(database.target, clock());
    return { result: { removed }, ok: true };
  }
  if (!database.embedded && config.demo !== 'on') {
    throw new Error('This is not the embedded server. If the demo network shall go into this database, set DEMO=on.');
  }
  await loadDemo(database.target, { timeZone: installation.timeZone, now: clock(), log, terminal });
  await refresh(database.target, clock());
  await makeDigest(database.target, clock());
  return { result: { loaded: true }, ok: true };
}
