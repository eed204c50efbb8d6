/** The committed types of schema api match the database. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WINDOWS } from '../../src/contract/windows.ts';
import type { Sql } from '../../src/database/client.ts';
import { insertNetwork, NOW } from '../serve/network.ts';
import { coreDatabase, onEveryEngineInAll, type TestDatabase } from '../support/database.ts';
import { apiTypes, NEVER_NULL } from './apiTypes.ts';

const committed = readFileSync(
  new URL('../../src/database/generated/apiTypes.ts', import.meta.url),
  'utf8',
);

const EVER = Array.from({ length: 3 + WINDOWS.length }, () => "'2000-01-01Z', '2100-01-01Z'");
const AT = `'${NOW.toISOString()}'`;
/** The arguments of functions that take more than an instant. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  station_now: `${AT}, 1`,
  region_now: `${AT}, 'alpha'`,
  station_last_hours: `${AT}, 1`,
  station_days_json: `${AT}, 1, 2026`,
  region_days_json: `${AT}, 'alpha', 2026`,
  station_months_json: `${AT}, 1`,
  region_months_json: `${AT}, 'alpha'`,
  station_completeness_json: `${AT}, 1`,
  region_completeness_json: `${AT}, 'alpha'`,
  station_gaps_json: `${AT}, 1, 2026`,
  station_limits: `${AT}, 1`,
  region_limits: `${AT}, 'alpha'`,
  parameter_map_json: `${AT}, 'pm2.5'`,
  station_hours_csv: `${AT}, 1, '2026-11-19', '2026-11-20'`,
  region_hours_csv: `${AT}, 'alpha', '2026-11-19', '2026-11-20'`,
  station_readings_json: `${AT}, 1, '2026-11-20 08:30Z'`,
  station_changes_json: `${AT}, 1`,
  region_changes_json: `${AT}, 'alpha'`,
  station_warnings_json: `${AT}, 1, 'aqi'`,
  region_warnings_json: `${AT}, 'alpha', 'aqi'`,
  station_history_json: `1, ${EVER}`,
  region_history_json: `'town', ${EVER}`,
  station_history: `'${NOW.toISOString()}', 1`,
  region_history: `'${NOW.toISOString()}', 'town'`,
};

onEveryEngineInAll('the types of schema api', (engine) => {
  let database: TestDatabase;
  let reader: Sql;
  beforeAll(async () => {
    database = await coreDatabase(engine);
    await insertNetwork(database.as());
    reader = database.as('airseries_reader');
  });
  afterAll(() => database.drop());

  it('the committed types of schema api are the generated ones', async () => {
    expect(await apiTypes(reader), 'run: npm run generate').toBe(committed);
  });

  it('only columns without nulls are typed as never null', async () => {
    const functions =
      await reader`select proname from pg_proc where pronamespace = 'api'::regnamespace`;
    const isFunction = (name: string) => functions.some(({ proname }) => proname === name);
    const withRows: string[] = [];
    for (const [name, columns] of Object.entries(NEVER_NULL)) {
      const call = isFunction(name)
        ? `${name}(${ARGUMENTS[name] ?? `'${NOW.toISOString()}'`})`
        : name;
      const nulls = columns.map(
        (column) => `(count(*) filter (where "${column}" is null))::int as "${column}"`,
      );
      const [row] = await reader.unsafe(
        `select count(*)::int as "rows", ${nulls.join(', ')} from api.${call}`,
      );
      expect(row, name).toEqual({
        rows: row?.rows,
        ...Object.fromEntries(columns.map((column) => [column, 0])),
      });
      if (row?.rows > 0) withRows.push(name);
    }
    expect(withRows.length, `rows in ${withRows}`).toBeGreaterThan(20);
  });
});
