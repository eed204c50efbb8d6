/**
 * B12: cold histories of a station and of a region by other means. Each peer has the same readings
 * and must first give the same means and extremes. A peer that is not installed, or that answers
 * something else, is listed as such.
 */
import { connect } from '../../../../src/database/client.ts';
import { getText } from '../load/get.ts';
import { type Context, type Measure, type Row, ratioRow, unmeasured } from '../run/measure.ts';
import { citySlug, TIME_ZONE } from '../run/network.ts';
import { compare } from '../run/rounds.ts';
import { BASE, startService, UNKEPT } from '../run/service.ts';
import { repeated, seconds } from '../run/statistics.ts';
import type { World } from '../run/world.ts';
import { type Open, openDuckDb, openFastify, openSqlite, type Peer } from './databases.ts';
import { checkSame } from './histories.ts';

const PEERS: Record<string, Open> = {
  'Fastify, raw': openFastify,
  'SQLite, hand-made rollups': openSqlite,
  'DuckDB, raw': openDuckDb,
};

type Subject = { title: string; path: string; stations: readonly number[] };

const subjectsOf = ({ stations }: World): Subject[] => [
  { title: 'station', path: `${BASE}/station/3-history.json`, stations: [3] },
  {
    title: `region of ${stations}`,
    path: `${BASE}/region/${citySlug(1)}-history.json`,
    stations: Array.from({ length: stations }, (_, n) => n + 1),
  },
];

async function run(context: Context): Promise<Row[]> {
  const world = await context.town();
  const { port } = await startService(context, world.database, UNKEPT);
  const sql = connect(world.database.target, { timeZone: TIME_ZONE, max: 1 });
  context.after(() => sql.end());
  const rows: Row[] = [];
  for (const [name, open] of Object.entries(PEERS)) {
    context.progress(`B12 ${name}`);
    try {
      const peer = await open(world, sql);
      context.after(peer.close);
      for (const subject of subjectsOf(world)) {
        const title = `${name} ÷ ours, ${subject.title}`;
        // rows of a station by its number, in this process: nobody is faster
        const isInProcess = name.startsWith('SQLite') && subject.title === 'station';
        const judged = { id: 'B12', title, unit: 'ms', ...(isInProcess ? {} : { goal: 1 }) };
        const compared = await measured(context, port, peer, subject);
        rows.push(ratioRow(compared, { ...judged, better: 'higher' }));
      }
    } catch (error) {
      rows.push(unmeasured({ id: 'B12', title: name }, error));
    }
  }
  return rows;
}

/** Milliseconds of one client's request. Throws where the peer's answer differs. */
async function measured({ quick }: Context, port: number, peer: Peer, subject: Subject) {
  const ours = () => getText(port, subject.path);
  const theirs = () => peer.history(subject.stations);
  const own = JSON.parse(await ours());
  const took = await seconds(async () => checkSame(own, JSON.parse(await theirs())));
  const variant = (task: () => Promise<string>) => async () => ({
    ms: await repeated(task, { clients: 1, seconds: quick ? 0.05 : 0.3 }),
  });
  const variants = { ours: variant(theirs), reference: variant(ours) };
  // a ratio in the hundreds needs no narrow interval
  return (await compare(variants, quick || took > 1 ? 3 : 11)).ms;
}

export const peers: Measure = { ids: ['B12'], title: 'cold documents by other means', run };
