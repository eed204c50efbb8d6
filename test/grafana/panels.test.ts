/**
 * Runs every SQL query of dashboards and alert rules as Grafana does. panels.ts has the rows that each
 * panel must show; everything else here holds for all panels. All in one file, because the network
 * takes a while to load.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aqiSteps, BANDS, CATEGORIES } from '../../grafana/source/colours.ts';
import { WINDOWS } from '../../src/contract/windows.ts';
import type { Sql } from '../../src/database/client.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import { onEveryEngineInAll, type TestDatabase } from '../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import {
  type Dashboard,
  dashboard,
  expand,
  type Panel,
  type Range,
  rangeOf,
  type Values,
} from './dashboards.ts';
import {
  expectSeries,
  expectTypes,
  openGrafana,
  queriesOf,
  type Rows,
  relationOwners,
  relationsOf,
  resolve,
  TYPES,
  textOf,
} from './grafana.ts';
import { BIRCH, PANELS } from './panels.ts';
import { stationRules } from './provisioning.ts';
import { NOW, townDatabase } from './town.ts';

const LEVEL_NAMES = LEVELS.map(({ name }) => name);

/** The queries of all panels with SQL; `key` names each in panels.ts. */
const QUERIES = Object.keys(PANELS).flatMap((name) => {
  const board = dashboard(name);
  return queriesOf(board).map((query) => ({
    ...query,
    name,
    board,
    key:
      query.panel.title +
      (/^A?$/.test(query.target.refId ?? '') ? '' : `, query ${query.target.refId}`),
  }));
});
type Query = (typeof QUERIES)[number];

const isBars = ({ panel }: { panel: Pick<Panel, 'title'> & Partial<Panel> }) =>
  panel.fieldConfig?.defaults.custom.drawStyle === 'bars';
/** True for bars of hours, days or months by the time range; others are of days. */
const isBucketed = ({ target }: Query) => target.rawSql?.includes("interval '400 days'") ?? false;

it('panels.ts names no panel that is gone', () => {
  const there = QUERIES.map(({ name, key }) => `${name}: ${key}`);
  const named = Object.entries(PANELS).flatMap(([name, rows]) =>
    rows.map(([panel]) => `${name}: ${panel}`),
  );
  expect(named.filter((one) => !there.includes(one))).toEqual([]);
});

