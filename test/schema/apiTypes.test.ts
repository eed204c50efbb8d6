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
/** What functions of a station and of a region take beside the instant and their subject. */
const BESIDE: Readonly<Record<string, string>> = {
  ...{ now: '', limits: '', history: '', months_json: '', completeness_json: '', changes_json: '' },
  ...{ days_json: ', 2026', hours_csv: ", '2026-11-19', '2026-11-20'", warnings_json: ", 'aqi'" },
};
const ofBoth = Object.entries(BESIDE).flatMap(([name, more]) => [
  [`station_${name}`, `${AT}, 1${more}`],
  [`region_${name}`, `${AT}, 'alpha'${more}`],
]);
/** The arguments of functions that take more than an instant. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ofBoth),
  station_last_hours: `${AT}, 1`,
  station_gaps_json: `${AT}, 1, 2026`,
  parameter_map_json: `${AT}, 'pm2.5'`,
  station_readings_json: `${AT}, 1, '2026-11-20 08:30Z'`,
  station_history_json: `1, ${EVER}`,
  region_history_json: `'alpha', ${EVER}`,
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
      const call = isFunction(name) ? `${name}(${ARGUMENTS[name] ?? AT})` : name;
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
