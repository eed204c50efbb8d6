/**
 * Runs every SQL query of dashboards and alert rules as Grafana does: as the reader role, which may
 * read schema api only, with chained variables and expanded macros, over thirteen months of the
 * demo network. All in one file, because that takes a while to load.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aqiSteps, BANDS, CATEGORIES } from '../../grafana/source/colours.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import {
  isRepetition,
  onEveryEngine,
  onEveryEngineInAll,
  type TestDatabase,
} from '../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { ANNOTATIONS, CHOICES, EMPTY, FLAGGED, OFFLINE, SQL_DASHBOARDS } from './choices.ts';
import {
  type Dashboard,
  dashboard,
  expand,
  interpolate,
  type Panel,
  type Range,
  rangeOf,
  type Target,
  targetsOf,
  type Values,
} from './dashboards.ts';
import { demoDatabase } from './demoDatabase.ts';
import { stationRules } from './provisioning.ts';
import { expectSeries, relationOwners, TYPES } from './results.ts';

const NOW = new Date('2026-11-20T12:34:56Z');
const LEVEL_NAMES = LEVELS.map(({ name }) => name);

type Query = { what: string; bucketed: boolean; text: string; format: string };

/** Of the engines so far: the second one copies the readings of the first. */
const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((db) => db.drop())));

