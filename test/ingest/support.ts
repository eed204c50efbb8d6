/** Tests of ingestion make and read readings, files and texts with this. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from '../../src/database/client.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import type { StoredRow } from '../../src/ingest/store/accept.ts';
import { type Staged, withStage } from '../../src/ingest/store/stage.ts';
import { NOW } from '../support/clock.ts';
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

/** Stages readings in parts, as an import does, and stores them. */
export async function storeStaged(
  sql: Sql,
  parts: readonly (readonly ReadingInput[])[],
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<StoredRow & { staged: Staged }> {
  return await withStage(sql, async (stage) => {
    const staged = await stage.begin();
    for (const part of parts) await stage.add(part, NOW);
    await stage.end();
    await meanwhile();
    const rows: StoredRow[] = [];
    for await (const row of stage.store('file', NOW)) rows.push(row);
    return { ...(rows[0] as StoredRow), staged };
  });
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
