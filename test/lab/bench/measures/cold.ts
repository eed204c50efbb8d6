/** B4: a history rendered from the database, next to the query alone. */
import { connect, type Sql } from '../../../../src/database/client.ts';
import { load } from '../load/load.ts';
import { type Context, figureRow, type Measure, type Row, ratioRow } from '../run/measure.ts';
import { TIME_ZONE } from '../run/network.ts';
import { compare } from '../run/rounds.ts';
import { BASE, startService, UNKEPT } from '../run/service.ts';
import { repeated } from '../run/statistics.ts';
import { NOW } from '../run/world.ts';

/** The document of all windows, through HTTP and by the fastest query for it over our driver. */
async function run(context: Context): Promise<Row[]> {
  const { database } = await context.town();
  const seconds = context.quick ? 0.5 : 2;
  const { port } = await startService(context, database, UNKEPT);
  const rows: Row[] = [];
  for (const clients of [1, 8]) {
    context.progress(`B4 cold history with ${clients} clients`);
    const reader = { role: 'airseries_reader', timeZone: TIME_ZONE, max: clients } as const;
    const sql = connect(database.target, reader);
    context.after(() => sql.end());
    const query = await fastestQuery(sql);
    const job = { port, paths: [`${BASE}/station/1-history.json`], connections: clients, seconds };
    const ours = async () => ({ ms: (await load(job)).p50 });
    const reference = async () => ({ ms: await repeated(query, { clients, seconds }) });
    for (let warming = 0; warming < (context.quick ? 0 : 5); warming++) {
      await ours(); // JavaScript is compiled after some thousand calls
      await reference();
    }
    const { ms } = await compare({ ours, reference }, context.quick ? 3 : 9);
    const title = `cold station history ÷ its SQL, clients: ${clients}`;
    const judged = { id: 'B4', title, unit: 'ms', must: 1.5, goal: 1.2 };
    rows.push(ratioRow(ms, { ...judged, better: 'lower' }));
    const alone = { id: 'B4', title: 'cold station history, p50', unit: 'ms', must: 3 };
    if (clients === 1) rows.push(figureRow([ms.ours], alone));
  }
  return rows;
}

/** The history of station 1 as the service asks for it once it knows the bounds. */
async function fastestQuery(sql: Sql): Promise<() => Promise<unknown>> {
  const [bounds = {}] = await sql`select * from api.history_bounds(${NOW})`;
  const named = Object.keys(bounds).map((name, n) => `${name} => $${n + 1}`);
  const text = `select * from api.station_history_json(only_station => 1, ${named.join(', ')})`;
  return () => sql.unsafe(text, Object.values(bounds), { prepare: true });
}

export const cold: Measure = { ids: ['B4'], title: 'documents rendered for their request', run };
