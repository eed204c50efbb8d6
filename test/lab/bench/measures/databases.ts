/**
 * Others who answer histories, by the SQL of histories.ts: Fastify over our readings, SQLite over
 * rollups made by hand, DuckDB over readings.
 */
import type { AddressInfo } from 'node:net';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Sql } from '../../../../src/database/client.ts';
import { getText } from '../load/get.ts';
import type { World } from '../run/world.ts';
import {
  type Dialect,
  historySql,
  layOut,
  NAMES,
  OFFSET,
  POSTGRESQL,
  type RawRow,
} from './histories.ts';

/** Answers the history of a station, or of the region of several, as JSON text. */
export type Peer = { history(stations: readonly number[]): Promise<string>; close(): unknown };
export type Open = (world: World, sql: Sql) => Promise<Peer>;

/** Our readings in the same database: one request, one query, JSON. */
export const openFastify: Open = async (_world, sql) => {
  const { default: fastify } = await import('fastify' as string); // its types may be missing
  const app = fastify();
  app.get('/:stations', async ({ params }: { params: { stations: string } }) => {
    const text = historySql(POSTGRESQL, params.stations.split(',').map(Number));
    return layOut((await sql.unsafe(text, [], { prepare: true })) as unknown as RawRow[]);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { history: (stations) => getText(port, `/${stations}`), close: () => app.close() };
};

const OFFSET_S = OFFSET / 1_000;

/** Times are seconds; the zone's offset never changes. */
const SQLITE: Omit<Dialect, 'readings'> = {
  truncate: (unit, time) =>
    unit === 'hour'
      ? `${time} - ${time} % 3600`
      : unit === 'day'
        ? `${time} - (${time} + ${OFFSET_S}) % 86400`
        : `cast(strftime('%s', date(${time} + ${OFFSET_S}, 'unixepoch', 'start of month')) as integer) - ${OFFSET_S}`,
  time: (at) => String(at.getTime() / 1_000),
};

/**
 * Rollups of stations in tables of their own, as one would write them by hand: all their hours, and
 * the buckets that the windows show. A region's can't be had from those, since its day is the mean
 * of its own hours: they are computed from the hours of its stations.
 */
export const openSqlite: Open = async (world, sql) => {
  const { default: Database } = await import('libsql' as string); // as Fastify's
  const db = new Database(':memory:');
  const columns = NAMES.map((name) => `${name} real`).join(', ');
  const key = 'primary key (sensor_id, measured_at)) without rowid';
  db.exec(`create table readings (sensor_id integer, measured_at integer, ${columns}, ${key};
    create table hourly (sensor_id integer, measured_at integer, ${columns}, ${key}`);
  const insert = db.prepare('insert into readings values (?, ?, ?, ?, ?, ?, ?)');
  for await (const readings of readingsOf(sql, world)) {
    db.exec('begin');
    for (const reading of readings) insert.run(...reading);
    db.exec('commit');
  }
  const means = NAMES.map((name) => `avg(${name})`).join(', ');
  db.exec(`insert into hourly select sensor_id, measured_at - measured_at % 3600, ${means}
    from readings group by 1, 2`);
  const fromHours = (stations: readonly number[]) =>
    historySql({ ...SQLITE, readings: 'hourly' }, stations);
  db.exec(`create table buckets as select 0 as sensor_id, * from (${fromHours([0])});
    create index by_sensor on buckets (sensor_id)`);
  for (let station = 1; station <= world.stations; station++) {
    db.exec(`insert into buckets select ${station}, * from (${fromHours([station])})`);
  }
  const kept = db.prepare('select * from buckets where sensor_id = ? order by series, bucket');
  return {
    async history(stations) {
      const isStation = stations.length === 1;
      const rows = isStation ? kept.all(stations[0]) : db.prepare(fromHours(stations)).all();
      return JSON.stringify(layOut(rows));
    },
    close: () => db.close(),
  };
};

/** A column store over the readings, in this process. */
export const openDuckDb: Open = async (world, sql) => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const columns = NAMES.map((name) => `${name} double`).join(', ');
  await connection.run(`create table readings (sensor_id integer, measured_at bigint, ${columns})`);
  const appender = await connection.createAppender('readings');
  for await (const readings of readingsOf(sql, world)) {
    for (const [sensor = 0, at = 0, ...values] of readings) {
      appender.appendInteger(sensor);
      appender.appendBigInt(BigInt(at));
      for (const value of values) appender.appendDouble(value);
      appender.endRow();
    }
  }
  appender.closeSync();
  const duck: Dialect = {
    ...SQLITE,
    truncate: (unit, time) =>
      unit === 'month'
        ? `cast(epoch(date_trunc('month', to_timestamp(${time} + ${OFFSET_S}) at time zone 'UTC')) as bigint) - ${OFFSET_S}`
        : SQLITE.truncate(unit, time),
    readings: 'readings',
  };
  return {
    async history(stations) {
      const reader = await connection.runAndReadAll(historySql(duck, stations));
      return JSON.stringify(layOut(reader.getRowObjectsJS() as RawRow[]));
    },
    close: () => connection.closeSync(),
  };
};

/** All readings, one sensor at a time, in order: sensor, seconds of Unix time, values. */
async function* readingsOf(sql: Sql, { stations }: World): AsyncGenerator<number[][]> {
  const columns = sql(NAMES);
  for (let station = 1; station <= stations; station++) {
    const rows = await sql`
      select sensor_id, extract(epoch from measured_at)::int, ${columns}
      from raw.readings where sensor_id = ${station} order by measured_at`.values();
    yield rows as unknown as number[][];
  }
}
