/**
 * The dashboard over the public API: Grafana can't run it here, so each query's address is resolved
 * as the Infinity data source does, and the answer of a started service must have what is selected.
 * How that is: its src/types/query.types.ts, and the time macros and framers of infinity-libs.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { publicApi } from '../../grafana/source/publicApi.ts';
import { UNIT } from '../../grafana/source/units.ts';
import { NOW } from '../support/clock.ts';
import { isAll, onOneEngine } from '../support/database.ts';
import { httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { type Launched, launchForSuite } from '../support/launch.ts';
import {
  type Dashboard,
  GRAFANA,
  interpolate,
  misplaced,
  type Range,
  rangeOf,
} from './dashboards.ts';

const HOUR_MS = 3_600_000;

const read = (path: string) => JSON.parse(readFileSync(new URL(path, GRAFANA), 'utf8'));

type Column = { selector: string; text: string; type: 'string' | 'number' | 'timestamp' };
type InfinityQuery = {
  refId: string;
  type: 'json' | 'csv';
  url: string;
  root_selector: string;
  columns: Column[];
};
type Query = { what: string; span: string; query: InfinityQuery };
type Row = Record<string, string | number | null>;

const board: Dashboard = read('public-api.json');
const variables = board.templating.list;
const panels = board.panels.filter(({ type }) => type !== 'row');
const QUERIES: Query[] = panels.flatMap(({ title, targets = [], timeFrom = board.time.from }) =>
  targets.map((target) => ({
    what: `${title}, query ${target.refId}`,
    span: timeFrom,
    query: target as unknown as InfinityQuery,
  })),
);
const LISTS: Query[] = variables
  .filter(({ type }) => type === 'query')
  .map(({ name, query }) => ({
    what: `variable ${name}`,
    span: board.time.from,
    query: (query as unknown as { infinityQuery: InfinityQuery }).infinityQuery,
  }));

it('the dashboard over the public API is what its source generates (npm run generate)', () => {
  expect(board).toEqual(JSON.parse(JSON.stringify(publicApi)));
});

it('the dashboard over the public API has panels in order, each with a title, a description and a unit', () => {
  expect(misplaced(board)).toEqual([]);
  // provisioning refuses the schema v2, which Grafana 13 exports
  expect(board.schemaVersion).toBe(42);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  for (const { title, description = '', fieldConfig, timeFrom } of panels) {
    if (timeFrom !== undefined) expect(description).toMatch(/fixed time range/);
    expect(title).toMatch(/^\p{Lu}.{3,38}$/u);
    expect(description, title).toMatch(/^\p{Lu}.{20,}\.$/u);
    expect(Object.values(UNIT), title).toContain(fieldConfig?.defaults.unit);
  }
});

it('the address of the service is the only thing to enter; all else is chosen from lists', () => {
  expect(variables.map(({ name, type }) => [name, type])).toEqual([
    ['address', 'textbox'],
    ['infinity_datasource', 'datasource'],
    ['locale', 'custom'],
    ['station', 'query'],
    ['region', 'query'],
  ]);
  const text = JSON.stringify(board);
  for (const { name } of variables) expect(text).toContain(`$\{${name}}`);
  expect(text).not.toMatch(/__inputs|https?:\/\/(?!localhost:8080")/);
});

describe('queries', () => {
  it('a query has what Infinity needs', () => {
    for (const { query, what } of [...QUERIES, ...LISTS]) {
      expect(query, what).toMatchObject({
        datasource: { type: 'yesoreyeram-infinity-datasource', uid: `$\{infinity_datasource}` },
        source: 'url',
        url_options: { method: 'GET' },
        parser: 'backend', // without it, escaped dots would be read by another parser
        format: 'table',
      });
      expect(query.url, what).toMatch(/^\$\{address\}\/\$\{locale\}\//);
      const names = query.columns.map(({ text }) => text);
      expect(new Set(names).size, what).toBe(names.length);
    }
  });

  it.each(panels)('a column with a setting of its own is selected: $title', (panel) => {
    const selected = (panel.targets ?? []).flatMap((target) =>
      (target as unknown as InfinityQuery).columns.map(({ text }) => text),
    );
    for (const { matcher } of panel.fieldConfig?.overrides ?? [])
      expect(selected).toContain(matcher.options);
    const order = panel.transformations?.find(({ id }) => id === 'organize')?.options;
    if (order !== undefined)
      expect(order).toEqual({
        indexByName: Object.fromEntries([...new Set(selected)].map((name, n) => [name, n])),
      });
    // two answers that overlap, as one table
    expect(panel.transformations?.some(({ id }) => id === 'merge') ?? false).toBe(
      panel.targets?.length === 2,
    );
  });
});

/** As infinity-libs expands a time macro: in UTC. */
const withDates = (text: string, { from, to }: Range) =>
  text.replace(/\$\{__time(From|To):date:(YYYY(?:-MM-DD)?)\}/g, (_, end, format: string) =>
    (end === 'From' ? from : to).toISOString().slice(0, format.length),
  );

/** The rows at a GJSON path, of the two forms that the dashboard has. */
function rowsAt(answer: Record<string, Row[]>, path: string): Row[] {
  const [, key = '', name, value] = /^(\w+)(?:\.#\((\w+)==(\w+)\)#)?$/.exec(path) ?? [];
  const rows = answer[key];
  if (rows === undefined) throw new Error(`there is nothing at ${path}`);
  return name === undefined ? rows : rows.filter((row) => String(row[name]) === value);
}

function rowsOfCsv(text: string): Row[] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  return lines.map((line) =>
    Object.fromEntries(
      header.split(',').map((name, n) => {
        const value = line.split(',')[n] ?? '';
        const isNumber = value !== '' && !Number.isNaN(Number(value));
        return [name, isNumber ? Number(value) : value || null];
      }),
    ),
  );
}

