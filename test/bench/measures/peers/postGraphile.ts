/**
 * PostGraphile over our aggregates: one GraphQL request a document, laid out by its client, which
 * knows the bounds of the windows. Once by the views of schema api, with the plugin that most add
 * to filter by more than equality; once by the function api.*_history, which is a field as it is.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressVariables } from '../../../support/program.ts';
import { NOW, TIME_ZONE } from '../../run/world.ts';
import { local, MEANS, NOTHING_MEASURED, startOf, type Unit, WINDOWS } from '../readings.ts';
import { ask, load, type Open, type Subject } from './peer.ts';

type Node = { series?: string; timestamp: string } & Record<string, number | null>;
/** Asks for a subject's buckets: the request, and the nodes of each unit in its answer. */
type Way = {
  query(isRegion: boolean): string;
  nodesIn(data: Record<string, { nodes: Node[] }>): Record<Unit, Node[]>;
};

const UNITS = ['hour', 'day', 'month'] as const;
const EXTREMES = ['temperature', 'pm25', 'pm10', 'no2', 'dust', 'wind_speed'];

const camelCase = (name: string) =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
/** Aliased, so that the answer has the names of the document. */
const fields = (names: readonly string[]) =>
  names.map((name) => `${name}: ${camelCase(name)}`).join(' ');

const common = (isRegion: boolean) => [
  ...['timestamp', 'aqi', isRegion ? 'station_count' : 'avg_pm25_raw'],
  ...MEANS.map((name) => `avg_${name}`),
  ...Object.keys(NOTHING_MEASURED),
];
const extremes = [...EXTREMES, 'aqi'].flatMap((name) => [`min_${name}`, `max_${name}`]);

const VARIABLES = UNITS.flatMap((unit) => [
  `$${unit}sSince: Datetime`,
  `$${unit}sUntil: Datetime`,
]).join(', ');

const VIEWS: Way = {
  query(isRegion) {
    const [view, id, type] = isRegion
      ? ['allRegion', 'regionSlug', 'String']
      : ['allStation', 'stationId', 'Int'];
    const names = { hour: 'Hourlies', day: 'Dailies', month: 'Monthlies' };
    const parts = UNITS.map((unit) => {
      const between = `{ greaterThanOrEqualTo: $${unit}sSince, lessThan: $${unit}sUntil }`;
      const columns = unit === 'hour' ? common(isRegion) : [...common(isRegion), ...extremes];
      return `${unit}: ${view}${names[unit]}(condition: { ${id}: $id }, filter: { timestamp: ${between} }, orderBy: TIMESTAMP_ASC) {
        nodes { ${fields(columns)} } }`;
    });
    return `query ($id: ${type}, ${VARIABLES}) { ${parts.join('\n')} }`;
  },
  nodesIn: ({ hour, day, month }) => ({
    hour: hour?.nodes ?? [],
    day: day?.nodes ?? [],
    month: month?.nodes ?? [],
  }),
};

const FUNCTION: Way = {
  query(isRegion) {
    const [field, id, type] = isRegion
      ? ['regionHistory', 'onlyRegion', 'String']
      : ['stationHistory', 'onlyStation', 'Int'];
    return `query ($id: ${type}, $at: Datetime) { history: ${field}(${id}: $id, at: $at) {
      nodes { series ${fields([...common(isRegion), ...extremes])} } } }`;
  },
  nodesIn({ history }) {
    const nodes = (history?.nodes ?? []).toSorted((left, right) =>
      left.timestamp < right.timestamp ? -1 : 1,
    );
    const of = (window: string) =>
      nodes.filter(({ series }) => series === window).map(({ series, ...node }) => node);
    return { hour: of('7d'), day: of('30d'), month: of('2y') };
  },
};

