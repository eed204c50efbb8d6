/** A peer gets the readings of a world, and answers histories as JSON text, laid out as ours. */
import { Agent, request } from 'node:http';
import type { Sql } from '../../../../../src/database/client.ts';
import { BASE } from '../../run/service.ts';
import type { World } from '../../run/world.ts';

/** The subject of a history: a station, or the region of several. */
export type Subject = {
  title: string;
  stations: readonly number[];
  isRegion: boolean;
  path: string;
};

/** A station of the shared town, and below the region of all. */
export const STATION: Subject = {
  title: 'station',
  stations: [3],
  isRegion: false,
  path: `${BASE}/station/3-history.json`,
};
export const regionOf = ({ stations }: World): Subject => ({
  title: `region of ${stations}`,
  stations: Array.from({ length: stations }, (_, n) => n + 1),
  isRegion: true,
  path: `${BASE}/region/town-history.json`,
});

export type Peer = { history(subject: Subject): Promise<string>; close(): Promise<void> };
export type Open = (world: World, sql: Sql) => Promise<Peer>;

/** A package of test/lab/bench. Its types are not there where it isn't installed. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const load = (name: string): Promise<any> => import(name);

const PARAMETERS = ['temperature', 'humidity', 'pressure', 'pm25', 'pm10'] as const;
type Reading = Record<'at' | 'sensor_id' | (typeof PARAMETERS)[number], number>;

/** All readings, one sensor at a time, in order; `at` in seconds of Unix time. */
export async function* readingsOf(sql: Sql, { stations }: World): AsyncGenerator<Reading[]> {
  for (let station = 1; station <= stations; station++) {
    yield await sql<Reading[]>`
      select extract(epoch from measured_at)::int as at, sensor_id, temperature::float8, humidity::float8, pressure::float8, pm25::float8, pm10::float8
      from raw.readings where sensor_id = ${station} order by measured_at`;
  }
}

const agent = new Agent({ keepAlive: true });

/** A GET over a kept connection; rejects unless the answer is a success. The same for all. */
export async function ask(port: number, path: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, path }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.once('error', reject).once('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (Math.floor((answer.statusCode ?? 0) / 100) === 2) resolve(text);
        else reject(new Error(`${path.slice(0, 200)}: ${answer.statusCode} ${text.slice(0, 500)}`));
      });
    });
    sent.once('error', reject).end();
  });
}