onEveryEngine('Grafana', (engine) => {
  let db: TestDatabase;
  let grafana: Sql;
  /** Maps chunks and hypertables to their aggregate or table. */
  let owners: Map<string, string>;

  beforeAll(async () => {
    db = await demoDatabase(
      engine,
      NOW,
      isRepetition(engine) ? { days: 2 } : { like: databases[0] },
    );
    databases.push(db);
    owners = await relationOwners(db);
    grafana = connect(db.target, { role: 'airseries_reader', max: 1, timeZone: 'UTC' });
    await grafana`set search_path = "$user", public`;
    await grafana`set default_transaction_read_only = on`;
  });
  afterAll(async () => {
    await grafana?.end();
  });

  /**
   * The values of all variables for the given choices; each variable is queried with the values of
   * those before it.
   */
  const resolve = async ({ templating, time }: Dashboard, chosen: Values): Promise<Values> => {
    const values: Record<string, string | readonly string[]> = { datasource: 'airseries' };
    for (const { name, type, query, options: given, multi } of templating.list) {
      if (type === 'custom') values[name] = chosen[name] ?? given?.[0]?.value ?? '';
      if (type !== 'query' || typeof query !== 'string') continue;
      const options = await grafana.unsafe(
        expand(interpolate(query, values), rangeOf(time.from, NOW)),
      );
      expect(options.columns.map((column) => column.name).sort(), name).toEqual([
        '__text',
        '__value',
      ]);
      expect(
        options.every((row) => row.__text && typeof row.__value === 'string'),
        name,
      ).toBe(true);
      for (const { __text, __value } of options) texts.add(__text).add(__value);
      const all = options.map((row): string => row.__value);
      const wanted = [chosen[name] ?? (multi ? all : all.slice(0, 1))].flat().map(String);
      expect(all, name).toEqual(expect.arrayContaining(wanted));
      values[name] = multi ? wanted : (wanted[0] ?? '');
    }
    return values;
  };

  const queries = (name: string, values: Values, range?: Range): Query[] => {
    const board = dashboard(name);
    type Asking = { panel: Pick<Panel, 'title' | 'timeFrom'>; target: Target };
    const annotations = board.annotations.list.map(
      ({ name: title, target }): Asking => ({ panel: { title }, target }),
    );
    return [...annotations, ...targetsOf(board)].map(
      ({ panel, target: { rawSql = '', format = '' } }) => ({
        what: `${name}: ${panel.title}`,
        bucketed: /_(hourly|daily|monthly|history)\b/.test(rawSql),
        format,
        text: expand(
          interpolate(rawSql, values),
          range ?? rangeOf(panel.timeFrom ?? board.time.from, NOW),
        ),
      }),
    );
  };

  const run = async ({ what, text }: Query) => {
    const rows = await grafana.unsafe(text);
    for (const { name, type } of rows.columns)
      expect(Object.keys(TYPES), `${what}: ${name}`).toContain(String(type));
    return rows;
  };

  const expectAggregates = (what: string, read: readonly string[]) =>
    expect(
      read.filter((relation) => relation === 'readings' || relation.startsWith('_')),
      what,
    ).toEqual([]);

  const relations = async (text: string): Promise<string[]> => {
    const [row] = await grafana.unsafe(`explain (format json) ${text}`);
    const found = [...JSON.stringify(row).matchAll(/"Relation Name":\s*"([^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    return [...new Set(found.map((name) => owners.get(name) ?? name))].sort();
  };

  const texts = new Set<string>();

  // that the numbers are the same, serve/windows.test.ts holds
  if (isRepetition(engine)) {
    it('runs every query, and reads no readings', async () => {
      for (const name of SQL_DASHBOARDS)
        for (const query of queries(name, await resolve(dashboard(name), {}))) {
          const rows = await run(query);
          if (query.format === 'time_series') expectSeries(query.what, rows);
          expectAggregates(query.what, await relations(query.text));
        }
    });
    return;
  }

  const filled = new Map<string, boolean>();

  describe.each(
    SQL_DASHBOARDS.flatMap((name) => (CHOICES[name] ?? []).map((chosen) => ({ name, chosen }))),
  )('$name $chosen', ({ name, chosen }) => {
    it('fills every panel from aggregates', async () => {
      const values = await resolve(dashboard(name), chosen);
      for (const query of queries(name, values)) {
        const rows = await run(query);
        for (const row of rows) for (const text of Object.values(row)) texts.add(String(text));
        if (!ANNOTATIONS.includes(query.what)) expect(rows.length, query.what).toBeGreaterThan(0);
        if (query.format === 'time_series') expectSeries(query.what, rows);
        for (const { name: column } of rows.columns) {
          const key = `${query.what}: ${column}`;
          filled.set(key, (filled.get(key) ?? false) || rows.some((row) => row[column] !== null));
        }
        const read = await relations(query.text);
        expectAggregates(query.what, read);
        if (query.bucketed)
          expect(
            read.some((relation) => LEVEL_NAMES.includes(relation)) ||
              /api\.\w+_history\(/.test(query.text), // a plan doesn't show what the function reads
            query.what,
          ).toBe(true);
      }
    });
  });

  it.each([
    ['7d', 'hourly', 100],
    ['90d', 'daily', 50],
    ['730d', 'monthly', 13],
  ] as const)(
    'over %s shows buckets that are %s, and reads no other views',
    async (back, resolution, least) => {
      for (const [name, subject, chosen] of [
        ['station', 'station', { city: 'velmora', station: '3' }],
        ['region', 'region', { city: 'tarnesh', region: 'tarnesh' }],
      ] as const) {
        const values = await resolve(dashboard(name), chosen);
        const overTime = queries(name, values, rangeOf(back, NOW)).filter(({ text }) =>
          text.includes("interval '400 days'"),
        );
        expect(overTime.length).toBe(10);
        for (const query of overTime) {
          const rows = await run(query);
          expect(rows.length, query.what).toBeGreaterThanOrEqual(least);
          const read = (await relations(query.text)).filter(
            (relation) => relation !== 'installation',
          ); // for the time zone
          expect(read, query.what).toEqual([`${subject}_${resolution}`]);
        }
      }
    },
  );

  it('has a value in every column of every panel at its default time, for some choice', () => {
    expect(filled.size).toBeGreaterThan(150);
    const empty = [...filled].filter(([, value]) => !value).map(([key]) => key);
    expect(empty.filter((key) => !EMPTY.test(key))).toEqual([]);
    expect(filled.get('station: Sensors: device')).toBe(false);
  });

  it('shows a hidden city nowhere', async () => {
    const hidden = await grafana`
      select unnest(array[r.slug, t.title]) as name from api.region r join api.region_title t on t.region_slug = r.slug
      where r.is_hidden`;
    expect(hidden.length).toBeGreaterThan(0);
    expect(texts.size).toBeGreaterThan(1000);
    expect(hidden.filter(({ name }) => texts.has(name))).toEqual([]);
  });

  const rowsOf = async (board: string, title: string, chosen: Values = {}) => {
    const values = await resolve(dashboard(board), chosen);
    return await run(
      queries(board, values).find(({ what }) => what === `${board}: ${title}`) as Query,
    );
  };

  it('marks the flagged station in every table, and no other', async () => {
    const city = { city: 'velmora', region: 'velmora' };
    const ranking = `Ranking by $\{parameter:text}`;
    const tables = [
      { rows: await rowsOf('network', 'Stations'), word: 'status' },
      { rows: await rowsOf('region', 'Listed stations', city), word: 'status' },
      {
        rows: await rowsOf('compare', ranking, { ...city, parameter: 'avg_temperature' }),
        word: 'station',
      },
    ];
    for (const { rows, word } of tables) {
      expect(rows.length).toBeGreaterThan(5);
      const marked = rows.filter((row) => /flagged/.test(row[word]));
      expect(marked.map(({ id }) => id)).toEqual([String(FLAGGED)]);
      expect(rows.filter(({ style }) => style !== null)).toEqual(marked);
      expect(JSON.parse(marked[0]?.style)).toEqual({ textDecoration: 'line-through' });
    }
    const particles = await rowsOf('compare', ranking, { ...city, parameter: 'avg_pm25' });
    expect(particles.filter(({ style }) => style !== null)).toEqual([]);
    const about = (station: number | undefined) =>
      rowsOf('station', 'Station', { ...city, station: String(station) });
    const column = 'temperature, humidity and pressure';
    expect((await about(FLAGGED))[0]?.[column]).toMatch(/^flagged: operator/);
    expect((await about(3))[0]?.[column]).toBe('not flagged');
  });

  it('ranks with bars of one scale', async () => {
    const rows = await rowsOf('compare', `Ranking by $\{parameter:text}`, { city: 'velmora' });
    const [first] = rows;
    for (const { mean, bar } of rows) expect(bar).toBeCloseTo(mean / first?.mean, 9);
    expect(first?.bar).toBe(1);
  });

  it('compares few lines with all that are chosen', async () => {
    const all = queries('compare', await resolve(dashboard('compare'), { city: 'velmora' }));
    const [band = [], lines = []] = await Promise.all(
      all.filter(({ what }) => what.includes('highest')).map(run),
    );
    const chosen = await rowsOf('compare', `Ranking by $\{parameter:text}`, { city: 'velmora' });
    expect(new Set(lines.map(({ name }) => name))).toEqual(
      new Set(chosen.slice(0, 6).map(({ station }) => station)),
    );
    expect(chosen.length).toBeGreaterThan(6);
    const spread = new Map(band.map((row) => [String(row.time), row]));
    const outside = lines.filter(({ time, value }) => {
      const all = spread.get(String(time));
      return !(all?.lowest <= value && value <= all?.highest);
    });
    expect(outside).toEqual([]);
    expect(
      band.filter(({ time, lowest }) =>
        lines.every((row) => +row.time !== +time || lowest < row.value),
      ),
    ).not.toEqual([]);
  });

  it('has a calendar of whole months with their years, oldest first', async () => {
    const rows = await rowsOf('station', 'Calendar of daily PM2.5', {
      city: 'velmora',
      station: '3',
    });
    const months = [...new Set(rows.map(({ month }) => month))];
    expect(months).toEqual([
      'Dec 2025',
      ...['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov'].map(
        (name) => `${name} 2026`,
      ),
    ]);
    expect(rows.map(({ day }) => day)).toEqual(
      months.flatMap(() => Array.from({ length: 31 }, (_, n) => n + 1)),
    );
    expect(rows.findLast((row) => row['PM2.5'] !== null)).toMatchObject({
      month: 'Nov 2026',
      day: 19,
    }); // the 20th is not over
    const month = await rowsOf('station', 'This month and a year ago', {
      city: 'velmora',
      station: '3',
    });
    expect(month.filter((row) => row['this month'] !== null).map(({ day }) => day)).toEqual(
      Array.from({ length: 19 }, (_, n) => n + 1),
    );
  });

  it.each([
    ['7d', 1],
    ['30d', 24],
    ['730d', 28 * 24],
  ] as const)(
    'draws no bar over %s that the end of the range would cut off',
    async (back, hours) => {
      for (const [name, chosen] of [
        ['station', { city: 'velmora', station: '3' }],
        ['region', { city: 'velmora', region: 'velmora' }],
      ] as const) {
        const bars = dashboard(name).panels.filter(
          (panel) => panel.fieldConfig?.defaults.custom.drawStyle === 'bars',
        );
        expect(bars).toHaveLength(4);
        const all = queries(name, await resolve(dashboard(name), chosen), rangeOf(back, NOW));
        for (const query of all.filter(({ what }) =>
          bars.some(({ title }) => what === `${name}: ${title}`),
        )) {
          const newest = Date.parse((await run(query)).at(-1)?.time);
          expect(
            newest + (query.bucketed ? hours : 24) * 3_600_000,
            query.what,
          ).toBeLessThanOrEqual(NOW.getTime());
        }
      }
    },
  );

  it('shows the numbers of the API', async () => {
    const [reader] = [db.as('airseries_reader')];
    const values = await resolve(dashboard('station'), { city: 'velmora', station: '3' });
    const byTitle = new Map(queries('station', values).map((query) => [query.what, query]));
    const [row] =
      await reader`select api.aqi_text(aqi) as aqi, "pm2.5" as pm25 from api.station_current(${NOW}, 3)`;
    const tile = async (title: string, name: string) =>
      (await grafana.unsafe(byTitle.get(`station: ${title}`)?.text ?? '')).find(
        (one) => one.name === name,
      )?.value;
    expect([await tile('Indices', 'AQI'), await tile('Current values', 'PM2.5')]).toEqual([
      row?.aqi,
      row?.pm25,
    ]);
    const [now] =
      await reader`select "nowcast_pm2.5" as pm25, european_index as band from api.station_now(${NOW}, 3)`;
    expect(await tile('Current values', 'PM2.5, NowCast')).toBe(now?.pm25);
    expect(await tile('Indices', 'European index')).toBe(now?.band);
    for (const [series, title, buckets] of [
      ['24h', '24 hours', 24],
      ['7d', '7 days', 168],
      ['30d', '30 days', 30],
      ['1y', '1 year', 12],
      ['2y', '2 years', 14], // all that there are
    ] as const) {
      const shown = await grafana.unsafe(byTitle.get(`station: PM2.5, ${title}`)?.text ?? '');
      const expected =
        await reader`select timestamp, avg_pm25 from api.station_history(${NOW}, 3) where series = ${series} order by 1`;
      expect(shown.map((bucket) => [Date.parse(bucket.time), bucket.mean])).toEqual(
        expected.map((bucket) => [Date.parse(bucket.timestamp), bucket.avg_pm25]),
      );
      expect(expected.length).toBeGreaterThan(0.8 * buckets);
      expect(expected.length).toBeLessThanOrEqual(buckets);
    }
  });

  it('names the categories of the index as SQL does', async () => {
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

  it('lists the stations that went offline, and no others', async () => {
    const attention = queries('network', await resolve(dashboard('network'), {})).find(({ what }) =>
      what.endsWith('need attention'),
    );
    const rows = await grafana.unsafe(attention?.text ?? '');
    const offline =
      await grafana`select id from api.station_current(${NOW}) where is_listed and status = 'offline' order by id`;
    const listed = rows.filter((row) => row.what === 'offline').map((row) => Number(row.id));
    // all of them have measured before
    expect(listed.sort((a, b) => a - b)).toEqual(offline.map((row) => row.id));
    expect(listed).toContain(OFFLINE);
    expect(rows.filter((row) => row.what === 'weather')).toHaveLength(1);
  });

  it('returns to alert rules one number per row, and labels that tell rows apart', async () => {
    const rules = stationRules();
    expect(rules.map(({ uid }) => uid)).toEqual(['airseries-offline', 'airseries-suspect']);
    for (const { uid, sql } of rules) {
      const rows = await run({
        what: uid,
        text: expand(sql, rangeOf('1h', NOW)),
        format: 'table',
        bucketed: false,
      });
      const types = rows.columns.map(({ type }) => TYPES[type] ?? 'another');
      expect(types.filter((type) => type === 'float8')).toHaveLength(1);
      expect(types.filter((type) => type !== 'float8' && type !== 'text')).toEqual([]);
      expect(rows.flatMap(Object.values)).not.toContain(null);
      const labels = rows.map(({ value, ...words }) => JSON.stringify(words));
      expect(new Set(labels).size).toBe(rows.length);
      expect(rows.every((row) => row.value > 0)).toBe(true);
    }
    const offline = await grafana.unsafe(expand(rules[0]?.sql ?? '', rangeOf('1h', NOW)));
    const [row] = offline.filter(({ station_id }) => station_id === String(OFFLINE));
    expect(row).toMatchObject({ city: 'Okravel', provider: 'airseries-demo' });
    expect(row?.value).toBeGreaterThan(6 * 24 * 60 - 60);
  });

  it('alerts about what screening has recorded, with the test and the values, and counts and lists it, but raises no alert about what the operator flagged', async () => {
    const [flagged] =
      await grafana`select station_id from api.station_suspect(${NOW}) where tests = 'operator'`;
    const [station] =
      await grafana`select id from api.station_current(${NOW}) where is_listed and status = 'online' and id <> ${flagged?.station_id}`;
    const resolved = await resolve(dashboard('network'), {});
    const panel = async (end: string) => {
      const query = queries('network', resolved).find(({ what }) => what.endsWith(end));
      return await grafana.unsafe(query?.text ?? '');
    };
    const count = async () => Object.values((await panel('Need attention'))[0] ?? {})[0];
    const before = await count();
    const since = new Date(NOW.getTime() - 30 * 3_600_000).toISOString();
    const owner = db.as();
    await owner`insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind, evidence)
      values (${station?.id}, null, 'outlier', ${since}, 'infinity', 'pm', ${'{"pm2.5": 60.5, "median": 12.3, "compared_with": [{"id": 1, "pm2.5": 12.3}]}'}::text::jsonb),
        (${station?.id}, (select min(id) from raw.sensor), 'zero_values', ${since}, 'infinity', 'thp', null)`;
    await owner`insert into raw.flag_period (station_id, kind, since, until)
      values (${flagged?.station_id}, 'pm', ${since}, 'infinity')`;
    try {
      const detail = 'outlier, 60.5 µg/m³, median of 1 neighbours 12.3';
      const [, rule] = stationRules();
      const alerts = await grafana.unsafe(expand(rule?.sql ?? '', rangeOf('1h', NOW)));
      expect([...alerts].sort((a, b) => (a.what < b.what ? -1 : 1))).toMatchObject([
        { station_id: String(station?.id), what: 'PM', tests: 'outlier', detail, value: 30 },
        { what: 'temperature, humidity and pressure', tests: 'zero values', value: 30 },
      ]);
      const rows = (await panel('need attention')).filter(({ id }) => id === String(station?.id));
      expect(rows).toMatchObject([
        {
          what: 'particles',
          since: since.replace('.000Z', '+00:00'),
          detail: `left out of the mean of its city: ${detail}`,
        },
        {
          what: 'weather',
          detail: expect.stringMatching(
            /^temperature, humidity, pressure: zero values of sensor \d+$/,
          ),
        },
      ]);
      expect(await count()).toBe(before + 1);
      const hourAgo = new Date(NOW.getTime() - 3_600_000).toISOString();
      await owner`insert into raw.flag_period (station_id, kind, since, until) values (${station?.id}, 'pm', ${hourAgo}, 'infinity')`;
      const both = await grafana.unsafe(expand(rule?.sql ?? '', rangeOf('1h', NOW)));
      expect(both.find(({ what }) => what === 'PM')).toMatchObject({
        ...{ tests: 'operator, outlier', value: 30 }, // since the test, not since the operator
      });
    } finally {
      await owner`delete from raw.screened_period where station_id = ${station?.id}`;
      await owner`delete from raw.flag_period where station_id in (${flagged?.station_id}, ${station?.id}) and kind = 'pm'`;
    }
  });
});

/**
 * A station that left its city, in a zone with days of 25 hours, and a session in the network's
 * zone and in another one.
 */
onEveryEngineInAll('Grafana of a network in Berlin', (engine) => {
  const timeZone = 'Europe/Berlin';
  let here: Installation;
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
      select at, 1, 10 from generate_series(timestamptz '2025-09-01', '2026-04-02', '1 hour') at
      where at not between '2025-09-03 10:00Z' and '2025-09-03 16:00Z'`;
    await here.refresh(new Date('2026-04-02T00:00:00Z'));
  });
  afterAll(() => here.close());

  const run = async (text: string, to: string, zone: string, back = '30d', city = 'c') => {
    const values = { datasource: 'airseries', locale: 'en', city, station: '1', region: city };
    const grafana = connect(here.database.target, {
      role: 'airseries_reader',
      max: 1,
      timeZone: zone,
    });
    try {
      return await grafana.unsafe(expand(interpolate(text, values), rangeOf(back, new Date(to))));
    } finally {
      await grafana.end();
    }
  };

  it.each([
    // the 26th has 25 hours and ends at 23:00
    ['30d', '2025-10-26T22:30:00Z', '2025-10-24T22:00:00Z'],
    ['30d', '2025-10-26T23:00:00Z', '2025-10-25T22:00:00Z'],
    ['30d', '2026-03-29T21:59:00Z', '2026-03-27T23:00:00Z'], // the 29th has 23 and ends at 22:00
    ['30d', '2026-03-29T22:00:00Z', '2026-03-28T23:00:00Z'],
    ['730d', '2026-03-31T21:59:00Z', '2026-01-31T23:00:00Z'], // March ends at 22:00
    ['730d', '2026-03-31T22:00:00Z', '2026-02-28T23:00:00Z'],
  ])(
    'over %s up to %s has bars up to that of %s, in whatever zone the session is',
    async (back, to, newest) => {
      for (const name of ['station', 'region'])
        for (const { panel, target } of targetsOf(dashboard(name))) {
          if (panel.fieldConfig?.defaults.custom.drawStyle !== 'bars') continue;
          if (back === '730d' && panel.title === 'Completeness by day') continue;
          for (const zone of ['UTC', timeZone]) {
            const bars = await run(target.rawSql ?? '', to, zone, back);
            expect(new Date(bars.at(-1)?.time).toISOString(), `${panel.title} in ${zone}`).toBe(
              new Date(newest).toISOString(),
            );
          }
        }
    },
  );

  it.each(['station', 'region'])(
    '%s: a day with 17 of its 24 hours is incomplete, the first day is not (A11)',
    async (name) => {
      const found = targetsOf(dashboard(name)).find(
        ({ panel }) => panel.title === 'Completeness by day',
      );
      const bars = await run(found?.target.rawSql ?? '', '2025-09-04T12:00:00Z', 'UTC', '7d');
      expect(bars.map(({ completeness, incomplete }) => [completeness, incomplete])).toEqual([
        [100, null], // 22 hours of 1 September, from 02:00 on
        [100, null],
        [null, 1700 / 24],
      ]);
    },
  );

  it('finds a station under the city that it belongs to at the end of the time range, or none (C8)', async () => {
    const [cities, stations] = ['city', 'station'].map(
      (wanted) =>
        dashboard('station').templating.list.find(({ name }) => name === wanted)?.query as string,
    ) as [string, string];
    const found = async (text: string, to: string, city?: string) =>
      (await run(text, to, 'UTC', '30d', city)).map(({ __value }) => __value);
    const [before, after] = ['2026-02-28T22:59:00Z', '2026-02-28T23:00:00Z'] as const;
    expect(await found(cities, before)).toEqual(['c', 'd']);
    expect(await found(stations, before, 'd')).toEqual(['2']);
    expect((await here.get('station/2.json', new Date(after))).city).toBeNull();
    expect(await found(cities, after)).toEqual(['-', 'c']);
    expect(await found(stations, after, '-')).toEqual(['2']);
  });
});

/**
 * Cities of one station each, on the 22nd: `within`, `slightly` and `twice` the guideline of 24
 * hours, weather only, particles until the 10th, nothing.
 */
onEveryEngineInAll('Grafana of cities that measure different things', (engine) => {
  const NOON = new Date('2025-09-22T08:00:00Z');
  const CITIES = ['within', 'slightly', 'twice', 'weather', 'ended', 'nothing'];
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(CITIES));
    await here.database.as()`
      insert into raw.readings (measured_at, sensor_id, pm25, temperature)
      select at, sensor, case when sensor = 4 then null else (array[15, 16, 30, null, 40])[sensor] end, 20
      from generate_series(timestamptz '2025-09-01', ${NOON}, '1 hour') at cross join generate_series(1, 5) sensor
      where sensor < 5 or at < '2025-09-10'`;
    await here.digest(NOON);
  });
  afterAll(() => here.close());

  const tiles = async (
    board: string,
    title: string,
    city: string,
    at = NOON,
  ): Promise<Record<string, unknown>> => {
    const values = {
      datasource: '',
      locale: 'en',
      city,
      region: city,
      station: String(CITIES.indexOf(city) + 1),
    };
    const found = targetsOf(dashboard(board)).find(({ panel }) => panel.title === title);
    const rows = await here.published.unsafe(
      expand(interpolate(found?.target.rawSql ?? '', values), rangeOf('30d', at)),
    );
    return Object.fromEntries(rows.map(({ name = '', value }) => [name, value]));
  };

  it('tells within the guideline, above it and unknown apart, as the API cannot (W3)', async () => {
    const health = async (city: string, at?: Date) =>
      Object.values(await tiles('region', 'PM2.5, guideline of the WHO, cigarettes', city, at));
    expect((await here.get('region/within.json', NOON)).who_daily_exceedance).toBeNull();
    expect(await health('within')).toEqual([
      '15.0 µg/m³ · within the guideline',
      '15.0 µg/m³ · 3 times the guideline',
      '0 of 21',
      '20.5',
    ]);
    expect(
      Object.keys(await tiles('region', 'PM2.5, guideline of the WHO, cigarettes', 'within'))[1],
    ).toBe('Mean of 21 days');
    expect((await health('slightly'))[0]).toBe('16.0 µg/m³ · up to 15 % above the guideline');
    expect((await health('twice'))[0]).toBe('30.0 µg/m³ · 2 times the guideline');
    expect(await health('ended')).toEqual([
      'no data',
      '40.0 µg/m³ · 8 times the guideline',
      '9 of 9',
      '54.5',
    ]);
    for (const city of ['weather', 'nothing']) expect(await health(city)).toEqual([]);
    expect((await here.get('region/weather.json', NOON))['who_pm2.5_exceedance_days']).toBe(0);
    expect(await tiles('network', 'Cities above WHO', '')).toEqual({ '': 2 });
    expect(
      await tiles('network', 'Cities above WHO', '', new Date('2025-08-01T00:00:00Z')),
    ).toEqual({ '': null });
  });

  it('has tiles of what a place measures, and none of what it does not', async () => {
    for (const [board, more] of [
      ['station', {}],
      ['region', { Stations: 1 }],
    ] as const) {
      expect(await tiles(board, 'Indices', 'weather')).toEqual({});
      expect(await tiles(board, 'Current values', 'weather')).toEqual({ Temperature: 20, ...more });
      expect(Object.keys(await tiles(board, 'Indices', 'within'))).toEqual([
        'AQI',
        'NowCast AQI',
        'European index',
        'PM2.5, European',
      ]);
      expect(await tiles(board, 'Current values', 'nothing')).toEqual({});
      const stats = dashboard(board).panels.filter(({ type }) => type === 'stat');
      // each of them one tile that says so where there is nothing
      expect(stats.length).toBeLessThan(4);
      for (const { fieldConfig } of stats) expect(fieldConfig?.defaults.noValue).toBe('no data');
    }
  });
});
