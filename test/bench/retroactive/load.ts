/**
 * Clients of the API while something else goes on: requests at a steady pace over the five endpoints, each at its time whether or not
 * those before it were answered, so that a service that stalls is seen to stall. Ends on request or by itself.
 */
import { percentile } from '../../replay/percentile.ts';
import type { Network } from './network.ts';

const LONGEST_MS = 40 * 60_000;
const MOST_UNDER_WAY = 200;
const TIMEOUT_MS = 10_000;

export type Seen = { requests: number; failures: number; p50: number; p99: number; max: number; why: string[] };

export function putUnderLoad(root: string, network: Network, perSecond: number): { end(): Promise<Seen> } {
  const paths = pathsOf(network);
  const took: number[] = [];
  const failures: string[] = [];
  const underWay = new Set<Promise<void>>();
  const started = performance.now();
  let sent = 0;

  const send = async (path: string, due: number) => {
    try {
      const answer = await fetch(`${root}/${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      await answer.arrayBuffer();
      if (answer.status !== 200) failures.push(`${answer.status}`);
    } catch (error) {
      failures.push((error as Error).name);
    }
    took.push(performance.now() - due);
  };
  const timer = setInterval(() => {
    const elapsed = performance.now() - started;
    if (elapsed > LONGEST_MS) clearInterval(timer);
    for (; sent < (elapsed / 1_000) * perSecond; sent++) {
      if (underWay.size >= MOST_UNDER_WAY) {
        failures.push('not sent: too many are under way');
        continue;
      }
      const due = started + (sent / perSecond) * 1_000;
      const one: Promise<void> = send(paths(sent), due).finally(() => underWay.delete(one));
      underWay.add(one);
    }
  }, 5);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(underWay);
      return {
        requests: sent,
        failures: failures.length,
        p50: percentile(took, 50),
        p99: percentile(took, 99),
        max: percentile(took, 100),
        why: [...new Set(failures)],
      };
    },
  };
}

/** The five endpoints in turn, and of each one station or region after the other. */
function pathsOf({ stations, regions }: Network): (turn: number) => string {
  return (turn) => {
    const round = Math.floor(turn / 5);
    const id = stations[(round * 7) % stations.length]?.id;
    const slug = regions[round % regions.length]?.slug;
    const paths = [
      'stations.json',
      `station/${id}.json`,
      `station/${id}-history.json`,
      `region/${slug}.json`,
      `region/${slug}-history.json`,
    ];
    return paths[turn % 5] as string;
  };
}
