/**
 * Waits until the test run has ended whose folder its input names, and clears away what a run that
 * broke off has left there.
 */
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { sweep } from './leftovers.ts';

const folder = await text(process.stdin);
if (folder !== '' && existsSync(folder)) {
  process.stderr.write(`\nthe test run broke off: ending its servers, removing ${folder}\n`);
  sweep(folder);
}
