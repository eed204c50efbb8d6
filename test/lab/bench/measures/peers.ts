/**
 * B12: cold histories of a station and of a region by other means. Each peer has the same readings
 * and must first give the same document, cell by cell. Reported, not judged; a peer that is not
 * installed, or that answers something else, is listed as such.
 */
import { connect, type Sql } from '../../../../src/database/client.ts';
import { type Context, figure, type Measure, type Row, ratioRow } from '../run/measure.ts';
import { compare, type Variant } from '../run/rounds.ts';
import { type Service, startService } from '../run/service.ts';
import { median } from '../run/statistics.ts';
import { installedVersion, type Peer as PeerName } from '../run/versions.ts';
import { TIME_ZONE, type World } from '../run/world.ts';
import { checkSame } from './cold.ts';
import { openDuckDb, openFastify, openSqlite } from './peers/databases.ts';
import { ask, type Open, type Peer, regionOf, STATION, type Subject } from './peers/peer.ts';

type Definition = { name: string; needs: PeerName[]; open: Open; isInProcess?: boolean };

const PEERS: readonly Definition[] = [
  { name: 'Fastify + pg, raw', needs: ['fastify', 'pg'], open: openFastify },
  { name: 'SQLite, hand-made rollups', needs: ['libsql'], open: openSqlite, isInProcess: true },
  { name: 'DuckDB, raw', needs: ['@duckdb/node-api'], open: openDuckDb },
];

type Setting = { context: Context; world: World; service: Service; sql: Sql };

async function run(context: Context): Promise<Row[]> {
  const world = await context.town();
  const service = await startService(world.database, { RESPONSE_CACHE_MB: '0' });
  const sql = connect(world.database.target, { timeZone: TIME_ZONE, max: 1 });
  const rows: Row[] = [];
  try {
    for (const definition of PEERS)
      rows.push(...(await against({ context, world, service, sql }, definition)));
  } finally {
    await sql.end();
    await service.close();
  }
  return rows;
}

/** The rows of one peer, whatever becomes of it. */
async function against(
  { context, world, service, sql }: Setting,
  { name, needs, open, isInProcess }: Definition,
) {
  if (needs.some((peer) => installedVersion(peer) === undefined))
    return [unmeasured(name, 'not installed')];
  context.progress(`B12 ${name}`);
  const begun = performance.now();
  let peer: Peer;
  try {
    peer = await open(world, sql);
  } catch (error) {
    return [unmeasured(name, reasonOf(error))];
  }
  context.progress(`loaded in ${Math.round((performance.now() - begun) / 1_000)} s`);
  const rows: Row[] = [];
  try {
    for (const subject of [STATION, regionOf(world)]) {
      const title = `${name} ÷ ours, ${subject.title}`;
      try {
        const goal = isInProcess === true && !subject.isRegion ? {} : { goal: 1 };
        const row = ratioRow(await measured({ context, service, peer, subject }), {
          id: 'B12',
          title,
          unit: 'ms',
          better: 'higher',
          ...goal,
        });
        rows.push({
          ...row,
          detail: `${row.detail}, same answer, ${figure(world.readings)} readings`,
        });
      } catch (error) {
        context.progress(`${title}: ${(error as Error).message}`);
        rows.push(unmeasured(title, reasonOf(error)));
      }
    }
  } finally {
    await peer.close();
  }
  return rows;
}

type Pair = { context: Context; service: Service; peer: Peer; subject: Subject };

/** Milliseconds of one client's request. Throws where the peer's answer differs. */
async function measured({ context, service, peer, subject }: Pair) {
  const ours = () => ask(service.port, subject.path);
  const theirs = () => peer.history(subject);
  const own = JSON.parse(await ours());
  const begun = performance.now();
  checkSame(own, JSON.parse(await theirs()), 'not the same answer');
  // a ratio in the hundreds needs no narrow interval
  const isSlow = performance.now() - begun > 1_000;
  const budget = context.quick ? 50 : 300;
  return await compare({
    ours: timed(theirs, budget),
    reference: timed(ours, budget),
    rounds: context.quick || isSlow ? 3 : 11,
  });
}

/** The median of all runs that fit into that many milliseconds, at least one. */
function timed(task: () => Promise<unknown>, milliseconds: number): Variant {
  return async () => {
    const took: number[] = [];
    const until = performance.now() + milliseconds;
    for (let now = performance.now(); now < until || took.length === 0; ) {
      await task();
      took.push(performance.now() - now);
      now = performance.now();
    }
    return { value: median(took), least: Math.min(...took) };
  };
}

function unmeasured(title: string, detail: string): Row {
  const nothing = { median: Number.NaN, low: Number.NaN, high: Number.NaN };
  return { id: 'B12', title, value: nothing, unit: '', better: 'higher', detail };
}

/** One line, for a cell of the table. */
const reasonOf = (error: unknown) => (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300);

export const peers: Measure = { ids: ['B12'], title: 'cold documents by other means', run };
