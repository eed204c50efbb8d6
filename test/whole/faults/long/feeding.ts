/**
 * A service on its own embedded server, and a sender that fills its one sensor minute by minute and
 * records the acknowledged batches.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../support/freePort.ts';
import { beginRequest } from '../../../support/http.ts';
import { citiesOfOneStation } from '../../../support/installation.ts';
import { type makeHome, type Running, ready, runAirseries } from '../../../support/program.ts';

const FIRST = Date.parse('2020-01-01T00:00:00Z');

export type Pushed = { status: number; seconds: number };

export type Feeding = {
  service: Running;
  port: number;
  /** Sends a batch of that many new minutes. */
  push(size: number): Promise<Pushed>;
  /** Batches by the minute of their first reading. */
  batches: Map<number, { size: number; acknowledged: boolean }>;
};

/** Imports the network and creates a token; once per home. */
export async function prepare(
  home: ReturnType<typeof makeHome>,
  environment = home.environment,
): Promise<string> {
  const file = join(home.folder, 'network.json');
  writeFileSync(file, JSON.stringify(citiesOfOneStation(['town'])));
  const imported = await runAirseries(['import', 'network', file], environment).finished;
  if (imported.code !== 0) throw new Error(imported.stderr);
  const made = await runAirseries(['token', 'add', 'feed', '--provider', 'us'], environment)
    .finished;
  return JSON.parse(made.stdout).token;
}

export async function feed(environment: Record<string, string>, token: string): Promise<Feeding> {
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const ports = { PORT, ADMIN_PORT, INGEST_PORT };
  const service = runAirseries(['start'], {
    ...environment,
    ...ports,
    DEMO: 'off',
    INGEST_RATE: '1000000',
  });
  await ready(ADMIN_PORT, service);
  const batches: Feeding['batches'] = new Map();
  let minute = 0;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return {
    service,
    port: Number(PORT),
    batches,
    async push(size) {
      const first = minute;
      minute += size;
      const readings = Array.from({ length: size }, (_, n) => ({
        sensor_id: 1,
        time: new Date(FIRST + (first + n) * 60_000).toISOString(),
        pm25: n % 100,
      }));
      const began = performance.now();
      const begun = beginRequest(Number(INGEST_PORT), {
        method: 'POST',
        path: '/v1/readings',
        headers,
      });
      const { status } = await begun.finish(JSON.stringify(readings));
      batches.set(first, { size, acknowledged: status === 200 });
      return { status, seconds: (performance.now() - began) / 1_000 };
    },
  };
}

/** Readings lost from acknowledged batches, and batches stored only in part. */
export function compare(
  batches: Feeding['batches'],
  stored: ReadonlySet<number>,
): { lost: number; half: number } {
  let [lost, half] = [0, 0];
  for (const [first, { size, acknowledged }] of batches) {
    const found = Array.from({ length: size }, (_, n) => stored.has(first + n)).filter(
      Boolean,
    ).length;
    if (acknowledged) lost += size - found;
    else if (found > 0 && found < size) half += 1;
  }
  return { lost, half };
}

export const minuteOf = (time: string) => (Date.parse(time) - FIRST) / 60_000;
