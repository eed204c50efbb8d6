/**
 * InfluxDB 1.x: readings by line protocol, hours by InfluxQL. Days and months are made here of
 * those hours: InfluxQL has no months, and neither the cases nor the maximum of two fields that an
 * hour's air quality index needs, so whoever wants its range must read all hours.
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

/**
 * From readings with each request, or from hours of stations and of the region as continuous
 * queries leave them.
 */
function opening(source: 'readings' | 'continuous queries'): Open {
  return async (world, sql) => {
    const server = await startServer('/ping', (folder, ports) => {
      const file = join(folder, 'influxdb.conf');
      writeFileSync(file, configuration(folder, ports));
      return ['influxd', '-config', file];
    });
    const query = async (text: string, database = 'air') => {
      const body = `q=${encodeURIComponent(text)}`;
      const path = `/query?db=${database}&epoch=s`;
      const answer: Answer = JSON.parse(
        await ask(server.port, path, body, 'application/x-www-form-urlencoded'),
      );
      const failed = answer.results.find(({ error }) => error !== undefined);
      if (failed !== undefined) throw new Error(`InfluxDB: ${failed.error}`);
      return answer.results[0]?.series?.[0]?.values ?? [];
    };
    try {
      // by default a week, of which two years have a hundred, and each query opens all
      await query('create database air with duration inf replication 1 shard duration 52w', '');
      for await (const readings of readingsOf(sql, world)) {
        for (let from = 0; from < readings.length; from += BATCH) {
          const lines = readings.slice(from, from + BATCH).map(line);
          await ask(server.port, '/write?db=air&precision=s', lines.join('\n'));
        }
      }
      if (source === 'continuous queries') for (const text of ROLLUPS) await query(text);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return {
      async history(subject) {
        const values = await query(
          source === 'readings' ? fromReadings(subject) : fromRollups(subject),
        );
        const hours = values.map(([at, ...columns]): Hour => {
          const stations = subject.isRegion ? (columns[MEANS.length] as number) : 1;
          return { at: at as number, stations, means: columns };
        });
        return JSON.stringify(layOut(rowsOf(hours), subject.isRegion));
      },
      close: server.stop,
    };
  };
}

export const openInfluxDb = opening('readings');
export const openInfluxDbRollups = opening('continuous queries');

/** So many points to a request are what its manual recommends at most. */
const BATCH = 10_000;
const line = (reading: Reading) =>
  `readings,sensor=${reading.sensor_id} ${PARAMETERS.map((name) => `${name}=${reading[name]}`).join(',')} ${reading.at}`;

const MEANS_OF_ALL = MEANS.map((name) => `mean(${name}) as ${name}`).join(', ');
const SHOWN = `time >= ${SINCE}s and time < ${UNTIL}s`;
const ONE_AN_HOUR = 'group by time(1h) fill(none)';

/**
 * What continuous queries would run for each hour that passes. Every reading here has a pressure,
 * so those are the stations.
 */
const ROLLUPS = [
  `select ${MEANS_OF_ALL} into hourly from readings where ${SHOWN} group by time(1h), sensor fill(none)`,
  `select ${MEANS_OF_ALL}, count(pressure) as stations into region_hourly from hourly where ${SHOWN} ${ONE_AN_HOUR}`,
];

/**
 * One row an hour, with the number of stations last for a region, whose hours are the means of its
 * stations' hours.
 */
function fromReadings({ stations, isRegion }: Subject): string {
  if (!isRegion)
    return `select ${MEANS_OF_ALL} from readings where sensor = '${stations[0]}' and ${SHOWN} ${ONE_AN_HOUR}`;
  const members = `sensor =~ /^(${stations.join('|')})$/`;
  const hours = `select ${MEANS_OF_ALL} from readings where ${members} and ${SHOWN} group by time(1h), sensor fill(none)`;
  return `select ${MEANS_OF_ALL}, count(pressure) from (${hours}) where ${SHOWN} ${ONE_AN_HOUR}`;
}

function fromRollups({ stations, isRegion }: Subject): string {
  const columns = MEANS.join(', ');
  if (isRegion) return `select ${columns}, stations from region_hourly where ${SHOWN}`;
  return `select ${columns} from hourly where sensor = '${stations[0]}' and ${SHOWN}`;
}
