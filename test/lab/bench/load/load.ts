/**
 * Load by autocannon in this process: what is measured runs in another, so they share no thread. It
 * takes as much processor as a bare server, 0.3 to 0.8 s of two against 0.3 to 0.6: where it was
 * busy all the time, ratios of requests a second are too near to 1, and those by CPU time count.
 */
import { performance } from 'node:perf_hooks';
import autocannon, { type Result } from 'autocannon';
import { percentile } from '../run/statistics.ts';

export type Job = {
  port: number;
  /** Taken in turn by each connection. */
  paths: string[];
  headers?: Record<string, string>;
  /** The status of every response, or the load fails. */
  status?: number;
  connections: number;
  seconds: number;
  /** Requests each second, as early in it as can be; left out: each as soon as one is answered. */
  rate?: number;
};

/** Milliseconds from writing a request to the last byte of its response. */
type Outcome = { requests: number; perSecond: number; p50: number; p99: number };

let busiest = 0;

/** The largest share of time in which a load was not idle: at 1 it was the bottleneck. */
export const busiestLoad = () => busiest;

/** Rejects if any response had another status, or a connection failed. */
export async function load(job: Job): Promise<Outcome> {
  const { port, paths, headers = {}, status = 200, connections, seconds, rate } = job;
  const took: number[] = [];
  let wrong = 0;
  const [begun, idle] = [performance.now(), performance.eventLoopUtilization()];
  const options = {
    url: `http://127.0.0.1:${port}`,
    requests: paths.map((path) => ({ path })),
    headers,
    connections,
    duration: seconds,
    ...(rate !== undefined && { overallRate: rate }),
  };
  const { errors } = await new Promise<Result>((resolve, reject) => {
    const done = (error: Error | null, result: Result) => (error ? reject(error) : resolve(result));
    // its own percentiles are of whole milliseconds
    autocannon(options, done).on('response', (_client, answered, _bytes, ms) => {
      took.push(ms);
      if (answered !== status) wrong += 1;
    });
  });
  const elapsed = (performance.now() - begun) / 1_000;
  busiest = Math.max(busiest, performance.eventLoopUtilization(idle).utilization);
  if (errors + wrong > 0 || took.length === 0)
    throw new Error(`${wrong} of ${took.length} responses were wrong, ${errors} requests failed`);
  const [p50, p99] = [percentile(took, 50), percentile(took, 99)];
  return { requests: took.length, perSecond: took.length / elapsed, p50, p99 };
}
