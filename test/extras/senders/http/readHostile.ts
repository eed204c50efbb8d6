/**
 * `node --import tsx readHostile.ts`: reads all hostile bodies, one after the other, and lists those
 * whose answer would have another status than the expected one. Run it with little memory.
 */
import { Problem } from '../../../../src/http/send.ts';
import { readBatch } from '../../../../src/ingest/http/readings.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { HOSTILE } from './hostile.ts';

const wrong: string[] = [];
for (const { what, body, type, name, status } of HOSTILE) {
  const found = await readBatch(Buffer.from(body()), type, { name }, READING_FORMATS).then(
    () => 200,
    (error: unknown) => (error instanceof Problem ? error.status : String(error)),
  );
  if (found !== status) wrong.push(`${what}: ${found}`);
}
process.stdout.write(JSON.stringify([HOSTILE.length, wrong]));
