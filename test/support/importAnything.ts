/**
 * Stores a file in our own form as an import does, without looking at it as a whole: random values
 * contradict each other more often than a file does.
 */

import type { Sql } from '../../src/database/client.ts';
import { canonical } from '../../src/ingest/canonical.ts';
import { FILE_LIMITS } from '../../src/ingest/reading/batches.ts';
import { openSource } from '../../src/ingest/rows/source.ts';
import { addCounts, beginImport, endImport, noCounts } from '../../src/ingest/store/imports.ts';
import { withStage } from '../../src/ingest/store/stage.ts';

export async function importAnything(sql: Sql, path: string, now: Date): Promise<void> {
  await withStage(sql, async (stage) => {
    const staged = await stage.begin();
    const source = await openSource(path);
    for await (const { readings } of canonical.readReadings(source, undefined, FILE_LIMITS))
      await stage.add(readings, now);
    await stage.end();
    if (staged.rows === 0) return;
    const readBy = { format: canonical.names[0] as string, declared: {}, sourceName: undefined };
    const importId = await beginImport(sql, path, readBy, now);
    const counts = noCounts();
    for await (const row of stage.store(path, now, { importId })) addCounts(counts, row);
    await endImport(sql, importId, counts, staged.span);
  });
}
