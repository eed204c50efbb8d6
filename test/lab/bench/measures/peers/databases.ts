/**
 * Peers that answer by the SQL of readings.ts: Fastify with pg over our readings, SQLite over
 * rollups made by hand, DuckDB over readings.
 */
import { addressVariables } from '../../../../support/program.ts';
import { TIME_ZONE, type World } from '../../run/world.ts';
import { type Dialect, historySql, layOut, POSTGRESQL, type RawRow } from '../readings.ts';
import { ask, load, type Open, readingsOf, type Subject } from './peer.ts';

/**
 * Our readings in the same database, with Fastify and pg in this process: one request, one query,
 * JSON.
 */
export const openFastify: Open = async ({ database }: World) => {
  const [{ default: fastify }, { default: pg }] = await Promise.all([load('fastify'), load('pg')]);
  const {
    PGHOST: host,
    PGPORT: port,
    PGUSER: user,
    PGDATABASE: name,
  } = addressVariables(database.target);
  const pool = new pg.Pool({
    host,
    port: Number(port),
    user,
    database: name,
    options: `-c TimeZone=${TIME_ZONE} -c jit=off`,
  });
  const app = fastify();
  app.get(
    '/:kind/:stations',
    async ({ params }: { params: { kind: string; stations: string } }) => {
      const text = historySql({
        ...POSTGRESQL,
        stations: params.stations.split(',').map(Number).join(','),
      });
      const { rows } = await pool.query({ name: `history ${params.stations}`.slice(0, 63), text });
      return layOut(
        rows.map((row: RawRow) => ({ ...row, bucket: new Date(row.bucket).toISOString() })),
        params.kind === 'region',
      );
    },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port: listening } = app.server.address();
  return {
    history: ({ stations, isRegion }) =>
      ask(listening, `/${isRegion ? 'region' : 'station'}/${stations.join(',')}`),
    async close() {
      await app.close();
      await pool.end();
    },
  };
};

const OFFSET_S = 4 * 3_600;

/** Times are seconds; the zone's offset never changes. */
const SQLITE: Omit<Dialect, 'stations' | 'readings'> = {
  truncate: (unit, time) =>
    unit === 'hour'
      ? `${time} - ${time} % 3600`
      : unit === 'day'
        ? `${time} - (${time} + ${OFFSET_S}) % 86400`
        : `cast(strftime('%s', date(${time} + ${OFFSET_S}, 'unixepoch', 'start of month')) as integer) - ${OFFSET_S}`,
  time: (at) => String(at.getTime() / 1_000),
  larger: 'max',
};

/**
 * Rollups of stations in tables of their own, as one would write them by hand: all their hours, and
 * the buckets that the windows show. A region's can't be had from those, since its day is the mean
 * of its own hours: they are computed from the hours of its stations.
 */
export const openSqlite: Open = async (world, sql) => {
  const { default: Database } = await load('libsql');
  const db = new Database(':memory:');
  const columns = 'temperature real, humidity real, pressure real, pm25 real, pm10 real';
  db.exec(
    `create table readings (sensor_id integer, measured_at integer, ${columns}, primary key (sensor_id, measured_at)) without rowid`,
  );
  const insert = db.prepare('insert into readings values (?, ?, ?, ?, ?, ?, ?)');
  for await (const readings of readingsOf(sql, world)) {
    db.exec('begin');
    for (const r of readings)
      insert.run(r.sensor_id, r.at, r.temperature, r.humidity, r.pressure, r.pm25, r.pm10);
    db.exec('commit');
  }
  db.exec(`create table hourly (sensor_id integer, measured_at integer, ${columns}, primary key (sensor_id, measured_at)) without rowid;
    insert into hourly select sensor_id, measured_at - measured_at % 3600, avg(temperature), avg(humidity), avg(pressure), avg(pm25), avg(pm10)
    from readings group by 1, 2`);
  const fromHours = (stations: readonly number[]) =>
    historySql({ ...SQLITE, readings: 'hourly', stations: stations.join(',') });
  db.exec(`create table buckets as select 0 as sensor_id, * from (${fromHours([0])});
    create index by_sensor on buckets (sensor_id)`);
  for (let station = 1; station <= world.stations; station++) {
    db.exec(`insert into buckets select ${station}, * from (${fromHours([station])})`);
  }
  const kept = db.prepare('select * from buckets where sensor_id = ? order by series, bucket');
  return {
    async history(subject) {
      const { isRegion, stations } = subject;
      return asJson(
        isRegion ? db.prepare(fromHours(stations)).all() : kept.all(stations[0]),
        subject,
      );
    },
    close: async () => db.close(),
  };
};

/** The document from rows whose times are seconds. */
function asJson(rows: readonly RawRow[], { isRegion }: Subject): string {
  const inIso = (row: RawRow) =>
    ({ ...row, bucket: new Date(Number(row.bucket) * 1_000).toISOString() }) as RawRow;
  return JSON.stringify(layOut(rows.map(inIso), isRegion));
}

/** A column store over the readings, in this process. */
export const openDuckDb: Open = async (world, sql) => {
  const { DuckDBInstance } = await load('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const columns = ['temperature', 'humidity', 'pressure', 'pm25', 'pm10']
    .map((name) => `${name} double`)
    .join(', ');
  await connection.run(`create table readings (sensor_id integer, measured_at bigint, ${columns})`);
  const appender = await connection.createAppender('readings');
  for await (const readings of readingsOf(sql, world)) {
    for (const r of readings) {
      appender.appendInteger(r.sensor_id);
      appender.appendBigInt(BigInt(r.at));
      for (const value of [r.temperature, r.humidity, r.pressure, r.pm25, r.pm10])
        appender.appendDouble(value);
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
    larger: 'greatest',
    readings: 'readings',
    stations: '',
  };
  return {
    async history(subject) {
      const reader = await connection.runAndReadAll(
        historySql({ ...duck, stations: subject.stations.join(',') }),
      );
      return asJson(reader.getRowObjectsJS(), subject);
    },
    close: async () => connection.closeSync(),
  };
};
