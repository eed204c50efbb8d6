/**
 * `node --import tsx readHostile.ts`: reads all hostile bodies, one after the other, and says of
 * how many that was. Run it with little memory.
 */
import { readBatch } from '../../../../src/ingest/http/readings.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { HOSTILE } from './hostile.ts';

let read = 0;
for (const { body, type, path } of HOSTILE) {
  const [, name] = /\/v1\/push\/(\w+)/.exec(path) ?? [];
  await readBatch(
    Buffer.from(body()),
    type,
    name === 'airrohr' ? {} : { name },
    READING_FORMATS,
  ).catch(() => undefined);
  read += 1;
}
process.stdout.write(String(read));
