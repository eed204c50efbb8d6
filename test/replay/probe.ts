/**
 * Measures the time from the acceptance of a reading to its appearance in the history: one reading
 * at a time, each in its own hour.
 */
import { percentile } from './percentile.ts';

type Probe = {
  port: number;
  station: number;
  sensor: number;
  token: string;
  send(token: string, readings: object[]): Promise<void>;
  begun: number;
};

const EVERY_MS = 2_500;
const LOOK_MS = 250;
const HOUR = 3_600_000;
/** The hours of the window 7d, without the current one. */
const HOURS = 167;

export type Seen = { probes: number; unseen: number; p50: number; p99: number };

export function probe({ port, station, sensor, token, send, begun }: Probe): {
  end(): Promise<Seen>;
} {
  const waiting = new Map<number, number>();
  const took: number[] = [];
  let probes = 0;
  let over = false;
  const look = async () => {
    const answer = await fetch(
      `http://localhost:${port}/en/air-quality-app/v1/station/${station}-history.json`,
    );
    const points = ((await answer.json()) as { '7d': { timestamp: string }[] })['7d'];
    for (const { timestamp } of points) {
      const hour = Date.parse(timestamp);
      const accepted = waiting.get(hour);
      if (accepted !== undefined) took.push((performance.now() - accepted) / 1_000);
      waiting.delete(hour);
    }
  };
  const run = async () => {
    let next = performance.now();
    // at the end, wait at most two minutes for what was accepted (S4)
    while (!over || (waiting.size > 0 && performance.now() < next + 120_000)) {
      if (!over && probes < HOURS && performance.now() >= next) {
        const hour = Math.floor(begun / HOUR) * HOUR - (probes + 1) * HOUR;
        await send(token, [{ sensor_id: sensor, time: new Date(hour).toISOString(), pm25: 10 }]);
        waiting.set(hour, performance.now());
        probes += 1;
        next += EVERY_MS;
      }
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const running = run();
  return {
    async end() {
      over = true;
      await running;
      return { probes, unseen: waiting.size, p50: percentile(took, 50), p99: percentile(took, 99) };
    },
  };
}
