/**
 * Clients of the API: several at once, over all five endpoints, for as long as the replay lasts.
 */
import { percentile } from './percentile.ts';

const CLIENTS = 4;
const PAUSE_MS = 40;

type Network = { stations: { id: number }[]; regions: { slug: string }[] };
export type Read = { requests: number; failures: string[]; p50_ms: number; p99_ms: number };

export function keepReading(
  port: number,
  { stations, regions }: Network,
): { end(): Promise<Read> } {
  const paths = [
    'stations.json',
    ...stations.flatMap(({ id }) => [`station/${id}.json`, `station/${id}-history.json`]),
    ...regions.flatMap(({ slug }) => [`region/${slug}.json`, `region/${slug}-history.json`]),
  ];
  const failures: string[] = [];
  const took: number[] = [];
  let over = false;
  const client = async (first: number) => {
    for (let turn = first; !over; turn += CLIENTS) {
      // a list now and then, otherwise it would be one request in hundreds
      const path = turn % 10 === 0 ? 'stations.json' : paths[(turn * 7) % paths.length];
      const began = performance.now();
      const answer = await fetch(`http://localhost:${port}/en/air-quality-app/v1/${path}`);
      await answer.arrayBuffer();
      took.push(performance.now() - began);
      if (answer.status !== 200) failures.push(`GET ${path}: ${answer.status}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));
  return {
    async end() {
      over = true;
      await Promise.all(clients);
      return {
        requests: took.length,
        failures,
        p50_ms: percentile(took, 50),
        p99_ms: percentile(took, 99),
      };
    },
  };
}