onEveryEngineInAll('Grafana', (engine) => {
  let db: TestDatabase;
  let grafana: Sql;
  /** Maps chunks and hypertables to their aggregate or table. */
  let owners: Map<string, string>;

  beforeAll(async () => {
    db = await townDatabase(engine);
    owners = await relationOwners(db);
    grafana = await openGrafana(db);
  });
  afterAll(async () => {
    await grafana?.end();
    await db?.drop();
  });

  const resolved = new Map<string, Promise<Values>>();
  /** The values of a dashboard's variables, queried once for each choice. */
  const valuesOf = ({ name, board }: Query, chosen: Values): Promise<Values> => {
    const key = JSON.stringify([name, chosen]);
    const values = resolved.get(key) ?? resolve(grafana, board, chosen, NOW);
    resolved.set(key, values);
    return values;
  };

  const run = async (query: Query, chosen: Values, range?: Range) => {
    const values = await valuesOf(query, chosen);
    const statement = textOf(query, query.board, values, NOW, range);
    const rows = await grafana.unsafe(statement).catch((error: Error) => {
      throw new Error(`${query.what}: ${error.message}, in\n${statement}`, { cause: error });
    });
    expectTypes(query.what, rows);
    if (query.target.format === 'time_series') expectSeries(query.what, rows);
    return rows;
  };

  const relations = async (query: Query, chosen: Values, range?: Range) => {
    const values = await valuesOf(query, chosen);
    return await relationsOf(grafana, owners, textOf(query, query.board, values, NOW, range));
  };

  const expectAggregates = async (query: Query, chosen: Values) => {
    const read = await relations(query, chosen);
    expect(
      read.filter((relation) => relation === 'readings' || relation.startsWith('_')),
      query.what,
    ).toEqual([]);
    if (/_(hourly|daily|monthly|history)\b/.test(query.target.rawSql ?? ''))
      expect(
        read.some((relation) => LEVEL_NAMES.includes(relation)) ||
          /api\.\w+_history\(/.test(query.target.rawSql ?? ''), // a plan doesn't show what the function reads
        query.what,
      ).toBe(true);
  };

  /** Columns by whether a value was seen in them. */
  const filled = new Map<string, boolean>();

  it.each(QUERIES)(
    'a panel shows the rows of panels.ts, from aggregates: $name, $key',
    async (query) => {
      const expected = PANELS[query.name]?.filter(([panel]) => panel === query.key) ?? [];
      if (expected.length === 0) throw new Error(await missingRow(query));
      for (const [, { at, ...chosen }, count, ...some] of expected) {
        const range = at === undefined ? undefined : rangeOf('24h', new Date(`${at}`));
        const rows = await run(query, chosen, range);
        const isThere = (wanted: object) =>
          rows.some((row) =>
            Object.entries(wanted).every(([column, value]) =>
              isDeepStrictEqual(row[column], value),
            ),
          );
        expect(
          { count: rows.length, missing: some.filter((wanted) => !isThere(wanted)) },
          `with ${JSON.stringify(chosen)} the query returns\n${textOfRows(rows)}\n`,
        ).toEqual({ count, missing: [] });
        for (const { name: column } of rows.columns) {
          const key = `${query.what}: ${column}`;
          filled.set(key, (filled.get(key) ?? false) || rows.some((row) => row[column] !== null));
        }
      }
      await expectAggregates(query, BIRCH);
    },
  );

  const missingRow = async (query: Query) => {
    const rows = await run(query, BIRCH);
    return `test/grafana/panels.ts has no row for this panel. Paste this one into PANELS.${query.name}, or into OF_BOTH
if station and region print the same. Keep the objects that say something, and check their numbers by hand:
town.ts says what each station measures. \`npm run fix\` lays it out.

    ['${query.key}', BIRCH, ${rows.length},
${textOfRows(rows)}
    ],
`;
  };

  it('every column of every panel has a value for some choice', () => {
    expect(filled.size).toBeGreaterThan(150);
    expect([...filled].filter(([, value]) => !value).map(([key]) => key)).toEqual([]);
  });

  it('every query runs for every choice and language, and none shows a hidden city', async () => {
    const texts = new Set<string>();
    const uses = ({ target }: Query, variable: string) =>
      variable === 'locale' || target.rawSql?.includes(variable);
    for (const name of Object.keys(PANELS)) {
      const board = dashboard(name);
      const lists = board.templating.list.filter(({ type }) => type === 'custom');
      expect(lists.map((variable) => variable.name)).toContain('locale');
      for (const { name: variable, options = [] } of lists)
        for (const { value } of options) {
          for (const query of QUERIES.filter((one) => one.name === name && uses(one, variable)))
            for (const row of await run(query, { [variable]: value }))
              for (const text of Object.values(row)) texts.add(String(text));
        }
      for (const { type, query } of board.templating.list) {
        if (type !== 'query' || typeof query !== 'string') continue;
        const values = await resolve(grafana, board, {}, NOW);
        for (const row of await grafana.unsafe(
          textOf({ panel: { title: '' }, target: { rawSql: query } as never }, board, values, NOW),
        ))
          texts.add(row.__text).add(row.__value);
      }
    }
    const hidden = await grafana`
      select unnest(array[r.slug, t.title]) as name from api.region r join api.region_title t on t.region_slug = r.slug
      where r.is_hidden`;
    expect(hidden.length).toBeGreaterThan(0);
    expect(texts.size).toBeGreaterThan(500);
    expect(hidden.filter(({ name }) => texts.has(name))).toEqual([]);
  });

  const overTime = QUERIES.filter(
    (query) => isBucketed(query) && ['station', 'region'].includes(query.name),
  );

  it.each([
    ['7d', 'hourly', 160],
    ['90d', 'daily', 89],
    ['730d', 'monthly', 13],
  ] as const)(
    'a panel over %s shows %s buckets, and reads no other views',
    async (back, resolution, least) => {
      expect(overTime).not.toEqual([]);
      for (const query of overTime) {
        const rows = await run(query, BIRCH, rangeOf(back, NOW));
        expect(rows.length, query.what).toBeGreaterThanOrEqual(least);
        const read = await relations(query, BIRCH, rangeOf(back, NOW));
        expect(
          read.filter((relation) => relation !== 'installation'), // for the time zone
          query.what,
        ).toEqual([`${query.name}_${resolution}`]);
      }
    },
  );

  it.each(WINDOWS)('a panel shows the numbers of the API for $key', async ({ key }) => {
    const panels = QUERIES.filter(({ target }) => target.rawSql?.includes(`b.series = '${key}'`));
    expect(panels.map(({ name }) => name).sort()).toEqual(['region', 'station']);
    for (const query of panels) {
      const shown = await run(query, BIRCH);
      const id = query.name === 'station' ? BIRCH.station : BIRCH.region;
      const expected = await grafana.unsafe(
        `select timestamp, avg_pm25 from api.${query.name}_history($1, $2) where series = $3 order by 1`,
        [NOW, id as string, key],
      );
      expect(shown.map((bucket) => [Date.parse(bucket.time), bucket.mean])).toEqual(
        expected.map((bucket) => [Date.parse(bucket.timestamp), bucket.avg_pm25]),
      );
    }
  });

  it('dashboards name the categories of the index as SQL does', async () => {
    const starts = aqiSteps('color')
      .slice(1)
      .map(({ value }) => value);
    const rows =
      await grafana`select api.aqi_category(aqi) as name from unnest(${`{${starts}}`}::int[]) aqi`;
    expect(rows.map(({ name }) => name)).toEqual(CATEGORIES.map(({ name }) => name));
    const bands =
      await grafana`select api.european_index(pm10 => mean) as name from unnest('{0, 40, 100, 190, 260, 300}'::float8[]) mean`;
    expect(bands.map(({ name }) => name)).toEqual(BANDS.map(({ name }) => name));
  });

  it('alerts name stations that fell silent or that screening found, not those the operator flagged', async () => {
    const outlier = 'outlier, 60.5 µg/m³, median of 1 neighbours 12.3';
    const later = 'leave them out once 24 hours are suspect';
    const weather = 'temperature, humidity and pressure';
    const alerts: Record<string, object[]> = {
      'airseries-offline': [
        { station: 'Dock', city: 'Alder', provider: 'roofs', value: 6 * 24 * 60 + 4 }, // minutes
      ],
      'airseries-suspect': [
        { station_id: '4', what: 'PM', detail: outlier, value: 30, regions: later }, // hours
        // since the test, not since the operator
        { station_id: '6', tests: 'operator, outlier', value: 30, regions: 'leave them out' },
        { station_id: '5', what: weather, tests: 'zero values', value: 30 },
      ],
    };
    for (const { uid, sql } of stationRules()) {
      const rows = await grafana.unsafe(expand(sql, rangeOf('1h', NOW)));
      // one number per row, and labels that tell rows apart
      expectTypes(uid, rows);
      const types = rows.columns.map(({ type }) => TYPES[type]);
      expect(types.filter((type) => type !== 'text')).toEqual(['float8']);
      expect(rows.flatMap(Object.values)).not.toContain(null);
      const labels = rows.map(({ value, ...words }) => JSON.stringify(words));
      expect(new Set(labels).size).toBe(rows.length);
      const expected = alerts[uid] ?? [];
      expect(rows, uid).toHaveLength(expected.length);
      expect([...rows], uid).toEqual(
        expect.arrayContaining(expected.map((row) => expect.objectContaining(row))),
      );
    }
  });
});

/** The first eight and the last two. */
function textOfRows(rows: Rows): string {
  const lines = rows.map((row) => `${JSON.stringify(row)},`);
  const between = lines.length - 10;
  if (between > 0) lines.splice(8, between, `// and ${between} rows between`);
  return lines.join('\n');
}

/** A station that left its city, in a zone with days of 23 and 25 hours. */
onEveryEngineInAll('Grafana of a network in Berlin', (engine) => {
  const timeZone = 'Europe/Berlin';
  let here: Installation;
  /** Sessions in the network's zone, and in another one. */
  let sessions: Sql[];
  beforeAll(async () => {
    const network = citiesOfOneStation(['c', 'd'], { timeZone });
    const [c, d] = network.stations;
    const until = '2026-03-01T00:00:00+01:00';
    here = await install(
      engine,
      { ...network, stations: [c, { ...d, regions: [{ slug: 'd', until }] }] },
      timeZone,
    );
    await here.database.as()`
      insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 10 from generate_series(timestamptz '2025-09-01', '2026-04-02', '1 hour') at`;
    await here.refresh(new Date('2026-04-02T00:00:00Z'));
    sessions = await Promise.all(['UTC', timeZone].map((zone) => openGrafana(here.database, zone)));
  });
  afterAll(async () => {
    await Promise.all(sessions.map((session) => session.end()));
    await here.close();
  });

  const CHOSEN = { datasource: '', locale: 'en', city: 'c', region: 'c', station: '1' };

  it.each([
    // the 26th has 25 hours and ends at 23:00
    ['30d', '2025-10-26T22:30:00Z', '2025-10-24T22:00:00Z'],
    ['30d', '2025-10-26T23:00:00Z', '2025-10-25T22:00:00Z'],
    ['30d', '2026-03-29T21:59:00Z', '2026-03-27T23:00:00Z'], // the 29th has 23 and ends at 22:00
    ['30d', '2026-03-29T22:00:00Z', '2026-03-28T23:00:00Z'],
    ['7d', '2026-03-29T21:59:00Z', '2026-03-29T20:00:00Z'],
    ['730d', '2026-03-31T21:59:00Z', '2026-01-31T23:00:00Z'], // March ends at 22:00
    ['730d', '2026-03-31T22:00:00Z', '2026-02-28T23:00:00Z'],
  ])(
    'a panel over %s up to %s ends with the bar of %s, in any zone of the session',
    async (back, to, newest) => {
      const bars = QUERIES.filter(
        (query) => isBars(query) && (back === '30d' || isBucketed(query)),
      );
      expect(bars).not.toEqual([]);
      for (const query of bars) {
        const at = new Date(to);
        const text = textOf(query, query.board, CHOSEN, at, rangeOf(back, at));
        for (const session of sessions) {
          const rows = await session.unsafe(text);
          expect(new Date(rows.at(-1)?.time), query.what).toEqual(new Date(newest));
        }
      }
    },
  );

  it('a station is listed under its city at the end of the time range, or without a city (C8)', async () => {
    const board = dashboard('station');
    const found = async (variable: string, to: string, city?: string) => {
      const rawSql = board.templating.list.find(({ name }) => name === variable)?.query;
      const query = { panel: { title: variable }, target: { rawSql } as Query['target'] };
      const text = textOf(query, board as Dashboard, { ...CHOSEN, city: city ?? '' }, new Date(to));
      return (await sessions[0]?.unsafe(text))?.map(({ __value }) => __value);
    };
    const [before, after] = ['2026-02-28T22:59:00Z', '2026-02-28T23:00:00Z'] as const;
    expect(await found('city', before)).toEqual(['c', 'd']);
    expect(await found('station', before, 'd')).toEqual(['2']);
    expect((await here.get('station/2.json', new Date(after))).city).toBeNull();
    expect(await found('city', after)).toEqual(['-', 'c']);
    expect(await found('station', after, '-')).toEqual(['2']);
  });
});
