/**
 * B12: a cold station history by other means: Fastify with pg over the raw readings, SQLite with rollups made by hand, DuckDB over the readings.
 * Each must first give the same document, cell by cell. Reported, not judged; a peer that is not installed is listed as such.
 */
import { connect } from '../../../src/database/client.ts';
import { fetchRaw } from '../load/bare.ts';
import { type Context, figure, type Measure, type Row } from '../run/measure.ts';
import { interleave } from '../run/rounds.ts';
import { BASE, startService } from '../run/service.ts';
import { bootstrap, median } from '../run/statistics.ts';
import { installedVersion, type Peer } from '../run/versions.ts';
import { TIME_ZONE } from '../run/world.ts';
import { checkSame } from './cold.ts';
import { type Document, openDuckDb, openFastify, openSqlite } from './peerDatabases.ts';

export type PeerServer = { name: string; document(station: number): Promise<Document>; close(): Promise<void> };

const OPENERS = {
  'Fastify + pg, raw': openFastify,
  'SQLite, hand-made rollups': openSqlite,
  'DuckDB, raw': openDuckDb,
};
const NEEDS: Record<keyof typeof OPENERS, Peer[]> = {
  'Fastify + pg, raw': ['fastify', 'pg'],
  'SQLite, hand-made rollups': ['libsql'],
  'DuckDB, raw': ['@duckdb/node-api'],
};
/** Nobody has written these yet: listed, so that the table doesn't look complete. */
const UNWRITTEN = ['PostGraphile', 'InfluxDB 1.x', 'VictoriaMetrics'];

async function run(context: Context): Promise<Row[]> {
  const world = await context.town();
  const service = await startService(world.database, { RESPONSE_CACHE_MB: '0' });
  const sql = connect(world.database.target, { timeZone: TIME_ZONE, max: 1 });
  const rows: Row[] = [];
  const path = `${BASE}/station/3-history.json`;
  const missing = (name: string, detail = 'not installed'): Row => {
    const nothing = { median: Number.NaN, low: Number.NaN, high: Number.NaN };
    return { id: 'B12', title: name, value: nothing, unit: '', better: 'higher', detail };
  };
  try {
    const ours = JSON.parse(String((await fetchRaw(service.port, path)).body)) as Document;
    for (const [name, open] of Object.entries(OPENERS)) {
      if (NEEDS[name as keyof typeof OPENERS].some((peer) => installedVersion(peer) === undefined)) {
        rows.push(missing(name));
        continue;
      }
      context.progress(`B12 ${name}`);
      const peer = await open(world, sql);
      try {
        checkSame(ours, await peer.document(3), name);
        const timed = (task: () => Promise<unknown>) => async () => {
          const begun = performance.now();
          await task();
          return performance.now() - begun;
        };
        const samples = await interleave(
          { ours: timed(() => fetchRaw(service.port, path)), theirs: timed(() => peer.document(3)) },
          context.quick ? 5 : 25,
        );
        const value = bootstrap(samples.theirs.map((one, round) => one / (samples.ours[round] ?? Number.NaN)));
        const detail = `${figure(median(samples.theirs))} : ${figure(median(samples.ours))} ms, same answer`;
        rows.push({ id: 'B12', title: `${name} ÷ ours`, value, unit: '', better: 'higher', detail });
      } finally {
        await peer.close();
      }
    }
  } finally {
    await sql.end();
    await service.close();
  }
  return [...rows, ...UNWRITTEN.map((name) => missing(name, 'not compared yet'))];
}

export const peers: Measure = { ids: ['B12'], title: 'cold documents by other means', run };
