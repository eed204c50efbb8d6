/**
 * The embedded server’s folder is backed up and restored by the words of the page, as the other
 * servers are in test/database/backup.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'vitest';
import { openEmbeddedServer } from '../../../src/extras/embedded/server.ts';
import {
  fill,
  keepsItsPromise,
  log,
  makeMistake,
  type Place,
  TIMEOUT_MS,
  words,
} from '../../database/backup.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('the embedded server’s folder, copied while it is stopped', {
  timeout: TIMEOUT_MS,
}, async () => {
  const folder = temporaryFolder('backup');
  const config = { dataDirectory: join(folder, '.airseries') };
  const place: Place = { config, open: () => openEmbeddedServer({ ...config, log }) };
  const filled = await fill(place);
  const [backUp = '', restore = ''] = words(
    'cp -a .airseries',
    'src/extras/embedded/README.md',
  ).split(/(?<=\n)(?=mv)/);
  execFileSync('/bin/sh', ['-ec', backUp], { cwd: folder });
  await makeMistake(place);
  execFileSync('/bin/sh', ['-ec', restore], { cwd: folder });
  await keepsItsPromise(place, filled);
});
