/** No body within the limits fills the memory of the process. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { HOSTILE } from './hostile.ts';

it('all hostile bodies are read or refused, each as expected, within 100 MB of memory', async () => {
  const script = fileURLToPath(new URL('readHostile.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=100',
    '--import',
    'tsx',
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual([HOSTILE.length, []]);
});
