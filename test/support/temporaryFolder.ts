/** Creates a folder for one test, which is removed afterwards. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `airseries-${name}-`));
  chmodSync(folder, 0o755); // as root, a server runs as another user and must get in
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
