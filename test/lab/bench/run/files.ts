/** Files of readings for a measure. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from './measure.ts';

export const HEADER = 'sensor_id,time,pm25,pm10,temperature,humidity,pressure';

/** Lines of all sensors at even steps of so many milliseconds before an instant. */
export function linesOf(sensors: number, until: number, steps: number, step: number): string[] {
  return Array.from({ length: steps * sensors }, (_, n) => {
    const at = until - (steps - Math.floor(n / sensors)) * step;
    const values = [(n % 97) / 2, (n % 89) / 3, (n % 60) - 20, n % 100, 90_000 + (n % 500)];
    return [(n % sensors) + 1, new Date(at).toISOString(), ...values].join(',');
  });
}

/** The path of a file in a folder that goes with the measure. */
export function writeTemporary({ after }: Context, name: string, content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-bench-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}
