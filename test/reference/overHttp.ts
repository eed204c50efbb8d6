/** Sends a file of readings to the ingest endpoint in the worst way: in random order, and a third of them twice. */
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { DatabaseAddress } from '../../src/database/client.ts';
import { openIngestPool } from '../../src/database/pools.ts';
import { listen } from '../../src/http/listen.ts';
import { splitCsvLine } from '../../src/ingest/formats/csv.ts';
import { makeLog } from '../../src/log.ts';
import { makeIngestApp } from '../../src/push/app.ts';
import { seeded } from '../support/random.ts';

const BATCH = 5_000;

type Options = { target: DatabaseAddress; timeZone: string; token: string; path: string };

/** Resolves to the numbers of readings in the file and sent, and to the sum of the answers. */
export async function sendShuffled({ target, timeZone, token, path }: Options) {
  const text = gunzipSync(readFileSync(path)).toString().trimEnd();
  const [names = [], ...records] = text.split(/\r?\n/).map((line) => splitCsvLine(line, ',') ?? []);
  const rows = records.map((fields) => Object.fromEntries(names.map((name, index) => [name, fields[index]])));
  const lines = rows.map(({ station_id: _, ...row }) => JSON.stringify(row));
  const shuffled = shuffle([...lines, ...lines.filter((_, index) => index % 3 === 0)]);
  const writes = openIngestPool(target, { timeZone });
  const app = makeIngestApp({ writes, clock: () => new Date(), log: makeLog('silent'), rate: 1_000_000 });
  const server = await listen(app, { port: 0, variable: 'INGEST_PORT' });
  const answered = { received: 0, accepted: 0, unchanged: 0, quarantined: 0 };
  for (let first = 0; first < shuffled.length; first += BATCH) {
    const answer = await fetch(`http://localhost:${server.port}/v1/readings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' },
      body: gzipSync(shuffled.slice(first, first + BATCH).join('\n')),
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    const body = (await answer.json()) as { received: number; accepted: number; unchanged: number; quarantined: [] };
    answered.received += body.received;
    answered.accepted += body.accepted;
    answered.unchanged += body.unchanged;
    answered.quarantined += body.quarantined.length;
  }
  await server.close({ drainMs: 0 });
  await writes.close();
  return { rows: rows.length, sent: shuffled.length, answered };
}

function shuffle<T>(items: T[]): T[] {
  const random = seeded(20_261_121);
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [items[last], items[other]] = [items[other] as T, items[last] as T];
  }
  return items;
}
