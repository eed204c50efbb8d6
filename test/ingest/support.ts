/** Tests of ingestion make and read readings, files and texts with this. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import type { Sql } from '../../src/database/client.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import type { Filter } from '../../src/ingest/quarantine/list.ts';
import { retryQuarantined } from '../../src/ingest/quarantine/retry.ts';
import type { Declarations } from '../../src/ingest/reading/declarations.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import { type Accepted, acceptReadings, type StoredRow } from '../../src/ingest/store/accept.ts';
import { type Staged, withStage } from '../../src/ingest/store/stage.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { NOW } from '../support/clock.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { READING_FORMATS } from '../support/formats.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** The engine of tests that don't depend on it. */
export const ENGINE = engines[0] ?? 'plain';
/** How a file is imported, and the quarantine tried again. */
export const HOW = { formats: READING_FORMATS, now: NOW, log: makeLog('silent'), terminal: false };

export type Town = {
  db: TestDatabase;
  owner: Sql;
  ingest: Sql;
  accept(readings: readonly ReadingInput[], source?: string, provider?: string): Promise<Accepted>;
};

/** The database of the tests of a file or a suite, with a network; without readings before each. */
export function useTown(engine: Engine = ENGINE, network: object = smallNetwork()): Town {
  const town = {
    accept: (readings, source = 'test', provider) =>
      acceptReadings(town.ingest, readings, {
        now: NOW,
        source,
        scope: provider === undefined ? undefined : { provider, stations: null },
      }),
  } as Town;
  beforeAll(async () => {
    const db = await testDatabase(engine);
    Object.assign(town, { db, owner: db.as(), ingest: db.as('airseries_ingest') });
    await bringIn(town.owner, network);
  });
  beforeEach(() => empty(town.owner));
  afterAll(() => town.db.drop());
  return town;
}

/** Takes away all readings, and everything that is known of how they came. */
export const empty = (owner: Sql) =>
  owner`truncate raw.readings, raw.quarantine, raw.import restart identity cascade`;

/** Imports a text as a file, as the command does. */
export const importText = (
  sql: Sql,
  text: string | Buffer,
  format?: Declarations,
  name = 'readings.csv',
) => importReadings(sql, [file(name, text)], { ...HOW, format });

export const retry = (owner: Sql, filter: Filter = {}, now = NOW) =>
  retryQuarantined(owner, { ...HOW, ...filter, now });

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
