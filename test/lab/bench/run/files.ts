/** A file for a measure, in a folder that goes with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from './measure.ts';

/** Its path. */
export function writeTemporary({ after }: Context, name: string, content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-bench-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}
