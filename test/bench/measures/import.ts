/**
 * `npm run bench`: how fast readings come in and aggregates follow, next to what the same server does at best with the same rows, a
 * COPY into a plain table with the same key. One run, one machine, ratios of rates; absolute numbers mean little elsewhere.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Engine } from '../../src/database/aggregates.ts';
import type { Sql } from '../../src/database/client.ts';
import { copyIn } from '../../src/database/copyIn.ts';
import { makeCopyBatch } from '../../src/ingest/copyBatch.ts';
import { readReadings } from '../../src/ingest/formats/readings.ts';
import { openSource } from '../../src/ingest/formats/source.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { makeLog } from '../../src/log.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { refresh } from '../../src/rollups/refresh.ts';
import { makeDatabase, type TestDatabase } from '../support/makeDatabase.ts';
import { openServers } from '../support/servers.ts';

const NOW = new Date('2026-11-20T00:00:00Z');
const STATIONS = 20;
const ROWS = 960_000;
const log = makeLog('silent');

const network = JSON.stringify({
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'p', title: 'P' }],
  regions: [{ slug: 'town', kind: 'city', title: { en: 'Town' } }],
  stations: Array.from({ length: STATIONS }, (_, n) => ({
    id: n + 1,
    provider: 'p',
    title: { en: `Station ${n + 1}` },
    latitude: 40,
    longitude: 44,
    regions: ['town'],
    sensors: [{ id: n + 1 }],
  })),
});

/** Every 145 s, as the most common firmware reports. */
const rows = Array.from({ length: ROWS }, (_, n) => {
  const at = new Date(NOW.getTime() - (ROWS / STATIONS - Math.floor(n / STATIONS)) * 145_000).toISOString();
  return [(n % STATIONS) + 1, at, (n % 97) / 2, (n % 89) / 3, (n % 60) - 20, n % 100, 90_000 + (n % 500)].join(',');
});
const HEADER = 'sensor_id,time,pm25,pm10,temperature,humidity,pressure';

async function benchEngine(database: TestDatabase, file: string): Promise<void> {
  const owner = database.as();
  await importNetwork(owner, network, { log });
  await owner`create table rollup.plain (sensor_id int, time timestamptz, pm25 real, pm10 real, temperature real, humidity real, pressure real,
    primary key (sensor_id, time))`;
  const copied = await seconds(() => copyIn(owner, 'copy rollup.plain from stdin (format csv)', chunks()));
  const parsed = await seconds(parse);
  const ingest = database.as('airseries_ingest');
  const load = () => importReadings(ingest, [file], { now: NOW, log, terminal: false });
  const imported = await seconds(load);
  const refreshed = await seconds(() => refresh(database.target, NOW));
  const again = await seconds(load);
  const late = await seconds(() => oneLateReading(ingest, database));
  const line = (what: string, time: number) =>
    console.log(
      `${what.padEnd(34)} ${time.toFixed(2).padStart(7)} s ${Math.round(ROWS / time)
        .toLocaleString('en')
        .padStart(11)} rows/s  ${(copied / time).toFixed(2).padStart(6)}`,
    );
  console.log(`\n${database.engine}, ${ROWS.toLocaleString('en')} readings of ${STATIONS} sensors`);
  line('COPY into a plain table', copied);
  line('reading and validating alone', parsed);
  line('import readings', imported);
  line('import until everything is visible', imported + refreshed);
  line('the same file again', again);
  console.log(`one late reading, in every window   ${(late * 1000).toFixed(0).padStart(4)} ms`);
}

/** What the program does by itself, without a database. */
async function parse(): Promise<void> {
  const known = new Map(
    Array.from({ length: STATIONS }, (_, n) => [n + 1, { newest: Number.NEGATIVE_INFINITY, placements: [] }]),
  );
  const bounds = { origin: 0, cutoff: Number.NEGATIVE_INFINITY };
  for await (const { readings } of readReadings(await openSource(file))) {
    await makeCopyBatch(readings, { now: NOW, bounds, known });
  }
}

async function oneLateReading(ingest: Sql, database: TestDatabase): Promise<void> {
  await ingest`update raw.readings set pm25 = 1 where sensor_id = 1 and measured_at = (select min(measured_at) from raw.readings where sensor_id = 1)`;
  await refresh(database.target, NOW);
}

function* chunks(): Generator<string> {
  for (let from = 0; from < rows.length; from += 5_000) yield `${rows.slice(from, from + 5_000).join('\n')}\n`;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

const folder = mkdtempSync(join(tmpdir(), 'airseries-bench-'));
const file = join(folder, 'readings.csv.gz');
writeFileSync(file, gzipSync(`${HEADER}\n${rows.join('\n')}\n`));
const { targets, close } = await openServers();
try {
  for (const engine of Object.keys(targets) as Engine[]) {
    const database = await makeDatabase(targets, engine, 'Asia/Yerevan');
    await benchEngine(database, file);
    await database.drop();
  }
} finally {
  await close();
  rmSync(folder, { recursive: true, force: true });
}