onOneEngine('the dashboard over the public API', (engine) => {
  let here: Installation;
  let service: Launched;

  beforeAll(async () => {
    // so far east that it is tomorrow there, which the dates of UTC do not reach; another zone takes
    // a migration, so it is for npm run test:all
    const timeZone = isAll ? 'Pacific/Kiritimati' : 'Asia/Yerevan';
    const network = citiesOfOneStation(['town', 'hidden', 'spring'], { timeZone });
    Object.assign(network.regions[1] ?? {}, { is_hidden: true });
    here = await install(engine, network, timeZone);
    const from = Date.parse('2025-12-20T00:30:00Z');
    await here.database.as()`
      insert into raw.readings (measured_at, sensor_id, pm25, pm10, temperature, humidity)
      select at, sensor, 10, 30, 12.5, 60 from generate_series(1, 3) sensor,
        generate_series(${new Date(from)}::timestamptz, ${NOW}, '1 hour') at`;
    await here.digest(NOW);
    service = await launchForSuite(here, { role: 'api' });
    return async () => {
      await service.stop();
      await here.close();
    };
  });

  const chosen = {
    address: '',
    infinity_datasource: 'x',
    locale: 'en',
    station: '1',
    region: 'town',
  };

  /** The rows that the data source makes of an answer, by the names of the columns. */
  const run = async ({ what, span, query }: Query, at = NOW) => {
    // the data source's own macros are left alone
    const path = withDates(
      interpolate(query.url.replaceAll(`$\{__`, '{__'), chosen).replaceAll('{__', `$\{__`),
      rangeOf(span, at),
    );
    const { status, body } = await httpGet(service.port.public, path);
    expect([what, path, status]).toEqual([what, path, 200]);
    const rows =
      query.type === 'csv' ? rowsOfCsv(body) : rowsAt(JSON.parse(body), query.root_selector);
    return rows.map((row) =>
      Object.fromEntries(
        query.columns.map(({ selector, text }) => {
          const key = query.type === 'csv' ? selector : selector.replaceAll('\\.', '.');
          // in GJSON, a dot is a step into an object unless it is escaped
          if (query.type === 'json') expect(selector).not.toMatch(/(?<!\\)\./);
          expect(Object.keys(row), what).toContain(key);
          return [text, row[key] as Row[string]];
        }),
      ),
    );
  };

  it.each([...QUERIES, ...LISTS])(
    'the answer has every column that is selected, with values of its type: $what',
    async (query) => {
      const rows = await run(query);
      expect(rows.length).toBeGreaterThan(0);
      for (const { text, type } of query.query.columns) {
        const values = rows.map((row) => row[text]).filter((value) => value !== null);
        expect(values.length, text).toBeGreaterThan(0);
        for (const value of values) {
          if (type === 'number') expect(value, text).toBeTypeOf('number');
          // as Go's RFC 3339 has it
          if (type === 'timestamp')
            expect(value, text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        }
      }
    },
  );

  it('stations and cities are chosen by their titles, and a hidden city is not among them', async () => {
    const [stations, cities] = await Promise.all(LISTS.map((list) => run(list)));
    expect(stations).toEqual([
      { __text: 'In town', __value: 1 },
      { __text: 'In hidden', __value: 2 },
      { __text: 'In spring', __value: 3 },
    ]);
    expect(cities?.map(({ __value }) => __value).sort()).toEqual(['spring', 'town']);
    const table = await run(QUERIES.find(({ what }) => what.startsWith('Cities')) as Query);
    expect(table.map(({ City }) => City).sort()).toEqual(['spring', 'town']);
  });

  /** As Grafana merges them: rows that are the same stand once. */
  const merged = async (title: string, at: Date) => {
    const parts = QUERIES.filter(({ what }) => what.startsWith(`${title}, `));
    expect(parts).toHaveLength(2);
    const rows = (await Promise.all(parts.map((part) => run(part, at)))).flat();
    return [...new Set(rows.map((row) => JSON.stringify(row)))].map((row) => JSON.parse(row));
  };

  it('the last seven days of hours have each closed hour once, whole days of UTC or not', async () => {
    const rows = await merged('Station: particles by hour', NOW);
    const times = rows
      .map(({ time }) => Date.parse(time))
      .filter((at) => at >= NOW.getTime() - 7 * 24 * HOUR_MS);
    expect([...new Set(times)].sort((a, b) => a - b)).toEqual(times);
    expect(times).toHaveLength(7 * 24);
  });

  it('a year of days reaches over the end of a year, and a day stands there once', async () => {
    const rows = await merged('Station: PM2.5 by day', NOW);
    const days = rows.map(({ time }) => time.slice(0, 10));
    expect(days.slice(0, 2)).toEqual(['2025-12-20', '2025-12-21']);
    expect(days.at(-1)).toBe(isAll ? '2026-11-20' : '2026-11-19');
    expect(new Set(days).size).toBe(days.length);
    // within one year, both queries get the same
    const within = await merged('Station: PM2.5 by day', new Date('2026-12-31T21:00:00Z'));
    expect(new Set(within.map(({ time }) => time)).size).toBe(within.length);
  });
});
