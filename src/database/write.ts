/** Where readings from the network go in: as the role that may write readings and nothing else. A batch may be sent twice without harm. */

import type { Target } from './client.ts';
import { type AskingPool, openAskingPool, type PoolWatch } from './queryPool.ts';

/** Late rows of many months in one batch take their time in compressed chunks; a database that is silent is given up after two seconds. */
const LIMITS = {
  statementMs: 20_000,
  answerMs: 25_000,
  mostWaiting: 200,
  pulse: { everyMs: 1_000, answerMs: 1_000 },
};

export function openWrites(
  target: Target,
  { timeZone, max = 4, watch }: { timeZone: string; max?: number; watch?: PoolWatch | undefined },
): AskingPool {
  return openAskingPool(target, {
    role: 'airseries_ingest',
    name: 'airseries ingest',
    timeZone,
    max,
    watch,
    ...LIMITS,
  });
}
