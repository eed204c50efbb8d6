/** A small network and its readings, for tests of everything between a file and the tables. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../src/base/log.ts';
import type { Sql } from '../../src/database/client.ts';
import { readReadings } from '../../src/ingest/reading/collect.ts';
import type { Declarations } from '../../src/ingest/reading/declarations.ts';
import { makeNotes } from '../../src/ingest/reading/notes.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import type { Source } from '../../src/ingest/rows/source.ts';
import { importNetwork, type NetworkResult } from '../../src/network/importNetwork.ts';
import type { TestDatabase } from '../support/database.ts';
import { PROVIDER_KEYS } from '../support/network.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

export const NOW = new Date('2026-11-20T12:00:00Z');

/** A log that keeps its lines. */
export function keepingLog(): Log & {
  lines: { level: string; message: string; fields: object }[];
} {
  const lines: { level: string; message: string; fields: object }[] = [];
  const keep =
    (level: string) =>
    (first: string | object, second?: string): void => {
      if (typeof first === 'string') lines.push({ level, message: first, fields: {} });
      else lines.push({ level, message: second ?? '', fields: first });
    };
  return {
    lines,
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
}

export type Json = Record<string, unknown>;

/**
 * Two stations in one city and its district; sensors 1 and 2 at station 1, sensor 3 at station 2.
 */
export function smallNetwork({
  timeZone = 'Asia/Yerevan',
  one = {},
  two = {},
  sensor = {},
}: {
  timeZone?: string;
  one?: Json;
  two?: Json;
  sensor?: Json;
} = {}) {
  return {
    time_zone: timeZone,
    providers: [{ id: 'us', title: 'Us' }],
    regions: [
      { slug: 'town', kind: 'city', title: { en: 'Town' } },
      { slug: 'quarter', kind: 'district', city: 'town', title: { en: 'Quarter' } },
    ],
    stations: [
      {
        id: 1,
        provider: 'us',
        title: { en: 'One' },
        latitude: 40,
        longitude: 44,
        regions: ['town', 'quarter'],
        sensors: [{ id: 1, ...sensor }, { id: 2 }],
        ...one,
      },
      {
        id: 2,
        provider: 'us',
        title: { en: 'Two' },
        latitude: 41,
        longitude: 45,
        regions: ['town'],
        sensors: [{ id: 3 }],
        ...two,
      },
    ],
  };
}

export function bringIn(sql: Sql, network: object): Promise<NetworkResult> {
  return importNetwork(sql, JSON.stringify(network), {
    log: keepingLog(),
    providerKeys: PROVIDER_KEYS,
  });
}

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

const comparing = new WeakMap<TestDatabase, Sql>();

/** The buckets that differ from the readings after a refresh: none, unless there is a bug. */
export async function differences(db: TestDatabase): Promise<unknown[]> {
  await db.refresh(NOW);
  const sql = comparing.get(db) ?? db.as();
  comparing.set(db, sql);
  return [
    ...(await sql`select * from logic.differences('-infinity', 'infinity') order by 1, 2, 3`),
  ];
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

/** The readings of a text, and the notes on it. Rejects as readReadings does. */
export async function readText(text: string, declared: Declarations = {}) {
  const readings: ReadingInput[] = [];
  let notes = makeNotes();
  for await (const batch of readReadings(textSource(text), declared)) {
    readings.push(...batch.readings);
    notes = batch.notes;
  }
  return { readings, notes };
}
