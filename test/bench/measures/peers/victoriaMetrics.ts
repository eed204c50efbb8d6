/**
 * VictoriaMetrics: readings by its import of JSON lines, hours by a MetricsQL range query. Days and
 * months are made here of those hours: a range query has one step, and months differ.
 */
import { layOut, MEANS } from '../readings.ts';
import { type Hour, rowsOf, SINCE, UNTIL } from './hours.ts';
import { ask, type Open, PARAMETERS, readingsOf, type Subject } from './peer.ts';
import { startServer } from './process.ts';

type Count = { data: { result: { value: [number, string] }[] } };
type Answer = { data: { result: { metric: { parameter: string }; values: [number, string][] }[] } };

export const openVictoriaMetrics: Open = async (world, sql) => {
  const server = await startServer('/health', (folder, [port]) => [
    'victoria-metrics',
    `-storageDataPath=${folder}/data`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=100y',
    '-search.maxPointsPerTimeseries=100000',
    '-loggerLevel=WARN',
  ]);
  try {
    for await (const readings of readingsOf(sql, world)) {
      const series = PARAMETERS.map((name) =>
        JSON.stringify({
          metric: { __name__: 'air', parameter: name, station: String(readings[0]?.sensor_id) },
          values: readings.map((reading) => reading[name]),
          timestamps: readings.map(({ at }) => at * 1_000),
        }),
      );
      await ask(server.port, '/api/v1/import', series.join('\n'));
    }
    // else it shows them seconds later, some series before others
    await ask(server.port, '/internal/force_flush');
    const all = `/api/v1/query?query=sum(count_over_time(air{parameter="pressure"}[3y]))&time=${UNTIL}&nocache=1`;
    const countIn = ({ data }: Count) => Number(data.result[0]?.value[1] ?? 0);
    for (let found = 0, turn = 0; found !== world.readings; turn++) {
      if (turn === 100)
        throw new Error(`VictoriaMetrics has ${found} of ${world.readings} readings`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      found = countIn(JSON.parse(await ask(server.port, encodeURI(all))));
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    async history(subject) {
      const body = new URLSearchParams({
        query: hoursOf(subject),
        // a range ends at its time and takes that in, hours begin at theirs: a second before the
        // next one begins
        start: String(SINCE + 3_599),
        end: String(UNTIL - 1),
        step: '1h',
        // ours has no cache here either, and with one the bounds would be rounded to the step
        nocache: '1',
      });
      const answer = await ask(
        server.port,
        '/api/v1/query_range',
        String(body),
        'application/x-www-form-urlencoded',
      );
      return JSON.stringify(layOut(rowsOf(hoursIn(JSON.parse(answer))), subject.isRegion));
    },
    close: server.stop,
  };
};

/**
 * Means of the stations' hours by parameter, and how many stations there are; every reading here
 * has all parameters, so one is counted.
 */
function hoursOf({ stations }: Subject): string {
  const hours = (labels: string) =>
    `avg_over_time(air{${labels}station=~"${stations.join('|')}"}[1h])`;
  return `union(avg(${hours('')}) by (parameter), label_set(count(${hours('parameter="pressure",')}), "parameter", "stations"))`;
}

function hoursIn({ data }: Answer): Hour[] {
  const hours = new Map<number, Hour & { means: (number | null)[] }>();
  for (const { metric, values } of data.result) {
    const index = MEANS.indexOf(metric.parameter);
    for (const [end, value] of values) {
      const at = end - 3_599;
      let hour = hours.get(at);
      if (hour === undefined) {
        hour = { at, stations: 0, means: MEANS.map(() => null) };
        hours.set(at, hour);
      }
      if (index === -1) hour.stations = Number(value);
      else hour.means[index] = Number(value);
    }
  }
  return [...hours.values()].sort((left, right) => left.at - right.at);
}
