/**
 * InfluxDB 1.x: readings by line protocol, hours by InfluxQL. Days and months are made here of those hours: InfluxQL has no months, and
 * neither the cases nor the maximum of two fields that an hour's air quality index needs, so whoever wants its range must read all hours.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layOut, MEANS } from '../readings.ts';
import { type Hour, rowsOf, SINCE, UNTIL } from './hours.ts';
import { ask, type Open, PARAMETERS, type Reading, readingsOf, type Subject } from './peer.ts';
import { startServer } from './process.ts';

type Answer = { results: { error?: string; series?: { values: (number | null)[][] }[] }[] };

/** Everything in its folder, on its ports; nothing reported home, no queries logged. */
const configuration = (folder: string, [http, backup]: string[]) => `
reporting-disabled = true
bind-address = "127.0.0.1:${backup}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${http}"
  log-enabled = false
[monitor]
  store-enabled = false
`;

/** From readings with each request, or from the hours of stations as a continuous query leaves them. */
function opening(source: 'readings' | 'hourly'): Open {
  return async (world, sql) => {
    const server = await startServer('/ping', (folder, ports) => {
      const file = join(folder, 'influxdb.conf');
      writeFileSync(file, configuration(folder, ports));
      return ['influxd', '-config', file];
    });
    const query = async (text: string, database = 'air') => {
      const path = `/query?db=${database}&epoch=s`;
      const answer = JSON.parse(
        await ask(server.port, path, `q=${encodeURIComponent(text)}`, 'application/x-www-form-urlencoded'),
      ) as Answer;
      const failed = answer.results.find(({ error }) => error !== undefined);
      if (failed !== undefined) throw new Error(`InfluxDB: ${failed.error}`);
      return answer.results[0]?.series?.[0]?.values ?? [];
    };
    try {
      await query('create database air with duration inf replication 1 shard duration 52w', ''); // by default a week, of which two years have a hundred
      for await (const readings of readingsOf(sql, world)) {
        for (let from = 0; from < readings.length; from += 10_000) {
          await ask(
            server.port,
            '/write?db=air&precision=s',
            readings
              .slice(from, from + 10_000)
              .map(line)
              .join('\n'),
          );
        }
      }
      if (source === 'hourly') {
        // a continuous query runs this for each hour that passes
        await query(
          `select ${means((name) => name)} into hourly from readings where time < ${UNTIL}s group by time(1h), sensor fill(none)`,
        );
      }
    } catch (error) {
      await server.stop();
      throw error;
    }
    return {
      async history(subject) {
        const hours = (await query(hoursOf(source, subject))).map(
          ([at, stations, ...values]): Hour => ({
            at: at as number,
            stations: stations as number,
            means: values,
          }),
        );
        return JSON.stringify(layOut(rowsOf(hours), subject.isRegion));
      },
      close: server.stop,
    };
  };
}

export const openInfluxDb = opening('readings');
export const openInfluxDbHours = opening('hourly');

const line = (reading: Reading) =>
  `readings,sensor=${reading.sensor_id} ${PARAMETERS.map((name) => `${name}=${reading[name]}`).join(',')} ${reading.at}`;

const means = (of: (name: string) => string) => MEANS.map((name) => `mean(${of(name)}) as ${name}`).join(', ');

/** One row an hour: how many stations, and the means of their means. */
function hoursOf(source: string, { stations }: Subject): string {
  const where = `sensor =~ /^(${stations.join('|')})$/ and time >= ${SINCE}s and time < ${UNTIL}s`;
  const perStation = `select ${means((name) => name)} from ${source} where ${where} group by time(1h), sensor fill(none)`;
  const [only] = stations;
  if (stations.length === 1) {
    return `select count(pressure), ${means((name) => name)} from ${source} where sensor = '${only}' and time >= ${SINCE}s and time < ${UNTIL}s group by time(1h) fill(none)`;
  }
  return `select count(pressure), ${means((name) => name)} from (${perStation}) where time >= ${SINCE}s and time < ${UNTIL}s group by time(1h) fill(none)`;
}