function opening(way: Way): Open {
  return async ({ database }) => {
    process.env.GRAPHILE_ENV ??= 'production'; // or it asks for it
    addWithResolvers();
    const [
      { postgraphile },
      { grafserv },
      { makePgService },
      { PostGraphileAmberPreset },
      filter,
      { default: pg },
    ] = await Promise.all([
      ...[
        'postgraphile',
        'postgraphile/grafserv/node',
        'postgraphile/adaptors/pg',
        'postgraphile/presets/amber',
      ].map(load),
      ...['postgraphile-plugin-connection-filter', 'pg'].map(load),
    ]);
    const {
      PGHOST: host,
      PGPORT: port,
      PGUSER: user,
      PGDATABASE: name,
    } = addressVariables(database.target);
    const options = `-c TimeZone=${TIME_ZONE} -c jit=off`;
    const pool = new pg.Pool({ host, port: Number(port), user, database: name, options });
    const instance = postgraphile({
      extends: [PostGraphileAmberPreset, filter.PostGraphileConnectionFilterPreset],
      pgServices: [makePgService({ pool, schemas: ['api'] })],
      grafserv: { websockets: false },
    });
    const server = createServer();
    await instance.createServ(grafserv).addTo(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port: listening } = server.address() as AddressInfo;
    return {
      async history(subject) {
        const body = JSON.stringify({
          query: way.query(subject.isRegion),
          variables: variablesOf(subject),
        });
        const answer = JSON.parse(await ask(listening, '/graphql', body, 'application/json'));
        if (answer.errors !== undefined)
          throw new Error(`PostGraphile: ${answer.errors[0].message}`);
        return JSON.stringify(documentOf(way.nodesIn(answer.data)));
      },
      async close() {
        await instance.release();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await pool.end();
      },
    };
  };
}

export const openPostGraphile = opening(VIEWS);
export const openPostGraphileFunction = opening(FUNCTION);

/**
 * PostGraphile 5 is for Node 22; all that it misses in Node 20, which we still support, is this
 * function.
 */
function addWithResolvers(): void {
  if ('withResolvers' in Promise) return;
  const withResolvers = () => {
    const made: { resolve?: unknown; reject?: unknown } = {};
    const promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
    return { promise, ...made };
  };
  Object.defineProperty(Promise, 'withResolvers', {
    value: withResolvers,
    configurable: true,
    writable: true,
  });
}

/** The largest window of each unit: the smaller is its end. */
function variablesOf({ isRegion, stations }: Subject): Record<string, string | number | undefined> {
  const bounds = { hour: [-168, 0], day: [-30, 0], month: [-23, 1] } as const;
  const times = UNITS.flatMap((unit) => [
    [`${unit}sSince`, startOf(unit, bounds[unit][0]).toISOString()],
    [`${unit}sUntil`, startOf(unit, bounds[unit][1]).toISOString()],
  ]);
  return {
    id: isRegion ? 'town' : stations[0],
    at: NOW.toISOString(),
    ...Object.fromEntries(times),
  };
}

function documentOf(nodes: Record<Unit, Node[]>): Record<string, object[]> {
  return Object.fromEntries(
    WINDOWS.map(([key, unit, since]) => {
      const first = startOf(unit, since).getTime();
      const shown = nodes[unit].filter(({ timestamp }) => Date.parse(timestamp) >= first);
      return [key, shown.map((node) => point(node, unit === 'hour'))];
    }),
  );
}

function point({ min_aqi, max_aqi, ...node }: Node, isHour: boolean): object {
  const timestamp = local(node.timestamp);
  if (isHour) {
    for (const name of extremes) delete node[name];
    return { ...node, timestamp };
  }
  const ranges = EXTREMES.map((name) => [
    `range_${name}`,
    range(node[`min_${name}`], node[`max_${name}`]),
  ]);
  const { range_no2, ...published } = Object.fromEntries(ranges);
  return { ...node, timestamp, ...published, range_aqi: range(min_aqi, max_aqi) };
}

const range = (low: number | null | undefined, high: number | null | undefined) =>
  low == null ? null : [low, high];
