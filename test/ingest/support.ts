/** Tests of ingestion make and read readings, files and texts with this. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from '../../src/database/client.ts';
import { readReadings } from '../../src/ingest/reading/collect.ts';
import type { Declarations } from '../../src/ingest/reading/declarations.ts';
import { makeFindings } from '../../src/ingest/reading/doubts.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import type { Source } from '../../src/ingest/rows/source.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

export function reading(
  sensorId: unknown,
  measuredAt: unknown,
  values: ReadingInput['values'],
  line?: number,
): ReadingInput {
  const text = JSON.stringify({ sensorId, measuredAt, ...values });
  return { sensorId, measuredAt, values, text, ...(line === undefined ? {} : { line }) };
}

/** The readings as stored. */
export function stored(sql: Sql) {
  return sql`select to_jsonb(r) as row from raw.readings r order by sensor_id, measured_at`.then(
    (rows) => rows.map(({ row }) => row),
  );
}

/** The path of a new file, deleted after the test. */
export function file(name: string, content: string | Buffer): string {
  const path = join(temporaryFolder('ingest'), name);
  writeFileSync(path, content);
  return path;
}

/** A source that is a text in memory. */
export function textSource(text: string): Source {
  async function* bytes() {
    yield Buffer.from(text);
  }
  return { name: 'the text', size: undefined, read: 0, bytes: bytes() };
}

/** The readings of a text, and what was found in it. Rejects as readReadings does. */
export async function readText(text: string, declared: Declarations = {}) {
  const readings: ReadingInput[] = [];
  let found = makeFindings();
  for await (const batch of readReadings(textSource(text), declared)) {
    readings.push(...batch.readings);
    found = batch.found;
  }
  return { readings, ...found };
}
