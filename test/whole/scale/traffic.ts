/** Clients of two APIs and two workers while things fail: answers and acknowledged readings. */
import { setTimeout as pause } from 'node:timers/promises';
import { beginBatch, httpGet } from '../../support/http.ts';

const PATHS = ['stations', 'station/1', 'station/1-history', 'region/town'].map(
  (path) => `/en/air-quality-app/v1/${path}.json`,
);
const READ_EVERY_MS = 20;
const WRITE_EVERY_MS = 40;

type Worker = { port: { ingest: number }; token: string };

export type Traffic = {
  reads(): number;
  /** Any answer but 200, and any station that was shown older than before by the same process. */
  failures: string[];
  /** Times of readings, in milliseconds, whose request was answered with 200. */
  acknowledged: Set<number>;
  /** The longest time without an acknowledged reading since the last call, in seconds. */
  longestSilence(): number;
  /** The largest Age since the last call, in seconds. */
  largestAge(): number;
  /** The Age of each API's last answer. */
  ages(): number[];
  /** Resolves when a reading that is sent from now on was acknowledged. */
  accepted(): Promise<void>;
  end(): Promise<void>;
};

export function startTraffic(apis: readonly number[], workers: readonly Worker[]): Traffic {
  const failures: string[] = [];
  const acknowledged = new Set<number>();
  const latest = { time: performance.now(), silence: 0, age: 0 };
  let isOver = false;
  let reads = 0;

  const ages = apis.map(() => 0);
  const reading = apis.map(async (port, api) => {
    let shown = 0;
    for (let n = 0; !isOver; n++) {
      const path = PATHS[n % PATHS.length] as string;
      const { status, body, headers } = await httpGet(port, path);
      reads += 1;
      ages[api] = Number(headers.age ?? 0);
      latest.age = Math.max(latest.age, ages[api]);
      if (status !== 200) failures.push(`${port} ${path} ${status} ${body}`);
      else if (path.endsWith('station/1.json')) {
        const time = Date.parse(JSON.parse(body).measurement_time) || 0;
        if (time < shown) failures.push(`${port} showed ${time} after ${shown}`);
        shown = time;
      }
      await pause(READ_EVERY_MS);
    }
  });

  let [sent, wanted] = [0, Number.POSITIVE_INFINITY];
  let onAccepted: () => void = () => undefined;
  const writing = (async () => {
    for (; !isOver; sent++) {
      const time = Date.now();
      const batch = [{ sensor_id: 1, time: new Date(time).toISOString(), pm25: sent % 100 }];
      const worker = workers[sent % workers.length] as Worker;
      const number = sent;
      const { status } = await beginBatch(worker, batch).finish(']');
      const now = performance.now();
      latest.silence = Math.max(latest.silence, (now - latest.time) / 1_000);
      if (status === 200) {
        acknowledged.add(time);
        latest.time = now;
        if (number >= wanted) onAccepted();
      }
      await pause(WRITE_EVERY_MS);
    }
  })();

  return {
    reads: () => reads,
    failures,
    acknowledged,
    longestSilence() {
      const { silence } = latest;
      latest.silence = 0;
      return silence;
    },
    largestAge() {
      const { age } = latest;
      latest.age = 0;
      return age;
    },
    accepted() {
      wanted = sent + 1;
      return new Promise((resolve) => {
        onAccepted = resolve;
      });
    },
    ages: () => ages,
    async end() {
      isOver = true;
      await Promise.all([...reading, writing]);
    },
  };
}
